/** An object on its way through a build, with the names that it has had: a patch may use any of them. */

import { at, isJsonObject, type Json, type JsonObject } from '../../../src/api/json.ts';

export type Id = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

export type Resource = {
  readonly value: JsonObject;
  /** Names that it had before the present one. */
  readonly past: readonly Id[];
  /** Its name gets a hash of its content at the very end. */
  readonly isHashed: boolean;
};

/** kustomize refuses these files. */
export class Refused extends Error {}

/** Nobody has taught the model this: a world that plays it proves nothing. */
export class NotModelled extends Error {}

export function textAt(value: Json | undefined, path: readonly string[]): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}

export function listAt(value: Json | undefined, path: readonly string[]): readonly Json[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}

export function mapAt(value: Json | undefined, path: readonly string[]): JsonObject {
  const found = at(value, path);
  return isJsonObject(found) ? found : {};
}

export function idOf(value: JsonObject): Id {
  return {
    apiVersion: textAt(value, ['apiVersion']),
    kind: textAt(value, ['kind']),
    namespace: textAt(value, ['metadata', 'namespace']),
    name: textAt(value, ['metadata', 'name']),
  };
}

/** No namespace is the one called `default`. */
export function isSame(one: Id, other: Id): boolean {
  const [left, right] = [one.namespace || 'default', other.namespace || 'default'];
  return one.apiVersion === other.apiVersion && one.kind === other.kind && one.name === other.name && left === right;
}

/** The present name and all before it. */
export function idsOf({ value, past }: Resource): readonly Id[] {
  return [...past, idOf(value)];
}

/** The same object under other names, or with other labels. */
export function withMetadata({ value, past, isHashed }: Resource, metadata: JsonObject): Resource {
  const before = idOf(value);
  const now = { ...value, metadata: { ...mapAt(value, ['metadata']), ...metadata } };
  return { value: now, past: isSame(before, idOf(now)) ? past : [...past, before], isHashed };
}
