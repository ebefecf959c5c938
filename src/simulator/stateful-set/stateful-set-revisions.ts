/** The ControllerRevisions of a StatefulSet: a template that was there before gets its old name back. */

import { canonicalJson, type JsonObject } from '../../api/json.ts';
import { POD_REVISION, REVISION_HASH } from '../objects/labels.ts';
import {
  annotationsOf,
  controllerOf,
  count,
  type KubeObject,
  labelsOf,
  ownerReference,
  part,
  specOf,
  statusOf,
  strings,
  text,
} from '../objects/objects.ts';
import { CONTROLLER_REVISIONS } from '../objects/resource-table.ts';
import { fnv1, hashKey } from '../objects/text-hash.ts';
import type { World } from '../world.ts';

/** Current and update revision of a StatefulSet; `current` is `update` where the status names none that exists. */
export type Revisions = { readonly current: KubeObject; readonly update: KubeObject };

/** Finds or makes them. An equal older revision is reused: its number rises, its name stays. */
export function statefulSetRevisions(world: World, sts: KubeObject): Revisions {
  const owned = ownedRevisions(world, sts);
  const template = part(specOf(sts), 'template');
  const wanted = templateText(world, template);
  const highest = Math.max(0, ...owned.map(number));
  const equal = owned.find((revision) => revisionText(world, revision) === wanted);
  const update =
    equal === undefined ? made(world, sts, { wanted, revision: highest + 1 }) : lifted(world, equal, highest);
  const currentName = text(statusOf(sts)['currentRevision']);
  const current = owned.find((revision) => revision.metadata.name === currentName) ?? update;
  return { current: current === equal ? update : current, update };
}

/** Old revisions that nothing uses are dropped beyond `revisionHistoryLimit`, lowest number first. */
export function dropOldRevisions(world: World, sts: KubeObject, pods: readonly KubeObject[]): void {
  const status = statusOf(sts);
  const live = new Set([text(status['currentRevision']), text(status['updateRevision'])]);
  for (const pod of pods) live.add(labelsOf(pod)[POD_REVISION] ?? '');
  const old = ownedRevisions(world, sts).filter((revision) => !live.has(revision.metadata.name));
  const limit = count(specOf(sts)['revisionHistoryLimit'], 10);
  if (old.length <= limit) return;
  const oldest = old.sort((left, right) => number(left) - number(right)).slice(0, old.length - limit);
  for (const revision of oldest) world.objects.remove(CONTROLLER_REVISIONS, revision, 'Background');
}

/** The pod template that a revision holds. */
export function templateOf(revision: KubeObject): JsonObject {
  return part(part(part(revision, 'data'), 'spec'), 'template');
}

function made(world: World, sts: KubeObject, from: { readonly wanted: string; readonly revision: number }): KubeObject {
  const template = part(specOf(sts), 'template');
  const hash = hashKey(fnv1(from.wanted));
  const data = { spec: { template: { ...template, $patch: 'replace' } } };
  world.memo.templateText.set(data, from.wanted);
  return world.objects.add(CONTROLLER_REVISIONS, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${sts.metadata.name}-${hash}`,
      namespace: sts.metadata.namespace,
      labels: { ...strings(part(template, 'metadata')['labels']), [REVISION_HASH]: hash },
      annotations: annotationsOf(sts),
      ownerReferences: [ownerReference(sts)],
    },
    data,
    revision: from.revision,
  });
}

function lifted(world: World, revision: KubeObject, highest: number): KubeObject {
  if (number(revision) === highest) return revision;
  return world.objects.put(CONTROLLER_REVISIONS, revision, { ...revision, revision: highest + 1 });
}

function ownedRevisions(world: World, { metadata }: KubeObject): KubeObject[] {
  const found: KubeObject[] = [];
  for (const object of world.objects.unordered(CONTROLLER_REVISIONS, metadata.namespace)) {
    if (controllerOf(object)?.uid === metadata.uid) found.push(object);
  }
  return found;
}

/** Metadata differs from group to group; the spec is one object for all, and its text is made once. */
function templateText(world: World, template: JsonObject): string {
  const known = world.memo.templateText.get(template);
  if (known !== undefined) return known;
  const spec = specOf(template);
  const specText = world.memo.specText.get(spec) ?? canonicalJson(spec);
  world.memo.specText.set(spec, specText);
  const fresh = `${canonicalJson(part(template, 'metadata'))}${specText}`;
  world.memo.templateText.set(template, fresh);
  return fresh;
}

function revisionText(world: World, revision: KubeObject): string {
  const data = part(revision, 'data');
  const known = world.memo.templateText.get(data);
  if (known !== undefined) return known;
  const fresh = templateText(world, templateOf(revision));
  world.memo.templateText.set(data, fresh);
  return fresh;
}

function number(revision: KubeObject): number {
  return count(revision['revision'], 0);
}
