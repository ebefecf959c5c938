/** The label that tells two versions of one workload apart, where routes share out the requests between them. */

import type { FieldPath } from './field.ts';
import { at, type JsonObject } from './json.ts';

/** On the leaders of a workload: the release that their template belongs to. No release covers it. */
export const VERSION = 'tranche.dev/version';

const TEMPLATE = ['spec', 'leaderWorkerTemplate'];

/** Where the label of the leaders stands: in the template of the leaders, or of all pods where there is no other. */
export function versionPath(manifest: JsonObject): FieldPath {
  const key = at(manifest, [...TEMPLATE, 'leaderTemplate']) === undefined ? 'workerTemplate' : 'leaderTemplate';
  return [...TEMPLATE, key, 'metadata', 'labels', VERSION];
}

/** The label of the leaders to come; undefined: there is none. */
export function versionIn(manifest: JsonObject): string | undefined {
  const value = at(manifest, versionPath(manifest));
  return typeof value === 'string' ? value : undefined;
}
