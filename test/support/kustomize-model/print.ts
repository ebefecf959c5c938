/** Prints objects in the form of kustomize: keys in the first column, documents apart by `---`. */

import { isJsonObject, type Json, type JsonObject } from '../../../src/api/json.ts';

export function printed(objects: readonly JsonObject[]): string {
  return objects.map((object) => lines(object, 0).join('\n')).join('\n---\n') + (objects.length === 0 ? '' : '\n');
}

/** The template comes last, as in people's files. */
const LAST = 'leaderWorkerTemplate';

function lines(value: JsonObject, depth: number): readonly string[] {
  const keys = Object.keys(value).sort((a, b) => (a === LAST ? 1 : b === LAST ? -1 : a < b ? -1 : 1));
  const indent = ' '.repeat(depth);
  return keys.flatMap((key) => {
    const inner = value[key] ?? null;
    const name = /^[\w./-]+$/.test(key) && !/^[\d.]/.test(key) ? key : JSON.stringify(key);
    if (isJsonObject(inner) && Object.keys(inner).length > 0) return [`${indent}${name}:`, ...lines(inner, depth + 2)];
    if (Array.isArray(inner) && inner.length > 0) return [`${indent}${name}:`, ...items(inner, depth)];
    return [`${indent}${name}: ${scalar(inner)}`];
  });
}

function items(list: readonly Json[], depth: number): readonly string[] {
  const indent = ' '.repeat(depth);
  return list.flatMap((item) => {
    if (!isJsonObject(item) || Object.keys(item).length === 0) return [`${indent}- ${scalar(item)}`];
    const [first = '', ...rest] = lines(item, depth + 2);
    return [`${indent}- ${first.trimStart()}`, ...rest];
  });
}

const WORD = /^[A-Z][A-Za-z]+$/;

function scalar(value: Json): string {
  if (typeof value !== 'string' || /[\n\t\\]/.test(value)) return JSON.stringify(value);
  if (WORD.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value)) return value;
  return value.includes('"') ? `'${value.replaceAll("'", "''")}'` : `"${value}"`;
}
