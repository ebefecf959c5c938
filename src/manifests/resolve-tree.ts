/** Turns a source tree into the JSON that Kubernetes would read: aliases followed, merge keys merged, all bounded. */

import type { Json, JsonObject } from '../api/json.ts';
import type { Fault } from './build-tree.ts';
import { MAX_NODES } from './limits.ts';
import { pathText } from './path-text.ts';
import type { SourceAlias, SourceMap, SourceNode } from './source-tree.ts';

export type AmbiguousPlace = { readonly path: string; readonly at: number; readonly source: string };

type Resolved = {
  readonly value: Json;
  readonly ambiguous: readonly AmbiguousPlace[];
  readonly fault: Fault | undefined;
  readonly nodes: number;
};

type Walk = {
  readonly path: string[];
  readonly ambiguous: AmbiguousPlace[];
  /** The alias that is being followed, the first where they nest: a fault behind it is reported here. */
  alias: number | undefined;
  fault: Fault | undefined;
  nodes: number;
};

/** The JSON value of a tree, where it is ambiguous, and the first fault: a bad alias, or too much behind aliases. */
export function resolveTree(root: SourceNode): Resolved {
  const walk: Walk = { path: [], ambiguous: [], alias: undefined, fault: undefined, nodes: 0 };
  const value = resolve(walk, root);
  if (walk.nodes > MAX_NODES) stop(walk, root, tooManyAliases);
  return { value, ambiguous: walk.ambiguous, fault: walk.fault, nodes: walk.nodes };
}

function resolve(walk: Walk, node: SourceNode): Json {
  walk.nodes += 1;
  if (walk.fault !== undefined) return null;
  if (walk.nodes > MAX_NODES) return stop(walk, node, tooManyAliases);
  switch (node.kind) {
    case 'scalar':
      if (node.ambiguous) walk.ambiguous.push({ path: pathText(walk.path), at: node.start, source: node.source });
      return node.value;
    case 'template':
      return node.source;
    case 'alias':
      return behindAlias(walk, node);
    case 'list':
      return node.items.map((item, at) => below(walk, String(at), item));
    case 'map':
      break;
  }
  return resolveMap(walk, node);
}

function below(walk: Walk, segment: string, node: SourceNode): Json {
  walk.path.push(segment);
  const value = resolve(walk, node);
  walk.path.pop();
  return value;
}

function behindAlias(walk: Walk, node: SourceAlias): Json {
  if (node.target === undefined) return stop(walk, node, aliasLeadsNowhere(node.name));
  const outer = walk.alias;
  walk.alias ??= node.start;
  const value = resolve(walk, node.target);
  walk.alias = outer;
  return value;
}

/**
 * In the order of the text, so that `<<` wins over the keys before it and loses to those behind it: so does the
 * reader of kubectl and of the agents (recorded), against the specification; such keys are ambiguous.
 */
function resolveMap(walk: Walk, node: SourceMap): JsonObject {
  const value: Record<string, Json> = {};
  let merged = false;
  for (const entry of node.entries) {
    if (entry.merge) {
      merged = true;
      // Of several sources of one merge the first wins.
      for (const source of mergeSources(walk, entry.value).toReversed()) {
        for (const [key, item] of Object.entries(mergedMap(walk, source))) value[key] = item;
      }
      continue;
    }
    value[entry.key] = below(walk, entry.key, entry.value);
    if (entry.ambiguousKey || (!merged && node.mergedKeys.has(entry.key))) {
      walk.ambiguous.push({ path: pathText([...walk.path, entry.key]), at: entry.keyStart, source: entry.key });
    }
  }
  return value;
}

function mergedMap(walk: Walk, source: SourceMap): JsonObject {
  walk.nodes += 1;
  return walk.fault !== undefined || walk.nodes > MAX_NODES ? {} : resolveMap(walk, source);
}

function mergeSources(walk: Walk, value: SourceNode): readonly SourceMap[] {
  const nodes = value.kind === 'list' ? value.items : [value];
  const sources: SourceMap[] = [];
  for (const node of nodes) {
    walk.nodes += 1;
    const target = node.kind === 'alias' ? node.target : node;
    if (target?.kind === 'map') sources.push(target);
    else stop(walk, node, mergeNotMap);
  }
  return sources;
}

type Cause = Pick<Fault, 'reason' | 'message' | 'hint'>;

function stop(walk: Walk, node: SourceNode, cause: Cause): null {
  walk.fault ??= { at: walk.alias ?? node.start, path: pathText(walk.path), ...cause };
  return null;
}

const tooManyAliases: Cause = {
  reason: 'TooManyNodes',
  message: `with its aliases written out the document has more than ${MAX_NODES} values, the limit`,
  hint: 'Use fewer aliases, or split the document.',
};

const mergeNotMap: Cause = {
  reason: 'MergeNotMap',
  message: 'a merge key (<<) takes a map, an alias of a map, or a list of these',
  hint: 'Write the keys out instead of merging them.',
};

function aliasLeadsNowhere(name: string): Cause {
  return {
    reason: 'AliasUnresolved',
    message: `the alias *${name} names no anchor before it, or one that it is part of`,
    hint: 'Write the value out instead of the alias.',
  };
}
