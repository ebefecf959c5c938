/** Serves PATCH: server-side apply, JSON merge patch, JSON patch, and strategic merge patch of built-in kinds. */

import { applyPatch, type Operation } from 'fast-json-patch';
import { isBoundedJson } from '../../api/bounded-json.ts';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { mergePatch } from '../../simulator/objects/object-edit.ts';
import type { KubeObject } from '../../simulator/objects/objects.ts';
import { notFound } from '../../simulator/objects/status-body.ts';
import type { Store } from '../../simulator/server/store.ts';
import { withCheckedFields } from './field-validation.ts';
import { badRequest, type Reply, statusReply, unsupportedMediaType } from './reply.ts';
import { bodyOf, objectBody, objectFor } from './request-body.ts';
import type { ApiRequest, Target } from './route.ts';
import { mergePatchOf } from './strategic-merge.ts';
import { keyOf, managerOf, replyOf, scaleTo } from './writes.ts';

type Patch = (store: Store, target: Target, request: ApiRequest) => Reply;

const patches: Readonly<Record<string, Patch>> = {
  'application/json-patch+json': jsonPatch,
  'application/merge-patch+json': merge,
  'application/apply-patch+yaml': apply,
};

const STRATEGIC = 'application/strategic-merge-patch+json';

/** PATCH of an object, its status or its scale. Custom resources take no strategic merge patch, as in Kubernetes. */
export function patch(store: Store, target: Target, request: ApiRequest): Reply {
  const taken = target.kind.custom ? patches : { ...patches, [STRATEGIC]: merge };
  const one = Object.hasOwn(taken, request.contentType) ? taken[request.contentType] : undefined;
  return one === undefined ? unsupportedMediaType(Object.keys(taken)) : one(store, target, request);
}

function apply(store: Store, target: Target, request: ApiRequest): Reply {
  const manager = request.query.get('fieldManager') ?? '';
  if (manager === '') {
    const message = 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch';
    return statusReply(422, { message, reason: 'Invalid', details: { group: 'meta.k8s.io', kind: 'PatchOptions' } });
  }
  if (target.subresource !== '') return badRequest('apply is only served for whole objects');
  const body = objectBody(request);
  if (body.kind === 'reply') return body.reply;
  const object = objectFor(target, body.value);
  if (object.kind === 'reply') return object.reply;
  const existed = store.objects.get(keyOf(target)) !== undefined;
  const force = request.query.get('force') === 'true';
  const run = (): Reply => replyOf(store.apply(target.resource, object.value, { manager, force }), existed ? 200 : 201);
  return withCheckedFields(target, { request, object: object.value, run });
}

function merge(store: Store, target: Target, request: ApiRequest): Reply {
  const body = objectBody(request);
  if (body.kind === 'reply') return body.reply;
  const manager = managerOf(request);
  if (target.subresource === 'scale') return scaleTo(store, target, { body: body.value, manager });
  const before = store.objects.get(keyOf(target));
  if (before === undefined) return missing(target);
  const change = request.contentType === STRATEGIC ? mergePatchOf(before, body.value) : body.value;
  if (target.subresource === '') {
    const merged = mergePatch(before, change);
    const run = (): Reply => replyOf(store.patch(keyOf(target), change, manager));
    return withCheckedFields(target, { request, object: isJsonObject(merged) ? merged : before, run });
  }
  const status = mergePatch(before['status'], change['status'] ?? {});
  return replyOf(store.updateStatus(keyOf(target), isJsonObject(status) ? status : {}));
}

function jsonPatch(store: Store, target: Target, request: ApiRequest): Reply {
  const body = bodyOf(request);
  if (body.kind === 'reply') return body.reply;
  const operations = isJsonObject(body.value) ? undefined : operationsOf(body.value);
  if (operations === undefined) return badRequest('error decoding patch: a JSON patch is a list of operations');
  const before = store.objects.get(keyOf(target));
  if (before === undefined) return missing(target);
  const after = patched(before, operations);
  if (after === undefined) {
    const message = 'the server rejected our request due to an error in our request';
    return statusReply(422, { message, reason: 'Invalid', details: {} });
  }
  const manager = managerOf(request);
  if (target.subresource === 'scale') return scaleTo(store, target, { body: after, manager });
  if (target.subresource === 'status') {
    const status = isJsonObject(after['status']) ? after['status'] : {};
    return replyOf(store.updateStatus(keyOf(target), status));
  }
  const object = objectFor(target, after);
  if (object.kind === 'reply') return object.reply;
  const run = (): Reply => replyOf(store.update(target.resource, object.value, manager));
  return withCheckedFields(target, { request, object: object.value, run });
}

/** The object after all operations; undefined where one fails: then none counts. */
function patched(before: KubeObject, operations: readonly Operation[]): JsonObject | undefined {
  try {
    // On a deep copy: objects of the store are immutable.
    const after: unknown = applyPatch<unknown>(structuredClone(before), operations, true).newDocument;
    return isBoundedJson(after) && isJsonObject(after) ? after : undefined;
  } catch {
    return undefined;
  }
}

function operationsOf(list: readonly JsonObject[]): readonly Operation[] | undefined {
  const operations = list.map(operationOf);
  return operations.every((one) => one !== undefined) ? operations : undefined;
}

function operationOf({ op, path, from, value = null }: JsonObject): Operation | undefined {
  if (typeof path !== 'string') return undefined;
  if (op === 'remove') return { op, path };
  if (op === 'add' || op === 'replace' || op === 'test') return { op, path, value };
  if ((op === 'move' || op === 'copy') && typeof from === 'string') return { op, path, from };
  return undefined;
}

function missing(target: Target): Reply {
  const status = notFound({ resource: target.resource, name: target.name });
  return { status: status.code, body: status };
}
