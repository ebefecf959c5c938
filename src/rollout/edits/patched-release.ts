/** What a commit writes into our patch over a HelmRelease that kustomize builds: the list of entries, and inputs in the place of people's. */

import { RENDERERS_PATH, type RendererEntry, type Renderers } from '../../api/helm-release.ts';
import { isJsonObject, jsonEqual } from '../../api/json.ts';
import type { Beneath } from './beneath.ts';
import { type carriedEdits, entryAfter, entryEdits, INPUT_PATHS } from './carried-edits.ts';
import type { Edit, FieldPath } from './edit.ts';

type Change = Parameters<typeof carriedEdits>[0];

/** Of a strategic-merge patch: the map here is all there is of it. */
const DIRECTIVE = '$patch';
const NONE: Renderers = { others: [], places: [], entry: undefined };

/**
 * The patch has the whole list of entries: those of people as their files have them now, so that each commit takes up what they have
 * changed, and ours behind them. Inputs of another version take the place of theirs, or go again where theirs are that very version.
 */
export function patchedEdits(change: Change, beneath: Beneath): readonly Edit[] {
  const { content } = change.workload;
  const { source: text } = content;
  const { release, isPinned, isEarlier } = beneath;
  const to = entryAfter(change);
  const inPatch = release?.inPatch;
  const own = release === undefined ? undefined : { text: release.text, list: release.renderers };
  // What people's files say now is not known while they do not build: the patch keeps what it has of them.
  const kept = isEarlier === true && inPatch !== undefined ? undefined : own;
  if (text === undefined) return listEdits(isPinned ? undefined : kept, inPatch, to);
  // What is not known may be anything: all inputs stand in the patch.
  if (beneath.digest === content.digest && isEarlier !== true)
    return [...INPUT_PATHS.map((path): Edit => ({ kind: 'remove', path })), ...listEdits(own, inPatch, to)];
  const list = change.carried.source?.renderers;
  return [...pinned(change, text, beneath), ...listEdits(list === undefined ? kept : { text, list }, inPatch, to)];
}

/** Each input of that version as a whole, and none that it has not. */
function pinned(change: Change, text: string, { content, isEarlier }: Beneath): readonly Edit[] {
  const { inputs = {} } = change.carried.source ?? {};
  const taken = INPUT_PATHS.map((path): Edit => ({ kind: 'restore', path, source: text }));
  return [...taken, ...INPUT_PATHS.flatMap(whole)];

  function whole(path: FieldPath): readonly Edit[] {
    const key = path.at(-1) ?? '';
    const value = inputs[key];
    if (isJsonObject(value)) return [{ kind: 'set', path: [...path, DIRECTIVE], value: 'replace' }];
    const isTheirs = content[key] !== undefined || isEarlier === true;
    return value === undefined && isTheirs ? [{ kind: 'set', path, value: null }] : [];
  }
}

type Source = { readonly text: string; readonly list: Renderers };

/** `from` undefined: people's entries stay as the patch has them. */
function listEdits(from: Source | undefined, inPatch: Renderers | undefined, to: RendererEntry): readonly Edit[] {
  const isThere = inPatch !== undefined && (from === undefined || jsonEqual(inPatch.others, from.list.others));
  if (isThere) return entryEdits(inPatch, to);
  if (from === undefined) return entryEdits(NONE, to);
  return [{ kind: 'restore', path: RENDERERS_PATH, source: from.text }, ...entryEdits(from.list, to)];
}
