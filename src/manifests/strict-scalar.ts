/** Reads single fields that decide how many groups restart: a plain decimal number, or nothing is done. */

import type { Issue } from '../api/issue.ts';
import type { FieldPath } from '../rollout/edits/edit.ts';
import type { ManifestDocument } from './parse-file.ts';
import { pathText } from './path-text.ts';
import { find, type SourceNode } from './source-tree.ts';
import { TEMPLATED_HINT } from './templated.ts';

export type StrictRead<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'missing' }
  | { readonly kind: 'wrong'; readonly issue: Issue };

/** The largest int32, which is what the Kubernetes API holds counts in. */
const MAX_INT32 = 2_147_483_647;

const INTEGER = /^(0|[1-9][0-9]{0,9})$/;
const PERCENT = /^(0|[1-9][0-9]{0,4})%$/;

/**
 * A count of zero or more, written as decimal digits without quotes. Everything that another reader of YAML could
 * take for another number (`012`, `1_0`, `0x1F`, `1e3`, `+1`), an alias, a merged or a templated value is wrong.
 */
export function strictInteger(document: ManifestDocument, path: FieldPath): StrictRead<number> {
  const read = strictScalar(document, path, 'a decimal integer, such as 3');
  if (read.kind !== 'ok') return read;
  const value = integerOf(read.value);
  return value === undefined
    ? wrongValue(document, path, read.value, 'a decimal integer, such as 3')
    : { kind: 'ok', value };
}

/** The same, or a percentage written `25%`, with or without quotes. */
export function strictIntOrPercent(document: ManifestDocument, path: FieldPath): StrictRead<number | string> {
  const wanted = 'a decimal integer, such as 3, or a percentage, such as 25%';
  const read = strictScalar(document, path, wanted);
  if (read.kind !== 'ok') return read;
  const { node } = read.value;
  if (node.kind === 'scalar' && typeof node.value === 'string' && node.style !== 'block' && PERCENT.test(node.value)) {
    return { kind: 'ok', value: node.value };
  }
  const value = integerOf(read.value);
  return value === undefined ? wrongValue(document, path, read.value, wanted) : { kind: 'ok', value };
}

type Field = { readonly node: SourceNode; readonly at: number };

function integerOf({ node }: Field): number | undefined {
  if (node.kind !== 'scalar' || node.style !== 'plain' || node.tagged || !INTEGER.test(node.source)) return undefined;
  const value = Number(node.source);
  return value <= MAX_INT32 ? value : undefined;
}

function strictScalar(document: ManifestDocument, path: FieldPath, wanted: string): StrictRead<Field> {
  const issue = fieldIssue(document, path);
  if (issue !== undefined) return { kind: 'wrong', issue };
  const found = find(document.root, path);
  if (found.kind !== 'found') return { kind: 'missing' };
  const { node } = found;
  const field = { node, at: node.start };
  if (node.kind === 'scalar' && node.style === 'empty') return wrongValue(document, path, field, wanted);
  const text = pathText(path);
  if (document.ambiguous.some((place) => place.path === text)) return wrongValue(document, path, field, wanted);
  return { kind: 'ok', value: field };
}

/**
 * Why a field has no one place in the text that could be read strictly or written: it is, lies behind, or is brought
 * in by an alias, a merge key or a template. Undefined where nothing is in the way, also when the field is missing.
 */
export function fieldIssue(document: ManifestDocument, path: FieldPath): Issue | undefined {
  const found = find(document.root, path);
  if (found.kind === 'missing') return undefined;
  if (found.kind === 'blocked') return obstacle(document, path, found.by);
  const { node } = found;
  return node.kind === 'alias' || node.kind === 'template' ? obstacle(document, path, node.kind) : undefined;
}

function obstacle(document: ManifestDocument, path: FieldPath, by: 'alias' | 'merge' | 'template'): Issue {
  const { kind, name } = document.object;
  const at = { file: document.file, line: document.lineOf(path), path: pathText(path) };
  if (by === 'template') {
    return {
      ...at,
      reason: 'TemplatedValue',
      message: `${kind} ${name}: ${pathText(path)} is filled in by a template ({{ }}); a plain value was wanted`,
      hint: TEMPLATED_HINT,
    };
  }
  const through = by === 'alias' ? 'an alias (*name)' : 'a merge key (<<)';
  return {
    ...at,
    reason: 'AliasInField',
    message: `${kind} ${name}: ${pathText(path)} comes from ${through}, so it has no place of its own to read or change`,
    hint: `Write ${pathText(path)} out at this place.`,
  };
}

function wrongValue(document: ManifestDocument, path: FieldPath, field: Field, wanted: string): StrictRead<never> {
  const { kind, name } = document.object;
  const text = pathText(path);
  const isLarge = isTooLarge(field);
  const what = isLarge ? `a number up to ${MAX_INT32}` : wanted;
  return {
    kind: 'wrong',
    issue: {
      file: document.file,
      line: document.lineOf(path),
      path: text,
      reason: 'NotAPlainNumber',
      message: `${kind} ${name}: ${text} is ${seen(document, field)}; ${what}, was wanted`,
      hint: isLarge
        ? 'Write a smaller one: Kubernetes takes none beyond.'
        : `Write ${text} as decimal digits without quotes; other spellings mean different numbers to different readers.`,
    },
  };
}

function isTooLarge({ node }: Field): boolean {
  return node.kind === 'scalar' && /^[1-9][0-9]{9,}$/.test(node.source) && Number(node.source) > MAX_INT32;
}

const MAX_SEEN_CHARACTERS = 40;

function seen(document: ManifestDocument, { node }: Field): string {
  if (node.kind === 'map') return 'a map';
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'scalar' && node.style === 'empty') return 'empty';
  return document.text.slice(node.start, Math.min(node.end, node.start + MAX_SEEN_CHARACTERS)).trim();
}
