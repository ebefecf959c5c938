/** Finds what an alias elsewhere repeats: a change there would change more than one place. */

import type { FieldPath } from '../../rollout/edits/edit.ts';
import type { ManifestDocument } from '../parse-file.ts';
import { pathText } from '../path-text.ts';
import { type Link, nodesOf, type SourceNode } from '../source-tree.ts';
import { type Change, refuse } from './change.ts';

/** The name by which an alias repeats one of these nodes as a whole. */
export function repeatedIn(document: ManifestDocument, chain: readonly Link[]): string | undefined {
  const nodes = new Set<SourceNode>(chain.flatMap(({ node }) => (node.anchor === undefined ? [] : [node])));
  return nodes.size === 0 ? undefined : aliasOf(document, nodes, new Set());
}

/** The name by which an alias outside of `node` needs the node or a part of it. */
export function neededOf(document: ManifestDocument, node: SourceNode): string | undefined {
  const inside = new Set(nodesOf(node));
  return aliasOf(document, inside, inside);
}

function aliasOf(
  document: ManifestDocument,
  targets: ReadonlySet<SourceNode>,
  but: ReadonlySet<SourceNode>,
): string | undefined {
  for (const node of nodesOf(document.root)) {
    if (node.kind !== 'alias' || but.has(node) || node.target === undefined) continue;
    if (targets.has(node.target)) return node.name;
  }
  return undefined;
}

/** The refusal of a change in or of something that the alias repeats. */
export function repeats(document: ManifestDocument, path: FieldPath, alias: string): Change {
  return refuse(document, path, {
    reason: 'AliasInField',
    message: `${pathText(path)} is, or holds, what the alias *${alias} repeats elsewhere: a change here would change that too`,
    hint: `Write the value out where *${alias} stands.`,
  });
}
