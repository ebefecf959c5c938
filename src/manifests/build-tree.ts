/** Turns the yaml library's nodes into our source tree, and refuses what nobody should read twice. */

import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { readPlain, type ScalarValue } from './kubernetes-scalar.ts';
import { MAX_DEPTH, MAX_NODES } from './limits.ts';
import { pathText } from './path-text.ts';
import type { ScalarStyle, SourceEntry, SourceMap, SourceNode } from './source-tree.ts';

/** A fault at an offset of the document; the caller knows file and line. */
export type Fault = {
  readonly at: number;
  readonly path: string;
  readonly reason: string;
  readonly message: string;
  readonly hint: string;
  /** A second place that belongs to the fault, such as the first of two equal keys. */
  readonly other?: number;
};

/** What one walk over a document collects; made again for each document. */
type Walk = {
  readonly text: string;
  readonly anchors: Map<string, SourceNode>;
  readonly faults: Fault[];
  readonly twice: Fault[];
  readonly path: string[];
  nodes: number;
};

type YamlNode = Alias | Scalar | YAMLMap | YAMLSeq;
type Place = Pick<SourceNode, 'start' | 'end' | 'anchor'>;

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const NO_KEYS: ReadonlySet<string> = new Set();
const STRING_TAGS: ReadonlySet<string> = new Set(['!', '!!str', 'tag:yaml.org,2002:str']);

type Built = {
  readonly root: SourceNode;
  readonly faults: readonly Fault[];
  /** Keys, but for merges, that stand in one map twice: the tree has each, and the last counts, as for Kubernetes. */
  readonly twice: readonly Fault[];
  readonly nodes: number;
};

/** The tree of a parsed document. Stops at the first limit that is exceeded and says which; collects other faults. */
export function buildTree(text: string, contents: unknown): Built {
  const walk: Walk = { text, anchors: new Map(), faults: [], twice: [], path: [], nodes: 0 };
  const root = build(walk, contents, 0);
  if (walk.nodes > MAX_NODES) limitFault(walk, root.start);
  return { root, faults: walk.faults, twice: walk.twice, nodes: walk.nodes };
}

/** Names are set when their node is complete, so an alias inside its own anchor has no target: no cycles. */
function build(walk: Walk, node: unknown, fallback: number): SourceNode {
  // Inside of the node the name is the node's already: an earlier one of that name is not meant any more.
  if (isYamlNode(node) && node.anchor !== undefined) walk.anchors.delete(node.anchor);
  const made = buildBare(walk, node, fallback);
  if (made.anchor !== undefined) walk.anchors.set(made.anchor, made);
  return made;
}

function buildBare(walk: Walk, node: unknown, fallback: number): SourceNode {
  const nothing = emptyAt(fallback);
  if (!isYamlNode(node)) return nothing;
  const [start, end] = node.range ?? [fallback, fallback];
  const place = { start, end, anchor: node.anchor };
  walk.nodes += 1;
  if (walk.nodes > MAX_NODES || walk.path.length > MAX_DEPTH) {
    limitFault(walk, start);
    return nothing;
  }
  if (isAlias(node)) {
    return { kind: 'alias', ...place, name: node.source, target: walk.anchors.get(node.source) };
  }
  if (isScalar(node)) return scalar(walk, node, place);
  if (isTemplate(walk.text, node, place)) return { kind: 'template', ...place, source: walk.text.slice(start, end) };
  if (isMap(node)) return map(walk, node, place);
  const items = node.items.map((item, at) => {
    walk.path.push(String(at));
    const built = build(walk, item, end);
    walk.path.pop();
    return built;
  });
  return { kind: 'list', ...place, flow: node.flow === true, items };
}

function limitFault(walk: Walk, at: number): void {
  const tooDeep = walk.path.length > MAX_DEPTH;
  const reason = tooDeep ? 'TooDeep' : 'TooManyNodes';
  if (walk.faults.some((fault) => fault.reason === reason)) return;
  const message = tooDeep
    ? `maps and lists lie more than ${MAX_DEPTH} levels deep, the limit`
    : `the document has more than ${MAX_NODES} values, the limit`;
  walk.faults.push({
    at,
    path: '',
    reason,
    message,
    hint: 'Split the document, or keep it out of the configured paths.',
  });
}

function map(walk: Walk, node: YAMLMap, place: Place): SourceMap {
  const entries: SourceEntry[] = [];
  const seen = new Map<string, number>();
  const mergedKeys = new Set<string>();
  for (const pair of node.items) {
    if (walk.nodes > MAX_NODES) break;
    const built = entry(walk, pair, place.start);
    if (built === undefined) continue;
    const first = seen.get(built.key);
    if (first !== undefined) (built.merge ? walk.faults : walk.twice).push(duplicate(walk, built, first));
    seen.set(built.key, built.keyStart);
    if (built.merge) for (const key of keysBehind(walk, built.value)) mergedKeys.add(key);
    entries.push(built);
  }
  const keys = mergedKeys.size === 0 ? NO_KEYS : mergedKeys;
  return { kind: 'map', ...place, flow: node.flow === true, entries, mergedKeys: keys };
}

