/** Serves DELETE, of one object and of a whole collection. */

import { isJsonObject, type JsonObject } from '../../api/json.ts';
import type { Propagation } from '../../simulator/objects/object-store.ts';
import { text } from '../../simulator/objects/objects.ts';
import type { Removal, Store } from '../../simulator/server/store.ts';
import { selectorOf } from './lists.ts';
import { badRequest, ok, type Reply } from './reply.ts';
import { type Or, objectBody, stop } from './request-body.ts';
import type { ApiRequest, Target } from './route.ts';
import { wireItems } from './wire-object.ts';
import { keyOf, replyOf } from './writes.ts';

const propagations: Readonly<Record<string, Propagation>> = {
  Background: 'Background',
  Foreground: 'Foreground',
  Orphan: 'Orphan',
};

/** DELETE of one object. It answers the object while finalizers or containers keep it, else that it is gone. */
export function remove(store: Store, target: Target, request: ApiRequest): Reply {
  const options = optionsOf(request);
  if (options.kind === 'reply') return options.reply;
  const answer = store.remove(keyOf(target), options.value);
  if (!answer.ok) return replyOf(answer);
  if (store.objects.get(keyOf(target)) !== undefined) return ok(answer.object);
  const { group, plural } = target.kind;
  const details = {
    name: target.name,
    ...(group === '' ? {} : { group }),
    kind: plural,
    uid: answer.object.metadata.uid,
  };
  return ok({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

/** DELETE of the objects of a collection that the selectors choose; it answers them as a list. */
export function removeAll(store: Store, target: Target, request: ApiRequest): Reply {
  const options = optionsOf(request);
  if (options.kind === 'reply') return options.reply;
  const selector = selectorOf(request.query);
  if (selector.kind === 'bad') return badRequest(selector.message);
  const { resource, namespace } = target;
  const chosen = store.objects.list(resource, namespace === '' ? undefined : namespace).filter(selector.matches);
  for (const { metadata } of chosen) store.remove({ ...metadata, resource }, options.value);
  const meta = { resourceVersion: String(store.objects.resourceVersion), next: '', remaining: 0 };
  const form = { as: 'object', rows: 'Metadata' } as const;
  return ok(wireItems(target.kind, chosen, { meta, nowSeconds: store.objects.nowSeconds, form }));
}

/** DeleteOptions, of the query and of the body; the old `orphanDependents` is one of the policies. */
function optionsOf(request: ApiRequest): Or<Removal> {
  const body = request.body === '' ? undefined : objectBody({ ...request, contentType: 'application/json' });
  if (body?.kind === 'reply') return body;
  const options: JsonObject = body?.value ?? {};
  const preconditions = isJsonObject(options['preconditions']) ? options['preconditions'] : {};
  const [uid, resourceVersion] = [text(preconditions['uid']), text(preconditions['resourceVersion'])];
  const usual = options['orphanDependents'] === true ? 'Orphan' : 'Background';
  const policy = request.query.get('propagationPolicy') ?? text(options['propagationPolicy'], usual);
  const propagation = propagations[policy];
  if (propagation === undefined) return stop(badRequest(`invalid propagationPolicy ${JSON.stringify(policy)}`));
  return {
    kind: 'value',
    value: { propagation, ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) },
  };
}
