/** The shape of the objects that the model keeps, and how their fields are read. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';

export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
  readonly blockOwnerDeletion: boolean;
};

export type StringMap = Readonly<Record<string, string>>;

export type ObjectMeta = {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
};

/** An object as the API server has it: immutable; a change is a new object that shares what stayed. */
export type KubeObject = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
};

/** An object before the store has given it a uid. */
export type NewObject = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: NewMeta;
};

type NewMeta = {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
};

const EMPTY: JsonObject = {};
const NO_STRINGS: StringMap = {};

/** The object at `key`, or an empty one: every part of an API object may be missing. */
export function part(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : EMPTY;
}

/** `spec`, empty where there is none. */
export function specOf(object: JsonObject): JsonObject {
  return part(object, 'spec');
}

/** `status`, empty where there is none. */
export function statusOf(object: JsonObject): JsonObject {
  return part(object, 'status');
}

/** A number, or `otherwise` where the field is none. */
export function count(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** A string, or `otherwise` where the field is none. */
export function text(value: Json | undefined, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

/** A list, empty where the field is none. */
export function items(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in a list. */
export function objects(value: Json | undefined): readonly JsonObject[] {
  return items(value).filter(isJsonObject);
}

/** The entries of a map of texts; whatever else is in it is left out. */
export function strings(value: Json | undefined): StringMap {
  if (!isJsonObject(value)) return NO_STRINGS;
  const map: Record<string, string> = {};
  for (const [key, entry] of Object.entries(value)) if (typeof entry === 'string') map[key] = entry;
  return map;
}

/** The labels of an object, empty where it has none. */
export function labelsOf(object: KubeObject): StringMap {
  return object.metadata.labels ?? NO_STRINGS;
}

/** The annotations of an object, empty where it has none. */
export function annotationsOf(object: KubeObject): StringMap {
  return object.metadata.annotations ?? NO_STRINGS;
}

/** The object has been deleted, and something still holds it. */
export function isDeleting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** The controlling owner of an object, if it has one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

/** A reference that makes `owner` the controller of an object, and holds its foreground deletion. */
export function ownerReference(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** A map without `undefined` values, undefined where nothing is left: empty maps are never stored. */
export function withoutEmpty<T>(map: Readonly<Record<string, T>>): Readonly<Record<string, T>> | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}
