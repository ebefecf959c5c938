/** Plans the bytes of one scalar field: replaced where it is, inserted where it is missing. */

import type { PlacedEdit } from '../../rollout/edits/edit.ts';
import { lineEnd } from '../lines.ts';
import type { ManifestDocument } from '../parse-file.ts';
import { pathText } from '../path-text.ts';
import { find, type SourceEntry, type SourceScalar } from '../source-tree.ts';
import { fieldIssue } from '../strict-scalar.ts';
import { type Change, noChange, refuse, unclearPlace } from './change.ts';
import { insertField } from './insert-field.ts';
import { entryEnd, notationOf } from './place.ts';
import { repeatedIn } from './repeated.ts';
import { keyToken, valueToken } from './token.ts';

type SetEdit = Extract<PlacedEdit, { readonly kind: 'set' }>;

/** The field holds the value already, in a spelling that nobody misreads: nothing changes. */
export function setField(document: ManifestDocument, edit: SetEdit): Change {
  const { path, value } = edit;
  const issue = fieldIssue(document, path);
  if (issue !== undefined) return { kind: 'refused', issue };
  const found = find(document.root, path);
  const repeated = found.kind === 'blocked' ? undefined : repeatedIn(document, found.chain);
  if (repeated !== undefined) return anchored(document, edit, repeated);
  const notation = notationOf(document);
  if (found.kind !== 'found') {
    const token = valueToken(value, notation, 'empty');
    const key = keyToken(path.at(-1) ?? '', notation);
    return insertField(document, path, { block: () => `${key}: ${token}`, flow: () => token, after: undefined });
  }
  const { node, entry } = found;
  if (node.kind !== 'scalar') return notAScalar(document, edit);
  if (node.tagged) return unclearPlace(document, path, 'the value has a tag (!!), which would change what is written');
  if (node.value === value && !node.ambiguous) return noChange;
  const token = valueToken(value, notation, node.style);
  const place = placeOf(document, node, entry);
  if (place === undefined) return unclearPlace(document, path, 'its key and its value are not written as "key: value"');
  const { start, end } = place;
  return { kind: 'replace', replacements: [{ start, end, text: `${place.gap}${token}` }] };
}

type TokenPlace = { readonly start: number; readonly end: number; readonly gap: string };

function placeOf(
  document: ManifestDocument,
  node: SourceScalar,
  entry: SourceEntry | undefined,
): TokenPlace | undefined {
  if (node.style === 'empty') {
    if (entry === undefined || entry.afterColon === -1 || node.anchor !== undefined) return undefined;
    return { start: entry.afterColon, end: entry.afterColon, gap: ' ' };
  }
  if (node.style !== 'block') return { start: node.start, end: node.end, gap: '' };
  if (entry === undefined) return undefined;
  return { start: node.start, end: lineEnd(document.text, entryEnd(document.text, entry)), gap: '' };
}

function anchored(document: ManifestDocument, { path }: SetEdit, anchor: string): Change {
  return refuse(document, path, {
    reason: 'AliasInField',
    message: `${pathText(path)} is part of what the alias *${anchor} repeats elsewhere, so a change here would change that too`,
    hint: `Write it out where *${anchor} stands.`,
  });
}

function notAScalar(document: ManifestDocument, { path, value }: SetEdit): Change {
  return refuse(document, path, {
    reason: 'FieldIsNotScalar',
    message: `${pathText(path)} holds a map or a list; the single value ${JSON.stringify(value)} was to be written there`,
    hint: `Write ${pathText(path)} as a single value.`,
  });
}
