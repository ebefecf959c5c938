/** Reads the Services and routes of the files, where a Rollout routes traffic. */

import type { ManifestFile } from '../../manifests/parse-file.ts';
import type { ReadRequest, Tree } from '../../ports/git.ts';
import type { Desired } from './desired.ts';
import { type ParseCache, parsed } from './parse-cache.ts';
import { TRAFFIC_KINDS, trafficIndexOf } from './traffic-index.ts';

/** Whether a Rollout names a Service whose requests it shares out. */
export function routesTraffic({ rollouts }: Desired): boolean {
  return rollouts.some(({ reading }) => reading.rollout?.rollout.routing !== undefined);
}

/** The same files again, with the text of all that may hold a Service or a route. */
export function trafficRequest(desired: ReadRequest): ReadRequest {
  return { ...desired, markers: [...desired.markers, ...TRAFFIC_KINDS] };
}

/** What Git asks for, with the Services and routes of a tree that was read for them. */
export function withTraffic(desired: Desired, tree: Tree, cache: ParseCache): Desired {
  const texts = new Map(desired.texts);
  const files: ManifestFile[] = [];
  for (const { path, oid, content } of tree.files) {
    if (content.kind !== 'text') continue;
    texts.set(path, content.text);
    files.push(parsed(cache, { path, oid, text: content.text }, TRAFFIC_KINDS));
  }
  const paths = [...desired.blobs.keys()];
  const traffic = trafficIndexOf({ files, layouts: desired.files, texts, paths, config: desired.config });
  return { ...desired, texts, traffic };
}
