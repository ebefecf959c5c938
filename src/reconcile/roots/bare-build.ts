/** A kustomize folder whose patches of ours change nothing: one build of it serves all commits that write into patches alone. */

import { isJsonObject, jsonEqual } from '../../api/json.ts';
import { list } from '../../manifests/kustomize-changes.ts';
import { isKustomizationFile, type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import {
  APPLY_ENTRY,
  applyFile,
  emptyPatch,
  type Patched,
  patchedAs,
  rootOfPatch,
  typeOf,
} from '../../manifests/patch-place.ts';
import { folderOf } from '../../manifests/paths.ts';
import type { BuildInput } from '../../ports/builder.ts';
import { hasPin } from './patch-issues.ts';
import type { WholeClosure } from './read-closures.ts';
import { builtOnce } from './read-roots.ts';
import type { Source } from './stand-in.ts';

/** A patch of ours, and what it is for. */
export type OwnPatch = { readonly file: string; readonly named: Patched };

/** The folder with patches that change nothing, and what its build follows from: equal keys, equal builds. */
export function bare(
  { root, files }: Pick<WholeClosure, 'root' | 'files'>,
  patches: readonly OwnPatch[],
): { readonly input: BuildInput; readonly key: string } {
  const ours = new Map(patches.map(({ file, named }) => [file, named]));
  const empty = files.map(({ path, oid, text }) => {
    const named = ours.get(path);
    return named === undefined
      ? { path, text, id: oid }
      : { path, text: emptyPatch(named), id: [named.namespace, named.name] };
  });
  return {
    input: { root, files: empty.map(({ path, text }) => ({ path, text })) },
    key: `bare ${JSON.stringify([root, ...empty.map(({ path, id }) => [path, id])])}`,
  };
}

/** What it builds without the patches: those of the folder are given, and which of them somebody asks about. */
export function builtWithout(
  { input, key, closure }: Source,
  { file, named, patches }: OwnPatch & { readonly patches: readonly OwnPatch[] },
  world: Omit<Parameters<typeof builtOnce>[1], 'key' | 'root'>,
): ReturnType<typeof builtOnce> {
  const at = { root: { file }, ...world };
  if (closure !== undefined) {
    const empty = bare(closure, patches);
    return builtOnce(empty.input, { ...at, key: empty.key });
  }
  const text = emptyPatch(named);
  const files = input.files.map((one) => (one.path === file ? { path: file, text } : one));
  return builtOnce({ ...input, files }, { ...at, key: `${key} without ${file}` });
}

/**
 * The patch of a workload, with all patches of its folder, where what kustomize builds follows from the folder without them: they
 * are the last that is done, each by a transformer that does no more. undefined: it may not.
 */
export function plainPatches(
  { root, files }: Pick<WholeClosure, 'root' | 'files'>,
  of: OwnPatch,
): { readonly patch: ManifestDocument; readonly all: readonly OwnPatch[] } | undefined {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  if (!isLast(root, texts)) return undefined;
  const lists = applyFile(root);
  const transformers = parseManifestFile(lists, texts.get(lists) ?? '', 'everything').documents;
  const patches = transformers.map((one) => patchBy(one, root, texts));
  const own = patches.filter((one) => one !== undefined && isOf(one, of));
  const [patch] = own;
  if (patch === undefined || own.length > 1 || patch.file !== of.file) return undefined;
  // What is written into a template as it was built may be the name of something that is renamed behind all transformers, and a list
  // is merged with people's where a schema says so.
  const mayMerge = hasPin(patch.value) || of.named.kind !== undefined;
  const isRenamed = mayMerge && files.some(({ text }) => RENAMES.test(text));
  if (isRenamed) return undefined;
  const all = patches.flatMap((one) => {
    const named = one === undefined ? undefined : patchedAs(one.object.kind, one.object);
    return one === undefined || named === undefined ? [] : [{ file: one.file, named }];
  });
  return all.length === patches.length ? { patch, all } : undefined;
}

/** Keys that kustomize reads in any spelling of their letters. */
const RENAMES = /configurations|openapi|crds/iu;
const LAST_DONE = /^transformers$/iu;

function isLast(root: string, texts: ReadonlyMap<string, string>): boolean {
  const file = [...texts.keys()].find((path) => isKustomizationFile(path) && folderOf(path) === root);
  const [kustomization] = file === undefined ? [] : parseManifestFile(file, texts.get(file) ?? '', []).documents;
  const value = kustomization?.value ?? {};
  const entries = list(value['transformers']);
  const keys = Object.keys(value).filter((key) => LAST_DONE.test(key));
  return keys.length === 1 && entries.length > 0 && entries.indexOf(APPLY_ENTRY) === entries.length - 1;
}

/** The one object that a transformer patches, with nothing but its fields. */
function patchBy(
  { value }: ManifestDocument,
  root: string,
  texts: ReadonlyMap<string, string>,
): ManifestDocument | undefined {
  const { path, metadata } = value;
  const name = isJsonObject(metadata) ? (metadata['name'] ?? '') : '';
  const plain = { apiVersion: 'builtin', kind: 'PatchTransformer', metadata: { name }, path: path ?? '' };
  if (typeof path !== 'string' || !jsonEqual(value, plain)) return undefined;
  const file = root === '' ? path : `${root}/${path}`;
  if (rootOfPatch(file) !== root) return undefined;
  const [patch, ...others] = parseManifestFile(file, texts.get(file) ?? '', 'everything').documents;
  const named = patch === undefined ? undefined : patchedAs(patch.object.kind, patch.object);
  const isWhole = named !== undefined && typeOf(named).apiVersion === patch?.object.apiVersion;
  return isWhole && others.length === 0 ? patch : undefined;
}

function isOf({ object }: ManifestDocument, { named }: OwnPatch): boolean {
  const { kind } = typeOf(named);
  return object.kind === kind && object.name === named.name && object.namespace === named.namespace;
}
