/** What anchors and aliases tie together in a document, and the text without these ties. */

import type { FieldPath } from '../../rollout/edits/edit.ts';
import { type ManifestDocument, parseManifestFile } from '../parse-file.ts';
import { resolveTree } from '../resolve-tree.ts';
import { find, nodesOf, type SourceAlias, type SourceNode } from '../source-tree.ts';
import { type Replacement, replaceIn } from './change.ts';
import { jsonToken } from './token.ts';

/** Whether any of these trees has an anchor or an alias. */
export function hasAnchors(...roots: readonly SourceNode[]): boolean {
  return roots.some((root) => {
    for (const node of nodesOf(root)) if (node.kind === 'alias' || node.anchor !== undefined) return true;
    return false;
  });
}

/** The aliases outside of the node at `path` that repeat a part of it, each written out with what it says now. */
export function aliasesInto(document: ManifestDocument, path: FieldPath): readonly Replacement[] {
  const found = find(document.root, path);
  if (found.kind !== 'found') return [];
  const inside = new Set(nodesOf(found.node));
  const replacements: Replacement[] = [];
  for (const node of nodesOf(document.root)) {
    if (node.kind !== 'alias' || inside.has(node) || node.target === undefined) continue;
    if (inside.has(node.target)) replacements.push(writtenOut(node));
  }
  return replacements;
}

/** Paths of values outside of the node at `path` that an alias takes from inside of it. Merged keys are not among them. */
export function pathsInto(document: ManifestDocument, path: FieldPath): readonly FieldPath[] {
  const found = find(document.root, path);
  if (found.kind !== 'found') return [];
  const inside = new Set(nodesOf(found.node));
  const paths: FieldPath[] = [];
  const walk = (node: SourceNode, at: FieldPath): void => {
    if (node === found.node) return;
    if (node.kind === 'alias' && node.target !== undefined) {
      if (inside.has(node.target)) paths.push(at);
      else walk(node.target, at);
    }
    if (node.kind === 'map') for (const entry of node.entries) if (!entry.merge) walk(entry.value, [...at, entry.key]);
    if (node.kind === 'list') for (const [place, item] of node.items.entries()) walk(item, [...at, String(place)]);
  };
  walk(document.root, []);
  return paths;
}

/** The same document with every alias written out and no anchor left; undefined where that cannot be read again. */
export function withoutAnchors(document: ManifestDocument): ManifestDocument | undefined {
  const { text, root, file, object } = document;
  const replacements: Replacement[] = [];
  for (const node of nodesOf(root)) {
    if (node.kind === 'alias') replacements.push(writtenOut(node));
    if (node.anchor === undefined) continue;
    const start = text.lastIndexOf(`&${node.anchor}`, node.start);
    if (start === -1) return undefined;
    const end = start + node.anchor.length + 1;
    replacements.push({ start, end: text[end] === ' ' ? end + 1 : end, text: '' });
  }
  return parseManifestFile(file, replaceIn(text, replacements), [object.kind]).documents[0];
}

function writtenOut(alias: SourceAlias): Replacement {
  return { start: alias.start, end: alias.end, text: jsonToken(resolveTree(alias).value) };
}
