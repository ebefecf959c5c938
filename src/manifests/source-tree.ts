/** The shape of a parsed document with the place of every part in its text. Plain values, no library classes. */

import type { FieldPath } from '../rollout/edits/edit.ts';
import type { ScalarValue } from './kubernetes-scalar.ts';

type Place = {
  /** Offset of the first character, without anchor and tag. */
  readonly start: number;
  /** Offset after the last character of the value. Block text includes its last line break. */
  readonly end: number;
  readonly anchor: string | undefined;
};

export type ScalarStyle = 'plain' | 'single' | 'double' | 'block' | 'empty';

export type SourceScalar = Place & {
  readonly kind: 'scalar';
  readonly style: ScalarStyle;
  readonly value: ScalarValue;
  /** The word as written, for unquoted scalars. */
  readonly source: string;
  readonly ambiguous: boolean;
  readonly tagged: boolean;
};

export type SourceMap = Place & {
  readonly kind: 'map';
  readonly flow: boolean;
  readonly entries: readonly SourceEntry[];
  /** Keys that `<<` brings in, whether or not the map has its own. */
  readonly mergedKeys: ReadonlySet<string>;
};
export type SourceList = Place & {
  readonly kind: 'list';
  readonly flow: boolean;
  readonly items: readonly SourceNode[];
};
/** `target` is the node the name stood for at this place; undefined for unknown names and for cycles. */
export type SourceAlias = Place & {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: SourceNode | undefined;
};
/** `{{ … }}` without quotes: a template's placeholder, which YAML takes for a map in a map. */
type SourceTemplate = Place & { readonly kind: 'template'; readonly source: string };
export type SourceNode = SourceScalar | SourceMap | SourceList | SourceAlias | SourceTemplate;

export type SourceEntry = {
  /** The key as Kubernetes reads it: `off:` is "false". */
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly ambiguousKey: boolean;
  /** `<<`, unquoted. */
  readonly merge: boolean;
  /** Offset after the colon; -1 for `? key` and for a key without a colon. */
  readonly afterColon: number;
  readonly value: SourceNode;
};

/** One node on the way from the root, with the entry whose value it is; list items and the root have none. */
export type Link = { readonly node: SourceNode; readonly entry: SourceEntry | undefined };

type Found =
  | {
      readonly kind: 'found';
      readonly node: SourceNode;
      readonly entry: SourceEntry | undefined;
      readonly chain: readonly Link[];
    }
  /** `chain` ends with the last node that exists; `missing` is the rest of the path, never empty. */
  | { readonly kind: 'missing'; readonly missing: FieldPath; readonly chain: readonly Link[] }
  /** The path runs through something that has no one place in the text. */
  | { readonly kind: 'blocked'; readonly by: 'alias' | 'merge' | 'template'; readonly at: number };

/** Walks `path` from `root`. Never through aliases, merge keys or templates: it says which of them is in the way. */
export function find(root: SourceNode, path: FieldPath): Found {
  let last: Link = { node: root, entry: undefined };
  const chain = [last];
  for (const [depth, segment] of path.entries()) {
    const blocked = blockedBy(last.node, segment);
    if (blocked !== undefined) return { kind: 'blocked', ...blocked };
    const next = child(last.node, segment);
    if (next === undefined) return { kind: 'missing', missing: path.slice(depth), chain };
    last = next;
    chain.push(next);
  }
  return { kind: 'found', ...last, chain };
}

/** The same; what only `<<` brings is missing, because a key of its own may be written next to it, which then counts. */
export function findBeside(root: SourceNode, path: FieldPath): Found {
  const found = find(root, path);
  if (found.kind !== 'blocked' || found.by !== 'merge') return found;
  const parent = find(root, path.slice(0, -1));
  return parent.kind === 'found' ? { kind: 'missing', missing: path.slice(-1), chain: parent.chain } : found;
}

type Obstacle = { readonly by: 'alias' | 'merge' | 'template'; readonly at: number };

function blockedBy(node: SourceNode, segment: string): Obstacle | undefined {
  if (node.kind === 'alias' || node.kind === 'template') return { by: node.kind, at: node.start };
  if (node.kind !== 'map') return undefined;
  const merge = node.entries.find((entry) => entry.merge);
  if (merge === undefined || !node.mergedKeys.has(segment)) return undefined;
  // A key of its own next to `<<` has one place in the text; a key that only `<<` brings has none.
  return node.entries.some((entry) => entry.key === segment && !entry.merge)
    ? undefined
    : { by: 'merge', at: merge.keyStart };
}

function child(node: SourceNode, segment: string): Link | undefined {
  if (node.kind === 'map') {
    const entry = node.entries.findLast((candidate) => candidate.key === segment && !candidate.merge);
    return entry === undefined ? undefined : { node: entry.value, entry };
  }
  if (node.kind !== 'list' || !/^(0|[1-9][0-9]{0,6})$/.test(segment)) return undefined;
  const item = node.items[Number(segment)];
  return item === undefined ? undefined : { node: item, entry: undefined };
}

/** Every node below and including `node`, itself first. Bounded by the number of nodes a document may have. */
export function* nodesOf(node: SourceNode): Generator<SourceNode> {
  yield node;
  if (node.kind === 'map') for (const entry of node.entries) yield* nodesOf(entry.value);
  if (node.kind === 'list') for (const item of node.items) yield* nodesOf(item);
}
