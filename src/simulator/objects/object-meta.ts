/** The part of metadata that writers may set; the rest belongs to the API server. */

import { isJsonObject, type Json } from '../../api/json.ts';
import { type ObjectMeta, type OwnerReference, objects, strings, text, withoutEmpty } from './objects.ts';

export type KeptMeta = Omit<
  ObjectMeta,
  'name' | 'namespace' | 'uid' | 'resourceVersion' | 'creationTimestamp' | 'generation'
>;

/** What of `raw` metadata is kept. Marks of deletion are not the writer's: they come from `before`. */
export function keptMeta(raw: Json | undefined, before: ObjectMeta | undefined): KeptMeta {
  const meta = isJsonObject(raw) ? raw : {};
  const sameLabels = before?.labels !== undefined && meta['labels'] === before.labels;
  const labels = sameLabels ? before.labels : withoutEmpty(strings(meta['labels']));
  const sameAnnotations = before?.annotations !== undefined && meta['annotations'] === before.annotations;
  const annotations = sameAnnotations ? before.annotations : withoutEmpty(strings(meta['annotations']));
  const owners = Array.isArray(meta['ownerReferences']) ? ownerReferences(meta['ownerReferences']) : [];
  const finalizers = Array.isArray(meta['finalizers']) ? meta['finalizers'].map((name) => text(name)) : [];
  const generateName = text(meta['generateName']);
  return {
    ...(generateName === '' ? {} : { generateName }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(owners.length === 0 ? {} : { ownerReferences: owners }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
    ...(before?.deletionTimestamp === undefined ? {} : { deletionTimestamp: before.deletionTimestamp }),
    ...(before?.deletionGracePeriodSeconds === undefined
      ? {}
      : { deletionGracePeriodSeconds: before.deletionGracePeriodSeconds }),
  };
}

function ownerReferences(raw: Json): readonly OwnerReference[] {
  return objects(raw).map((owner) => ({
    apiVersion: text(owner['apiVersion']),
    kind: text(owner['kind']),
    name: text(owner['name']),
    uid: text(owner['uid']),
    controller: owner['controller'] === true,
    blockOwnerDeletion: owner['blockOwnerDeletion'] === true,
  }));
}
