/** The CEL rules that the published CRDs of routes carry next to their schemas, evaluated as an API server does. */

import { readFileSync } from 'node:fs';
import { Environment } from '@marcbachmann/cel-js';
import { isJsonObject, type Json, type JsonObject } from '../../src/api/json.ts';

/** What `x-kubernetes-validations` say: each rule holds of every node at its places; `*` is any item or value. */
type Published = {
  readonly kind: string;
  readonly rules: readonly { readonly rule: string; readonly message: string; readonly at: readonly string[] }[];
};
type Holds = { readonly holds: (self: unknown) => boolean; readonly message: string; readonly at: readonly string[] };

/** Kinds whose CRDs have rules. That of Traefik has none, and Ingresses are built in. */
const RULED = ['HTTPRoute', 'GRPCRoute', 'VirtualService', 'DestinationRule', 'HTTPProxy'] as const;

/** What the library does not take, and the same in its words: `has` of an item of a list, and letters of either case. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/has\(([\w.]+\[\d+\])\.(\w+)\)/g, "('$2' in $1)"],
  [/(?<=\(\?i\).*)a-z/g, 'a-zA-Z'],
  [/\(\?i\)/g, ''],
];
const environment = new Environment({ unlistedVariablesAreDyn: true });
const rulesOf = new Map<unknown, readonly Holds[]>(RULED.map((kind) => [kind, published(kind).rules.map(compiled)]));

function published(kind: string): Published {
  return JSON.parse(readFileSync(new URL(`../../fixtures/crd-rules/${kind}.json`, import.meta.url), 'utf8'));
}

function compiled({ rule, message, at }: Published['rules'][number]): Holds {
  const program = environment.parse(SPELLINGS.reduce((text, [from, to]) => text.replace(from, to), rule));
  return { at, message: message === '' ? rule : message, holds: (self) => program({ self }) === true };
}

/** Words of the rules that an object with all defaults breaks, with their places; empty: the server takes it. */
export function brokenRules(object: JsonObject): readonly string[] {
  const value = celValue(object);
  return (rulesOf.get(object['kind']) ?? []).flatMap(({ holds, message, at: places }) =>
    places.flatMap((place) => {
      const nodes = nodesAt(value, place.split('/').slice(1));
      return nodes.every(holds) ? [] : [`${place}: ${message}`];
    }),
  );
}

function nodesAt(node: unknown, [first, ...rest]: readonly string[]): readonly unknown[] {
  if (node === undefined) return [];
  if (first === undefined) return [node];
  if (first === '*') {
    const all = Array.isArray(node) ? node : Object.values(isMap(node) ? node : {});
    return all.flatMap((one: unknown) => nodesAt(one, rest));
  }
  return isMap(node) ? nodesAt(node[first], rest) : [];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON as the rules see it: whole numbers are ints, and a key that is a word of CEL has another name. */
function celValue(value: Json): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key === 'namespace' ? '__namespace__' : key, celValue(one)]),
  );
}
