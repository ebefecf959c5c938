/** The forms in which objects travel: single, in a list, as a row of a table, and as a Scale. */

import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { count, type KubeObject, specOf, statusOf, text } from '../../simulator/objects/objects.ts';
import { apiVersionOf, type ResourceKind } from '../../simulator/objects/resource-table.ts';
import { columnsOf } from './columns.ts';
import type { ApiRequest } from './route.ts';

type ListMeta = {
  readonly resourceVersion: string;
  /** Empty on the last page. */
  readonly next: string;
  readonly remaining: number;
};

/** `object`: whole; `table`: as `kubectl get` prints it; `partial`: metadata only. */
type Form = {
  readonly as: 'object' | 'table' | 'partial';
  /** What a table's rows carry next to the cells (`includeObject`). */
  readonly rows: 'None' | 'Metadata' | 'Object';
};

/** The form that the client prefers: the first of its media types that is JSON. */
export function formOf({ accept, query }: Pick<ApiRequest, 'accept' | 'query'>): Form {
  const asked = query.get('includeObject');
  const rows = asked === 'None' || asked === 'Object' ? asked : 'Metadata';
  for (const type of accept.split(',')) {
    if (type.includes('protobuf') || type.includes('cbor')) continue;
    if (/;\s*as=Table/.test(type)) return { as: 'table', rows };
    if (/;\s*as=PartialObjectMetadata/.test(type)) return { as: 'partial', rows };
    if (/json|\*\/\*/.test(type)) return { as: 'object', rows };
  }
  return { as: 'object', rows };
}

type ListForm = { readonly meta: ListMeta; readonly nowSeconds: number; readonly form: Form };

/** A list, in the form that the client prefers. */
export function wireItems(kind: ResourceKind, items: readonly KubeObject[], list: ListForm): JsonObject {
  const { as } = list.form;
  if (as === 'table') return wireTable(kind, items, list);
  if (as === 'object') return wireList(kind, items, list.meta);
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata: listMeta(list.meta),
    items: items.map(partial),
  };
}

/** One object, in the form that the client prefers. */
export function wireOne(
  kind: ResourceKind,
  object: KubeObject,
  { nowSeconds, form }: Pick<ListForm, 'nowSeconds' | 'form'>,
): JsonObject {
  if (form.as === 'object') return object;
  if (form.as === 'partial') return partial(object);
  const meta = { resourceVersion: object.metadata.resourceVersion, next: '', remaining: 0 };
  return wireTable(kind, [object], { meta, nowSeconds, form });
}

function partial({ metadata }: KubeObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

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
function wireTable(kind: ResourceKind, items: readonly KubeObject[], { meta, nowSeconds, form }: ListForm): JsonObject {
  const columns = columnsOf(kind.kind);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: listMeta(meta),
    columnDefinitions: columns.map(({ name, type, wide }) => ({
      name,
      type,
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: wide === true ? 1 : 0,
    })),
    rows: items.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, nowSeconds)),
      ...(form.rows === 'None' ? {} : { object: form.rows === 'Object' ? object : partial(object) }),
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

/** The replicas that a Scale, or a patch of one, asks for; undefined where it names none. */
export function replicasOf(body: JsonObject): number | undefined {
  const spec = body['spec'];
  const replicas = isJsonObject(spec) ? spec['replicas'] : undefined;
  return typeof replicas === 'number' && Number.isInteger(replicas) ? replicas : undefined;
}
