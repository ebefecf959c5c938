/** The forms in which objects travel: single, in a list, as a row of a table, and as a Scale. */

import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { count, type KubeObject, specOf, statusOf, text } from '../../simulator/objects.ts';
import { apiVersionOf, type ResourceKind } from '../../simulator/resource-table.ts';
import { columnsOf } from './columns.ts';

export type ListMeta = {
  readonly resourceVersion: string;
  /** Empty on the last page. */
  readonly next: string;
  readonly remaining: number;
};

/** A list as the kind's own type. Items of built-in kinds say neither apiVersion nor kind. */
export function wireList(kind: ResourceKind, items: readonly KubeObject[], meta: ListMeta): JsonObject {
  return {
    kind: `${kind.kind}List`,
    apiVersion: apiVersionOf(kind),
    metadata: listMeta(meta),
    items: kind.custom ? items : items.map(withoutType),
  };
}

function withoutType(object: KubeObject): JsonObject {
  const { kind: _, apiVersion: __, ...rest } = object;
  return rest;
}

/** The same as a Table of the columns that the kind has: what `kubectl get` asks for. */
export function wireTable(
  kind: ResourceKind,
  items: readonly KubeObject[],
  { meta, nowSeconds }: { readonly meta: ListMeta; readonly nowSeconds: number },
): JsonObject {
  const columns = columnsOf(kind.kind);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: listMeta(meta),
    columnDefinitions: columns.map(({ name, type }) => ({
      name,
      type,
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: 0,
    })),
    rows: items.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, nowSeconds)),
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
    })),
  };
}

function listMeta({ resourceVersion, next, remaining }: ListMeta): JsonObject {
  return next === '' ? { resourceVersion } : { resourceVersion, continue: next, remainingItemCount: remaining };
}

/** The scale subresource of an object that has replicas. */
export function wireScale(object: KubeObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = text(statusOf(object)['hpaPodSelector']);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: count(specOf(object)['replicas'], 0) },
    status: { replicas: count(statusOf(object)['replicas'], 0), ...(selector === '' ? {} : { selector }) },
  };
}

/** True when the client prefers a Table to the objects themselves. */
export function wantsTable(accept: string): boolean {
  return accept.split(',').some((type) => /;\s*as=Table/.test(type));
}

/** The replicas that a Scale, or a patch of one, asks for; undefined where it names none. */
export function replicasOf(body: JsonObject): number | undefined {
  const spec = body['spec'];
  const replicas = isJsonObject(spec) ? spec['replicas'] : undefined;
  return typeof replicas === 'number' && Number.isInteger(replicas) ? replicas : undefined;
}
