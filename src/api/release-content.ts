/** What a release is: the part of a LeaderWorkerSet whose change restarts groups, and nothing else. */

import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** LWS copies this annotation into the leader pods, outside its own revision (reference: LWS API, exclusive placement). */
export const EXCLUSIVE_TOPOLOGY = 'leaderworkerset.sigs.k8s.io/exclusive-topology';

/** Labels below this prefix in a pod template are ours: traffic follows them, releases do not. */
export const OWN_PREFIX = 'tranche.dev/';

/** The paths of a manifest that a release covers: what a rollback puts back. */
export const RELEASE_PATHS: readonly (readonly string[])[] = [
  ['spec', 'leaderWorkerTemplate'],
  ['spec', 'networkConfig'],
  ['metadata', 'annotations', EXCLUSIVE_TOPOLOGY],
];

/**
 * The content that a digest covers: `leaderWorkerTemplate`, `networkConfig` and the exclusive-topology
 * annotation of a LeaderWorkerSet manifest, without our own pod labels. Missing parts are left out, so that
 * adding one is a change. Canonical text of it is what gets hashed (by the caller: this ring has no crypto).
 */
export function releaseContent(manifest: JsonObject): JsonObject {
  const spec = isJsonObject(manifest['spec']) ? manifest['spec'] : {};
  const metadata = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  const content: Record<string, Json> = {};
  if (spec['leaderWorkerTemplate'] !== undefined) {
    content['leaderWorkerTemplate'] = withoutOwnLabels(spec['leaderWorkerTemplate']);
  }
  if (spec['networkConfig'] !== undefined) content['networkConfig'] = spec['networkConfig'];
  const topology = annotations[EXCLUSIVE_TOPOLOGY];
  if (topology !== undefined) content['exclusiveTopology'] = topology;
  return content;
}

function withoutOwnLabels(template: Json): Json {
  if (!isJsonObject(template)) return template;
  const copy: Record<string, Json> = { ...template };
  for (const key of ['leaderTemplate', 'workerTemplate']) {
    const pod = copy[key];
    if (!isJsonObject(pod) || !isJsonObject(pod['metadata']) || !isJsonObject(pod['metadata']['labels'])) continue;
    const { labels, ...metadata } = pod['metadata'];
    const { metadata: _, ...rest } = pod;
    const kept = Object.entries(isJsonObject(labels) ? labels : {}).filter(([label]) => !label.startsWith(OWN_PREFIX));
    // A map that held only our label must look as if it had never been there.
    const theirs = kept.length > 0 ? { ...metadata, labels: Object.fromEntries(kept) } : metadata;
    copy[key] = Object.keys(theirs).length > 0 ? { ...rest, metadata: theirs } : rest;
  }
  return copy;
}
