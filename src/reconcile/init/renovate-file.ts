/** A configuration of Renovate as its bytes have it: what it says, on which lines, and with one more rule at its end. */

import { at, isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { parseDocumentText } from '../../manifests/parse-document.ts';
import { find, type SourceMap, type SourceNode } from '../../manifests/source-tree.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';

/** Where Renovate looks, in its order: the first that is there counts, `package.json` only with a `renovate` in it. */
export const RENOVATE_FILES = [
  'renovate.json',
  'renovate.json5',
  '.github/renovate.json',
  '.github/renovate.json5',
  '.gitlab/renovate.json',
  '.gitlab/renovate.json5',
  '.renovaterc',
  '.renovaterc.json',
  '.renovaterc.json5',
  'package.json',
] as const;

export type RenovateFile = {
  readonly file: string;
  readonly text: string;
  readonly config: JsonObject;
  readonly lineOf: (path: FieldPath) => number;
  /** The text with this as the last of `packageRules`, which counts before all others; undefined: it has no place for it. */
  readonly withRule: (rule: string) => string | undefined;
};

/** undefined: nothing in it is Renovate's, or it cannot be read. */
export function readRenovate(file: string, text: string): RenovateFile | undefined {
  const parsed = parseDocumentText({ file, text: withoutComments(text), firstLine: 1, doubt: undefined });
  if (parsed.kind === 'wrong') return undefined;
  const prefix = file === 'package.json' ? ['renovate'] : [];
  const config: Json | undefined = at(parsed.value, prefix);
  const found = find(parsed.root, prefix);
  if (!isJsonObject(config) || found.kind !== 'found' || found.node.kind !== 'map' || !found.node.flow)
    return undefined;
  const root = found.node;
  return {
    file,
    text,
    config,
    lineOf: (path) => {
      const place = find(root, path);
      return parsed.lineAt(place.kind === 'found' ? (place.entry?.keyStart ?? place.node.start) : root.start);
    },
    withRule: (rule) => ruleAdded(text, root, rule),
  };
}

/** A comment of JSON5 becomes spaces, and a tab as well, so that every place stays where it is and a reader of YAML takes it. */
function withoutComments(text: string): string {
  const tokens = /"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|\t/g;
  return text.replace(tokens, (token) => (/^[/\t]/.test(token) ? token.replaceAll(/[^\n]/g, ' ') : token));
}

function ruleAdded(text: string, root: SourceMap, rule: string): string | undefined {
  const rules = find(root, ['packageRules']);
  const added = (end: number, insertion: string): string => text.slice(0, end) + insertion + text.slice(end);
  if (rules.kind === 'found') {
    const { node } = rules;
    if (node.kind !== 'list' || !node.flow) return undefined;
    const last: SourceNode | undefined = node.items.at(-1);
    return last === undefined ? added(node.start + 1, rule) : added(last.end, `,${lead(text, last.start)}${rule}`);
  }
  const last = root.entries.at(-1);
  if (rules.kind === 'blocked') return undefined;
  if (last === undefined) return added(root.start + 1, `"packageRules": [${rule}]`);
  return added(last.value.end, `,${lead(text, last.keyStart)}"packageRules": [${rule}]`);
}

/** What parts a thing from the one before it: its own line with its indentation, or a space where it stands on a shared one. */
function lead(text: string, start: number): string {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  return /^\s*$/.test(line) && text.lastIndexOf('\n', start - 1) >= 0 ? `\n${line}` : ' ';
}
