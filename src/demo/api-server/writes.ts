/** Serves POST and PUT, on objects and on their status and scale. */

import { isJsonObject, type JsonObject } from '../../api/json.ts';
import type { ObjectKey } from '../../simulator/objects/shelves.ts';
import type { Answer, Store } from '../../simulator/server/store.ts';
import { withCheckedFields } from './field-validation.ts';
import { badRequest, ok, type Reply, unsupportedMediaType } from './reply.ts';
import { objectBody, objectFor } from './request-body.ts';
import type { ApiRequest, Target } from './route.ts';
import { replicasOf, wireScale } from './wire-object.ts';

const objectTypes = ['application/json', 'application/yaml'];

/** The store's answer as an HTTP reply. */
export function replyOf(answer: Answer, status = 200): Reply {
  return answer.ok ? { status, body: answer.object } : { status: answer.status.code, body: answer.status };
}

/** Who owns the fields of a write: as the client says, or its program's name. */
export function managerOf({ query, userAgent }: ApiRequest): string {
  return query.get('fieldManager') ?? userAgent.split('/')[0] ?? 'unknown';
}

/** The store's key of the object that the path names. */
export function keyOf({ resource, namespace, name }: Target): ObjectKey {
  return { resource, namespace, name };
}

/** POST to a collection. */
export function create(store: Store, target: Target, request: ApiRequest): Reply {
  if (!objectTypes.includes(request.contentType)) return unsupportedMediaType(objectTypes);
  const body = objectBody(request);
  if (body.kind === 'reply') return body.reply;
  const object = objectFor(target, body.value);
  if (object.kind === 'reply') return object.reply;
  const run = (): Reply => replyOf(store.create(target.resource, object.value, managerOf(request)), 201);
  return withCheckedFields(target, { request, object: object.value, run });
}

/** PUT of an object, its status or its scale. */
export function replace(store: Store, target: Target, request: ApiRequest): Reply {
  if (!objectTypes.includes(request.contentType)) return unsupportedMediaType(objectTypes);
  const body = objectBody(request);
  if (body.kind === 'reply') return body.reply;
  if (target.subresource === 'scale') return scaleTo(store, target, { body: body.value, manager: managerOf(request) });
  const object = objectFor(target, body.value);
  if (object.kind === 'reply') return object.reply;
  if (target.subresource === 'status') {
    const status = isJsonObject(body.value['status']) ? body.value['status'] : {};
    return replyOf(store.updateStatus(keyOf(target), status));
  }
  const run = (): Reply => replyOf(store.update(target.resource, object.value, managerOf(request)));
  return withCheckedFields(target, { request, object: object.value, run });
}

/** Sets the replicas of an object through its scale. */
export function scaleTo(
  store: Store,
  target: Target,
  { body, manager }: { readonly body: JsonObject; readonly manager: string },
): Reply {
  const replicas = replicasOf(body);
  if (replicas === undefined || replicas < 0)
    return badRequest('spec.replicas of a Scale must be an integer from 0 on');
  const answer = store.scale(keyOf(target), replicas, manager);
  return answer.ok ? ok(wireScale(answer.object)) : replyOf(answer);
}