function entry(walk: Walk, pair: Pair, fallback: number): SourceEntry | undefined {
  const { key } = pair;
  walk.nodes += 1;
  const [keyStart, keyEnd] = isYamlNode(key) ? (key.range ?? [fallback, fallback]) : [fallback, fallback];
  const text = keyText(key);
  if (text === undefined || FORBIDDEN_KEYS.has(text.key)) {
    walk.faults.push(keyFault(walk, keyStart, text?.key));
    return undefined;
  }
  const afterColon = behindColon(walk.text, keyEnd);
  walk.path.push(text.key);
  const value = build(walk, pair.value, Math.max(afterColon, keyEnd));
  walk.path.pop();
  const { ambiguousKey, merge } = text;
  return { key: text.key, ambiguousKey, merge, keyStart, keyEnd, afterColon, value };
}

/** The offset behind the colon of a key; -1: none follows on the line. */
function behindColon(text: string, keyEnd: number): number {
  let at = keyEnd;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return text[at] === ':' ? at + 1 : -1;
}

type KeyText = { readonly key: string; readonly ambiguousKey: boolean; readonly merge: boolean };

/** The key as text, or undefined where Kubernetes has none for it (null, maps, lists, aliases). */
function keyText(key: unknown): KeyText | undefined {
  if (!isScalar(key) || key.tag !== undefined || key.anchor !== undefined) return undefined;
  if (key.type !== 'PLAIN') {
    return typeof key.value === 'string' ? { key: key.value, ambiguousKey: false, merge: false } : undefined;
  }
  const source = key.source ?? '';
  const { value, ambiguous } = readPlain(source, key.value);
  return value === null ? undefined : { key: String(value), ambiguousKey: ambiguous, merge: source === '<<' };
}

function keyFault(walk: Walk, at: number, forbidden: string | undefined): Fault {
  return forbidden === undefined
    ? {
        at,
        path: pathText(walk.path),
        reason: 'KeyNotText',
        message: 'a key is empty, a list, a map, an alias, or has an anchor or a tag; Kubernetes takes only plain text',
        hint: 'Write the key as plain or quoted text.',
      }
    : {
        at,
        path: pathText([...walk.path, forbidden]),
        reason: 'ForbiddenKey',
        message: `the key ${forbidden} is never read: it has a meaning of its own in JavaScript`,
        hint: 'Give the key another name.',
      };
}

function duplicate(walk: Walk, built: SourceEntry, first: number): Fault {
  return {
    at: built.keyStart,
    other: first,
    path: pathText([...walk.path, built.key]),
    reason: 'DuplicateKey',
    message: `the key ${JSON.stringify(built.key)} is written twice in one map`,
    hint: 'Keep one of the two: readers of YAML do not agree which one counts.',
  };
}

/** The keys that a merge brings in. Each counts as a node, so that chains of merges stay bounded. */
function keysBehind(walk: Walk, value: SourceNode): readonly string[] {
  const target = value.kind === 'alias' ? value.target : value;
  if (target?.kind === 'list')
    return target.items.flatMap((item) => (item.kind === 'list' ? [] : keysBehind(walk, item)));
  if (target?.kind !== 'map') return [];
  const keys = [...target.entries.filter((one) => !one.merge).map((one) => one.key), ...target.mergedKeys];
  walk.nodes += keys.length;
  return keys;
}

function scalar(walk: Walk, node: Scalar, place: Place): SourceNode {
  const tagged = node.tag !== undefined;
  const style = styleOf(walk.text, node, place);
  const source = node.source ?? '';
  if (style === 'plain' && !tagged) {
    return { kind: 'scalar', ...place, style, source, tagged, ...readPlain(source, node.value) };
  }
  const value = scalarValue(style === 'block' ? blockText(walk.text, node.value, place) : node.value);
  const ambiguous = tagged && !STRING_TAGS.has(node.tag ?? '');
  return { kind: 'scalar', ...place, style, source, tagged, value, ambiguous };
}

function styleOf(text: string, node: Scalar, place: Place): ScalarStyle {
  if (node.type === 'QUOTE_SINGLE') return 'single';
  if (node.type === 'QUOTE_DOUBLE') return 'double';
  if (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED') return 'block';
  return text.slice(place.start, place.end) === '' ? 'empty' : 'plain';
}

/** Without the line break that the library adds to a last line that has none: for Kubernetes the text ends there. */
function blockText(text: string, value: unknown, { end }: Place): unknown {
  if (end < text.length || text.endsWith('\n') || typeof value !== 'string') return value;
  // Blanks alone are a line where they stand further inside than the text.
  const isLine = text.slice(text.lastIndexOf('\n') + 1).trim() !== '' || /(^|\n) +\n$/.test(value);
  return isLine ? value.replace(/\n$/, '') : value;
}

function scalarValue(value: unknown): ScalarValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

function isTemplate(text: string, node: YamlNode, place: Place): boolean {
  return isMap(node) && node.flow === true && /^\{[ \t]*\{/.test(text.slice(place.start, place.start + 16));
}

function isYamlNode(node: unknown): node is YamlNode {
  return isAlias(node) || isScalar(node) || isMap(node) || isSeq(node);
}

function emptyAt(at: number): SourceNode {
  return {
    kind: 'scalar',
    start: at,
    end: at,
    anchor: undefined,
    style: 'empty',
    value: null,
    source: '',
    ambiguous: false,
    tagged: false,
  };
}
