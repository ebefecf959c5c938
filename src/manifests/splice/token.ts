/** Writes keys and scalar values as YAML or JSON tokens that every reader takes for the same text. */

import type { Json } from '../../api/json.ts';
import { readPlain } from '../kubernetes-scalar.ts';
import type { ScalarStyle } from '../source-tree.ts';

type TokenValue = string | number | boolean | null;
export type Notation = 'yaml' | 'json';

/** Characters that YAML 1.1 takes for line breaks or refuses unescaped, though JSON allows them in strings. */
const TO_ESCAPE = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;
const SAFE_KEY = /^[A-Za-z_][A-Za-z0-9_./-]*$/;

/**
 * A value as a token. A string keeps the quotes of the token it replaces; a new one gets double quotes, or single
 * ones where it holds double quotes itself, as JSON in an annotation does. Numbers and booleans are never quoted.
 */
export function valueToken(value: TokenValue, notation: Notation, replaces: ScalarStyle): string {
  if (typeof value !== 'string') return String(value);
  if (notation === 'json' || !isPrintable(value)) return doubleQuoted(value);
  if (replaces === 'single' || (replaces !== 'double' && /["\\]/.test(value)))
    return `'${value.replaceAll("'", "''")}'`;
  return doubleQuoted(value);
}

/** A key as a token: without quotes where no reader could take it for anything but this text. */
export function keyToken(key: string, notation: Notation): string {
  return notation === 'yaml' && isPlain(key) ? key : doubleQuoted(key);
}

/** A value of a new map or list as a token: a word without quotes where no reader could take it for anything else. */
export function wordToken(value: TokenValue, notation: Notation): string {
  return typeof value === 'string' && notation === 'yaml' && isPlain(value)
    ? value
    : valueToken(value, notation, 'empty');
}

function isPlain(text: string): boolean {
  return SAFE_KEY.test(text) && readPlain(text, text).value === text;
}

/** Any value as JSON on one line, which every reader of YAML takes for the same. */
export function jsonToken(value: Json): string {
  return escaped(JSON.stringify(value));
}

function isPrintable(value: string): boolean {
  return /^[\u0020-\u007E\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]*$/.test(value);
}

function doubleQuoted(value: string): string {
  return escaped(JSON.stringify(value));
}

function escaped(json: string): string {
  return json.replace(TO_ESCAPE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
