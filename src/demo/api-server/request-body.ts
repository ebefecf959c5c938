/** Turns the body of a write into an object of the resource that its path names, or a refusal. */

import { parse } from 'yaml';
import { isBoundedJson } from '../../api/bounded-json.ts';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { keptMeta } from '../../simulator/objects/object-meta.ts';
import { type NewObject, text } from '../../simulator/objects/objects.ts';
import { apiVersionOf } from '../../simulator/objects/resource-table.ts';
import { badRequest, type Reply } from './reply.ts';
import type { ApiRequest, Target } from './route.ts';

/** A value, or the reply that refuses the request. */
export type Or<T> = { readonly kind: 'value'; readonly value: T } | { readonly kind: 'reply'; readonly reply: Reply };

/** Stops with this reply. */
export function stop(reply: Reply): Or<never> {
  return { kind: 'reply', reply };
}

const yamlTypes = ['application/apply-patch+yaml', 'application/yaml'];

/** The body as plain JSON, from JSON or, where the media type says so, from YAML without custom tags. */
export function bodyOf({ body, contentType }: ApiRequest): Or<JsonObject | readonly JsonObject[]> {
  let value: unknown;
  try {
    value = yamlTypes.includes(contentType) ? parse(body, { maxAliasCount: 0 }) : JSON.parse(body);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unreadable';
    return stop(badRequest(`error decoding patch: ${why}`));
  }
  if (!isBoundedJson(value)) return stop(badRequest('the body is too large or no JSON'));
  if (isJsonObject(value)) return { kind: 'value', value };
  if (Array.isArray(value) && value.every(isJsonObject)) return { kind: 'value', value: value.filter(isJsonObject) };
  return stop(badRequest('the body is no object'));
}

/** The same, where only one object will do. */
export function objectBody(request: ApiRequest): Or<JsonObject> {
  const body = bodyOf(request);
  if (body.kind === 'reply') return body;
  return isJsonObject(body.value) ? { kind: 'value', value: body.value } : stop(badRequest('the body is no object'));
}

/** A whole object that fits to its path: same group, version, kind, namespace and name. */
export function objectFor(target: Target, body: JsonObject): Or<NewObject> {
  const apiVersion = apiVersionOf(target.kind);
  const { kind } = target.kind;
  if (body['apiVersion'] !== apiVersion || body['kind'] !== kind) {
    const got = `${text(body['apiVersion'], '?')}, ${text(body['kind'], '?')}`;
    return stop(badRequest(`the object in the data (${got}) is not of the expected kind (${apiVersion}, ${kind})`));
  }
  const raw = isJsonObject(body['metadata']) ? body['metadata'] : {};
  const namespace = text(raw['namespace'], target.namespace);
  if (namespace !== target.namespace) {
    return stop(badRequest('the namespace of the provided object does not match the namespace sent on the request'));
  }
  const name = text(raw['name'], target.name);
  if (name === '') return stop(badRequest('name is required'));
  if (target.name !== '' && name !== target.name) {
    return stop(badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`));
  }
  const metadata = { ...keptMeta(raw, undefined), name, namespace, resourceVersion: text(raw['resourceVersion']) };
  return { kind: 'value', value: { ...body, apiVersion, kind, metadata } };
}
