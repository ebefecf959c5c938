/** What tranche may write of a kustomization and of the file that applies its patches: its own entry, and its own documents. */

import { at, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import { foreignInApply } from '../../manifests/apply-file.ts';
import { isKustomizationFile, type ManifestDocument } from '../../manifests/parse-file.ts';
import {
  APPLY_ENTRY,
  applyFile,
  isApplyEntry,
  patchedAs,
  patchFile,
  rootOfPatch,
} from '../../manifests/patch-place.ts';
import { folderOf } from '../../manifests/paths.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';

/** Whether the only difference is that our entry came or became the last one, or went. */
export function isOwnEntry(earlier: ManifestDocument, later: ManifestDocument): boolean {
  if (!isKustomizationFile(earlier.file)) return false;
  const [before, after] = [parted(earlier.value), parted(later.value)];
  if (!jsonEqual(before.rest, after.rest)) return false;
  const own = [before, after].map(({ items }) => items.filter(isApplyEntry).length);
  const others = [before, after].map(({ items }) => items.filter((item) => !isApplyEntry(item)));
  const [was = 0, is = 0] = own;
  const isLast = after.items.at(-1) === APPLY_ENTRY;
  return was + is > 0 && is <= 1 && jsonEqual(others[0] ?? [], others[1] ?? []) && (is === 0 || isLast);
}

function parted({ transformers, ...rest }: JsonObject): { readonly items: readonly Json[]; readonly rest: JsonObject } {
  return { items: Array.isArray(transformers) ? transformers : [], rest };
}

/** Whether a document does nothing but apply one patch of ours, at the place where that is done. */
export function isOwnTransformer({ file, object, value }: ManifestDocument): boolean {
  const { metadata, path, apiVersion, kind, ...more } = value;
  if (apiVersion !== 'builtin' || kind !== 'PatchTransformer' || Object.keys(more).length > 0) return false;
  const root = folderOf(folderOf(file));
  if (file !== applyFile(root) || !isJsonObject(metadata) || typeof path !== 'string') return false;
  const isNamed = Object.keys(metadata).length === 1 && object.name.startsWith('tranche-');
  return isNamed && rootOfPatch(path) === '';
}

/** Whether a text is all that we write into the file that applies our patches, and nothing else. */
export function isOwnApply(file: string, text: string | undefined): boolean {
  const isPlace = file === applyFile(folderOf(folderOf(file)));
  return isPlace && text !== undefined && foreignInApply(text) === undefined;
}

/** Whether a document is our patch of the object that it names: with it everything goes that tranche has made there. */
export function isOwnPatch({ file, object }: ManifestDocument): boolean {
  const root = rootOfPatch(file);
  const patched = patchedAs(object.kind, object);
  return root !== undefined && patched !== undefined && file === patchFile(root, patched);
}

/** Our patch takes its own object out of what is built, and nothing else of it changes by that. */
export function isOwnRemoval(patch: ManifestDocument, path: FieldPath): boolean {
  return isOwnPatch(patch) && path.length === 1 && path[0] === '$patch' && patch.value['$patch'] === 'delete';
}

/** What somebody else has put into our patch may go again. */
export function isTakenOut(patch: ManifestDocument, path: FieldPath): boolean {
  return isOwnPatch(patch) && at(patch.value, path) === undefined;
}
