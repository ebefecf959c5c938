/** Patches of one object: strategic merge as of a kind without a schema, and JSON 6902. */

import { isJsonObject, type Json, type JsonObject } from '../../../src/api/json.ts';
import { NotModelled, Refused, textAt } from './resource.ts';

/** Maps are merged, lists and scalars replaced; null takes a key out. undefined: the patch deletes all of it. */
export function merged(base: JsonObject, patch: JsonObject): JsonObject | undefined {
  const directive = patch['$patch'];
  if (directive === 'delete') return undefined;
  if (directive === 'replace') return withoutDirective(patch);
  if (directive !== undefined && directive !== 'merge') throw new NotModelled(`$patch: ${JSON.stringify(directive)}`);
  const result: Record<string, Json> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (key === '$patch') continue;
    const there = base[key];
    if (value === null) delete result[key];
    else if (!isJsonObject(value)) result[key] = value;
    else {
      const inner = merged(isJsonObject(there) ? there : {}, value);
      if (inner === undefined) delete result[key];
      else result[key] = inner;
    }
  }
  return result;
}

function withoutDirective({ $patch: _replace, ...rest }: JsonObject): JsonObject {
  return rest;
}

type Operation = { readonly op: string; readonly path: readonly string[]; readonly value: Json | undefined };

/** The operations in their order. */
export function changed(base: JsonObject, operations: readonly Json[]): JsonObject {
  let value: Json = base;
  for (const one of operations) {
    const path = textAt(one, ['path'])
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    value = after(value, { op: textAt(one, ['op']), path, value: isJsonObject(one) ? one['value'] : undefined });
  }
  if (!isJsonObject(value)) throw new Refused('a patch leaves no object');
  return value;
}

function after(base: Json, { op, path, value }: Operation): Json {
  const [key, ...rest] = path;
  if (key === undefined) throw new NotModelled('a patch of the whole object');
  if (rest.length > 0) {
    const inner = Array.isArray(base) ? base[Number(key)] : isJsonObject(base) ? base[key] : undefined;
    if (inner === undefined) throw new Refused(`${op} operation does not apply: nothing is at ${path.join('/')}`);
    return replaced(base, key, after(inner, { op, path: rest, value }));
  }
  if (op === 'remove') return removed(base, key);
  if (value === undefined || (op !== 'add' && op !== 'replace')) throw new NotModelled(`a patch with ${op}`);
  if (op === 'replace' && !has(base, key)) throw new Refused(`replace operation does not apply: ${key} is missing`);
  if (op === 'add' && Array.isArray(base)) {
    const place = key === '-' ? base.length : Number(key);
    if (place > base.length) throw new Refused(`add operation does not apply: ${key} is no place`);
    return [...base.slice(0, place), value, ...base.slice(place)];
  }
  return replaced(base, key, value);
}

function has(base: Json, key: string): boolean {
  return Array.isArray(base) ? base[Number(key)] !== undefined : isJsonObject(base) && Object.hasOwn(base, key);
}

function replaced(base: Json, key: string, value: Json): Json {
  if (Array.isArray(base)) return base.map((one, place) => (place === Number(key) ? value : one));
  return isJsonObject(base) ? { ...base, [key]: value } : base;
}

function removed(base: Json, key: string): Json {
  if (!has(base, key)) throw new Refused(`remove operation does not apply: ${key} is missing`);
  if (Array.isArray(base)) return base.filter((_, place) => place !== Number(key));
  return Object.fromEntries(Object.entries(base ?? {}).filter(([name]) => name !== key));
}
