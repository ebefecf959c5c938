/** The rules by which a kustomization names files: lists of paths, maps with a path, and what is neither. */

import { isJsonObject, type Json, type JsonObject } from '../api/json.ts';
import type { FieldPath } from '../rollout/edits/edit.ts';
import { list } from './kustomize-changes.ts';
import { type EntryFault, entryIn, inlineFault } from './kustomize-entries.ts';

/** Something that a kustomization takes from the repository. `either`: what is there decides. */
export type Reference = {
  readonly path: string;
  readonly kind: 'file' | 'either' | 'folder' | 'transformers';
  /** Where in the kustomization it is named. */
  readonly at: FieldPath;
};

/** What is in the way of a build. */
export type Refusal = EntryFault & { readonly at: FieldPath };

export type References = { readonly references: readonly Reference[]; readonly refusals: readonly Refusal[] };

export type Found = Reference | Refusal;
export type Rule = (on: {
  readonly folder: string;
  readonly value: Json;
  readonly at: FieldPath;
  readonly file: string;
}) => readonly Found[];

/** Entries that are paths. */
export const paths =
  (kind: Reference['kind']): Rule =>
  ({ folder, value, at }) =>
    list(value).flatMap((entry, place) => followed({ folder, entry, kind, at: [...at, String(place)] }));

/** Maps, each with a file at `path`; patches, replacements. Other keys than these are refused: kustomize takes them in any case. */
export const maps =
  (...keys: readonly string[]): Rule =>
  ({ folder, value, at }) =>
    list(value).flatMap((entry, place): readonly Found[] => {
      const here = [...at, String(place)];
      if (!isJsonObject(entry)) return [{ at: here, ...NO_MAP }];
      const path = entry['path'];
      return [
        ...unknownKeys(entry, ['path', ...keys], here),
        ...(path === undefined || path === ''
          ? []
          : followed({ folder, entry: path, kind: 'file', at: [...here, 'path'] })),
      ];
    });

export const NO_MAP: EntryFault = { what: 'has an entry that is no map', hint: 'Write it as kustomize wants it.' };

/** The reference that an entry is, or why it is not followed. */
export function followed(of: {
  readonly folder: string;
  readonly entry: Json;
  readonly kind: Reference['kind'];
  readonly at: FieldPath;
}): readonly Found[] {
  const { folder, entry, kind, at } = of;
  const found = entryIn(folder, entry);
  return found.kind === 'path' ? [{ path: found.path, kind, at }] : [{ ...found.fault, at }];
}

/** kustomize itself refuses those it does not know, and takes `Resources` for `resources`. */
export function unknownKeys(value: JsonObject, known: readonly string[], at: FieldPath): readonly Refusal[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const meant = known.find((one) => one.toLowerCase() === key.toLowerCase());
      return {
        at: [...at, key],
        what: `has the field ${key}, which is not known`,
        hint: meant === undefined ? 'Remove it.' : `Write it as ${meant}.`,
      };
    });
}

/** Text that is a document itself, and no path to one. */
export function isInline(entry: Json): entry is string {
  return typeof entry === 'string' && (entry.trim().includes('\n') || entry.trimStart().startsWith('{'));
}

/** Entries of which each is a path, or a document itself: of those that are documents only what is in the way. */
export function followedOrInline(of: Parameters<typeof followed>[0]): readonly Found[] {
  const { folder, entry, at } = of;
  if (!isInline(entry)) return followed(of);
  const fault = inlineFault(folder, entry);
  return fault === undefined ? [] : [{ at, ...fault }];
}

/** The same, sorted into the two. */
export function parted(all: readonly Found[]): References {
  const references: Reference[] = [];
  const refusals: Refusal[] = [];
  for (const one of all) {
    if ('what' in one) refusals.push(one);
    else references.push(one);
  }
  return { references, refusals };
}
