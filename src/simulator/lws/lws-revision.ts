/** The ControllerRevisions of an LWS: what counts as a change of the template, and under which key it is kept. */

import { canonicalJson, type JsonObject } from '../../api/json.ts';
import { LWS_NAME, REVISION_KEY, revisionKeyOf } from '../objects/labels.ts';
import { controllerOf, count, type KubeObject, ownerReference, part } from '../objects/objects.ts';
import { withCanonicalQuantities } from '../objects/quantity.ts';
import { CONTROLLER_REVISIONS } from '../objects/resource-table.ts';
import { fnv1, hashKey } from '../objects/text-hash.ts';
import type { World } from '../world.ts';
import type { LwsView } from './lws-view.ts';

/** One of the ControllerRevisions that belong to the LWS: key and content of a template. */
export type LwsRevision = { readonly object: KubeObject; readonly key: string; readonly content: string };

/** The newest revision with this key: the same template again gets the same key and a higher number. */
export function revisionWithKey(world: World, lws: LwsView, key: string): LwsRevision | undefined {
  let found: KubeObject | undefined;
  for (const object of revisionsOf(world, lws)) {
    if (revisionKeyOf(object) === key && number(object) > (found === undefined ? 0 : number(found))) found = object;
  }
  return found === undefined ? undefined : { object: found, key, content: contentOfRevision(world, found) };
}

/** Canonical text of what makes a revision: leaderWorkerTemplate and networkConfig, quantities normalised. */
export function contentOf(world: World, lws: LwsView): string {
  const known = world.memo.revisionText.get(lws.template);
  const text = known ?? canonicalJson(withCanonicalQuantities(lws.template));
  if (known === undefined) world.memo.revisionText.set(lws.template, text);
  return `${text}${canonicalJson(lws.networkConfig)}`;
}

/** Makes a revision of the live template; `key` where the StatefulSet has one already, else the hash of the content. */
export function createRevision(world: World, lws: LwsView, key: string | undefined): LwsRevision {
  const content = contentOf(world, lws);
  const revisionKey = key ?? hashKey(fnv1(content));
  const revision = Math.max(0, ...revisionsOf(world, lws).map(number)) + 1;
  const data = {
    spec: {
      leaderWorkerTemplate: { ...lws.template, $patch: 'replace' },
      networkConfig: { ...lws.networkConfig, $patch: 'replace' },
    },
  };
  world.memo.revisionText.set(data, content);
  const object = world.objects.add(CONTROLLER_REVISIONS, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${lws.name}-${revisionKey}-${revision}`,
      namespace: lws.namespace,
      labels: { [LWS_NAME]: lws.name, [REVISION_KEY]: revisionKey },
      ownerReferences: [ownerReference(lws.object)],
    },
    data,
    revision,
  });
  world.record({
    reason: 'CreatingRevision',
    note: `Creating revision with key ${revisionKey}`,
    type: 'Normal',
    regarding: lws.object,
  });
  return { object, key: revisionKey, content };
}

/** Once every group is on it and P is 0, only the present key is kept. */
export function truncateRevisions(world: World, lws: LwsView, key: string): void {
  for (const object of revisionsOf(world, lws)) {
    if (revisionKeyOf(object) !== key) world.objects.remove(CONTROLLER_REVISIONS, object, 'Background');
  }
}

/** The template and network of a revision, without the marks of a strategic merge patch. */
export function revisionTemplate(revision: KubeObject): JsonObject {
  const { $patch: _, ...template } = part(part(part(revision, 'data'), 'spec'), 'leaderWorkerTemplate');
  return template;
}

function contentOfRevision(world: World, revision: KubeObject): string {
  const data = part(revision, 'data');
  const known = world.memo.revisionText.get(data);
  if (known !== undefined) return known;
  const { $patch: _, ...network } = part(part(data, 'spec'), 'networkConfig');
  const text = `${canonicalJson(withCanonicalQuantities(revisionTemplate(revision)))}${canonicalJson(network)}`;
  world.memo.revisionText.set(data, text);
  return text;
}

function revisionsOf(world: World, { namespace, uid }: LwsView): readonly KubeObject[] {
  const found: KubeObject[] = [];
  for (const object of world.objects.unordered(CONTROLLER_REVISIONS, namespace)) {
    if (controllerOf(object)?.uid === uid) found.push(object);
  }
  return found;
}

function number(revision: KubeObject): number {
  return count(revision['revision'], 0);
}
