/** Fields that a delivery has put aside in other objects than the user's LeaderWorkerSet, as the mark `restore` keeps them. */

import { ABSENT, type EditPath, type FieldValue, type ItemMatch, sameValue } from './field.ts';
import { isRecord } from './json.ts';

/** Put back only where the field still is `set`, which may be what it was: the user's weight may be the one of the step. */
export type Aside = {
  /** `HTTPRoute.gateway.networking.k8s.io/vllm`, `Service/vllm`: in the namespace of the LeaderWorkerSet. */
  readonly object: string;
  readonly path: EditPath;
  readonly was: FieldValue;
  readonly set: FieldValue;
};

/** How many fields one delivery puts aside, so deep in their objects, and how long are names and values at most. */
export const ASIDE_MOST = 50;
export const ASIDE_DEPTH_MOST = 16;
export const ASIDE_NAME_MOST = 253;
export const ASIDE_VALUE_MOST = 4096;

const OBJECT = /^[A-Z][A-Za-z0-9]{0,62}(\.[a-z0-9][a-z0-9.-]{0,252})?\/[a-z0-9][a-z0-9.-]{0,252}$/;
const KEYS = ['object', 'path', 'was', 'set'];

/** What `printAsides` has printed, strictly; undefined for anything else. A key that is missing is an absent field. */
export function parseAsides(value: unknown): readonly Aside[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > ASIDE_MOST) return undefined;
  const asides: Aside[] = [];
  for (const item of value) {
    const aside = parseAside(item);
    if (aside === undefined || asides.some((other) => keyOf(other) === keyOf(aside))) return undefined;
    asides.push(aside);
  }
  return asides.toSorted(byKey);
}

function parseAside(value: unknown): Aside | undefined {
  if (!isRecord(value) || Object.keys(value).some((key) => !KEYS.includes(key))) return undefined;
  const { object } = value;
  const path = parsePath(value['path']);
  const [was, set] = [parseValue(value['was']), parseValue(value['set'])];
  if (typeof object !== 'string' || !OBJECT.test(object)) return undefined;
  if (path === undefined || was === undefined || set === undefined) return undefined;
  if (sameValue(was, ABSENT) && sameValue(set, ABSENT)) return undefined;
  return { object, path, was, set };
}

function parsePath(value: unknown): EditPath | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > ASIDE_DEPTH_MOST) return undefined;
  const path: (string | ItemMatch)[] = [];
  for (const item of value) {
    const part = isName(item) ? item : parseMatch(item);
    if (part === undefined) return undefined;
    path.push(part);
  }
  return path;
}

/** `{"name":"vllm"}`: the item of a list with this name. */
function parseMatch(value: unknown): ItemMatch | undefined {
  const [only, ...others] = isRecord(value) ? Object.entries(value) : [];
  if (only === undefined || others.length > 0 || !isName(only[0])) return undefined;
  const match = parseValue(only[1]);
  return match === undefined || typeof match === 'object' ? undefined : { key: only[0], value: match };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= ASIDE_NAME_MOST;
}

function parseValue(value: unknown): FieldValue | undefined {
  if (value === undefined) return ABSENT;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined;
  return typeof value === 'string' && value.length <= ASIDE_VALUE_MOST ? value : undefined;
}

/** The fields as plain JSON, always in the same order. */
export function printAsides(asides: readonly Aside[]): unknown {
  return asides.toSorted(byKey).map(({ object, path, was, set }) => ({
    object,
    path: path.map((part) => (typeof part === 'string' ? part : { [part.key]: part.value })),
    was: typeof was === 'object' ? undefined : was,
    set: typeof set === 'object' ? undefined : set,
  }));
}

function byKey(left: Aside, right: Aside): number {
  const [one, other] = [keyOf(left), keyOf(right)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function keyOf({ object, path }: Aside): string {
  return JSON.stringify([object, path]);
}
