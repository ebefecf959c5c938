/** Writes a new map, list or scalar in the style of its surroundings. Never used for what is there already. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { keyToken, type Notation, wordToken } from './token.ts';

export type BlockStyle = {
  /** Columns from a key to the keys of the map below it. */
  readonly step: number;
  /** Columns from a key to the dashes of the list below it. */
  readonly dashStep: number;
  /** Columns from a dash to what it holds. */
  readonly dashWidth: number;
};

/** The lines of a value, the first at column 0. */
function blockLines(value: Json, style: BlockStyle): readonly string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item: Json) => itemLines(item, style));
  }
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, inner]) => entryLines(key, inner, style));
  }
  return [scalarOrEmpty(value, 'yaml')];
}

/** The lines of one item, with its dash. */
export function itemLines(item: Json, style: BlockStyle): readonly string[] {
  const [first = '', ...rest] = blockLines(item, style);
  return [`-${' '.repeat(style.dashWidth - 1)}${first}`, ...indented(rest, style.dashWidth)];
}

/** The lines of a key and what it holds. */
export function entryLines(key: string, value: Json, style: BlockStyle): readonly string[] {
  const token = keyToken(key, 'yaml');
  const lines = blockLines(value, style);
  if (isEmpty(value) || !isNested(value)) return [`${token}: ${lines.join('')}`];
  return [`${token}:`, ...indented(lines, Array.isArray(value) ? style.dashStep : style.step)];
}

/** The lines, each moved to the right. */
export function indented(lines: readonly string[], by: number): readonly string[] {
  return lines.map((line) => `${' '.repeat(by)}${line}`);
}

export type FlowStyle = {
  readonly notation: Notation;
  /** Between a comma or colon and what follows: a blank, or nothing. */
  readonly gap: string;
  /** Inside of braces: a blank, or nothing. */
  readonly padding: string;
  /** For JSON over several lines: the line break with the indentation of this level, and what each level adds. */
  readonly lines: { readonly start: string; readonly unit: string } | undefined;
};

/** A value in braces and brackets. */
export function flowText(value: Json, style: FlowStyle): string {
  if (!isNested(value) || isEmpty(value)) return scalarOrEmpty(value, style.notation);
  const { lines } = style;
  const inner = lines === undefined ? style : { ...style, lines: { ...lines, start: lines.start + lines.unit } };
  const members = Array.isArray(value)
    ? value.map((item: Json) => flowText(item, inner))
    : Object.entries(value).map(([key, item]) => flowEntry(key, item, inner));
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (lines !== undefined) {
    const start = `${lines.start}${lines.unit}`;
    return `${open}${start}${members.join(`,${start}`)}${lines.start}${close}`;
  }
  const padding = Array.isArray(value) ? '' : style.padding;
  return `${open}${padding}${members.join(`,${style.gap}`)}${padding}${close}`;
}

function flowEntry(key: string, value: Json, style: FlowStyle): string {
  const token = keyToken(key, style.notation);
  // Without quotes a key needs the blank, or `a:1` would be one word.
  return `${token}:${token.startsWith('"') ? style.gap : ' '}${flowText(value, style)}`;
}

function isNested(value: Json): value is JsonObject | readonly Json[] {
  return Array.isArray(value) || isJsonObject(value);
}

function isEmpty(value: Json): boolean {
  return isNested(value) && Object.keys(value).length === 0;
}

function scalarOrEmpty(value: Json, notation: Notation): string {
  if (Array.isArray(value)) return '[]';
  if (value === null) return 'null';
  return isJsonObject(value) || typeof value === 'object' ? '{}' : wordToken(value, notation);
}
