/**
 * Merges fields of a Flux Kustomization into the kustomization of its path, as the generator of github.com/fluxcd/pkg/kustomize
 * does before it builds. What releases of Flux merge in two ways, and what is not known from the file, is not merged.
 */

import type { Issue } from '../api/issue.ts';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../api/json.ts';
import type { FieldPath } from '../rollout/edits/edit.ts';
import type { ClosurePart } from './closure.ts';
import { fluxShapeFault } from './flux-shape.ts';
import { list } from './kustomize-changes.ts';
import { followed, parted } from './kustomize-rules.ts';
import { isKustomizationFile, type ManifestDocument, parseManifestFile } from './parse-file.ts';
import { pathText } from './path-text.ts';
import { folderOf, resolvePath } from './paths.ts';

const GROUP = 'kustomize.toolkit.fluxcd.io';

/** Fields of `spec` that are merged. */
export const FLUX_FIELDS = ['targetNamespace', 'namePrefix', 'nameSuffix', 'patches', 'components', 'images'] as const;

type Text = { readonly path: string; readonly text: string };
type Folder = { readonly root: string; readonly files: readonly Text[] };

export type FluxMerge =
  /** No Flux Kustomization among the files has any of the fields for this folder. */
  | { readonly kind: 'none' }
  | { readonly kind: 'merged'; readonly document: ManifestDocument; readonly fields: JsonObject }
  /** Nothing is merged. */
  | { readonly kind: 'unclear'; readonly document: ManifestDocument; readonly path: FieldPath; readonly hint: string };

/** What Flux merges into this folder, as far as these files say: those of its objects, and the kustomization. */
export function fluxMerge({ root, files }: Folder): FluxMerge {
  const documents = files.flatMap((file) => fluxDocuments(root, file));
  const first = documents.find((one) => Object.keys(fieldsOf(one)).length > 0);
  if (first === undefined) return { kind: 'none' };
  const fields = fieldsOf(first);
  const unclear = (path: FieldPath, hint: string): FluxMerge => ({ kind: 'unclear', document: first, path, hint });
  const other = documents.find((one) => !jsonEqual(fieldsOf(one), fields));
  if (other !== undefined) return unclear(differing(fields, fieldsOf(other)), forTwo(first, other));
  const fault = fluxShapeFault(first, fields);
  if (fault !== undefined) return unclear(fault.path, fault.hint);
  const kustomization = kustomizationOf({ root, files });
  const [odd] = kustomization?.ambiguous ?? [];
  if (kustomization !== undefined && odd !== undefined)
    return unclear([], `Correct ${odd.path} of ${kustomization.file}, which readers of YAML take in two ways.`);
  const place = imageOfTwoReadings(fields, kustomization?.value ?? {});
  return place === undefined
    ? { kind: 'merged', document: first, fields }
    : unclear(
        ['images', String(place)],
        'Releases of Flux differ in what they make of an entry that the kustomization has already.',
      );
}

/** The same folder as Flux builds it; the very input where it merges nothing. */
export function withFluxFields<Input extends Folder>(input: Input): Input {
  const merge = input.files.some(({ text }) => text.includes(GROUP)) ? fluxMerge(input) : undefined;
  if (merge?.kind !== 'merged') return input;
  const { root, files } = input;
  const own = kustomizationOf(input);
  if (own === undefined) return input;
  // JSON is YAML: nobody gets to see this text.
  const text = `${JSON.stringify(mergedInto(own.value, merge.fields))}\n`;
  return { ...input, files: files.map((file) => (isRootFile(file, root) ? { ...file, text } : file)) };
}

/** Whether a text may hold an object that says something of this. */
export function isFluxText(text: string): boolean {
  return text.includes(GROUP);
}

/** What keeps these texts from saying what Flux merges into the folder: a file that may hold its object and cannot be read. */
export function unreadFlux({
  root,
  texts,
}: {
  readonly root: string;
  readonly texts: ReadonlyMap<string, string>;
}): readonly Issue[] {
  return [...texts].flatMap(([file, text]) => {
    const mayName = isFluxText(text) && text.includes(root) && FLUX_FIELDS.some((field) => text.includes(field));
    return mayName ? parseManifestFile(file, text, ['Kustomization']).issues : [];
  });
}

function mergedInto(value: JsonObject, fields: JsonObject): JsonObject {
  const { targetNamespace, namePrefix, nameSuffix, patches, components, images } = fields;
  const appended = (key: string, more: Json | undefined): JsonObject =>
    more === undefined ? {} : { [key]: [...list(value[key]), ...list(more)] };
  return {
    ...value,
    // Flux does so, that such a folder is not called empty.
    ...(list(value['resources']).length === 0 ? { buildMetadata: ['originAnnotations'] } : {}),
    ...(targetNamespace === undefined ? {} : { namespace: targetNamespace }),
    ...(namePrefix === undefined ? {} : { namePrefix }),
    ...(nameSuffix === undefined ? {} : { nameSuffix }),
    ...appended('patches', patches),
    ...appended('components', components),
    ...(images === undefined ? {} : { images: imagesMerged(list(value['images']), list(images), 'whole') }),
  };
}

/** `whole`: an entry takes the place of the first of its name, as in release 1.28 of the generator; `fields`: it is merged into it, as in 1.35. */
function imagesMerged(own: readonly Json[], more: readonly Json[], how: 'whole' | 'fields'): readonly Json[] {
  const images = [...own];
  for (const image of more) {
    const place = images.findIndex((one) => isJsonObject(one) && isJsonObject(image) && one['name'] === image['name']);
    const there = images[place];
    if (place < 0) images.push(image);
    else images[place] = how === 'fields' && isJsonObject(there) && isJsonObject(image) ? merged(there, image) : image;
  }
  return images;
}

/** A tag and a digest say together which version it is. */
function merged(there: JsonObject, image: JsonObject): JsonObject {
  const isVersioned = (image['newTag'] ?? '') !== '' || (image['digest'] ?? '') !== '';
  const { newTag, digest, ...others } = there;
  const version = isVersioned ? image : { newTag, digest };
  return said({
    ...others,
    ...said({ newName: image['newName'] }),
    ...said({ newTag: version['newTag'], digest: version['digest'] }),
  });
}

function said(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const found = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined || value === null || value === '' ? [] : [[key, value] as const],
  );
  return Object.fromEntries(found);
}

function imageOfTwoReadings({ images }: JsonObject, value: JsonObject): number | undefined {
  const own = list(value['images']);
  const more = list(images);
  const plain = (entries: readonly Json[]): Json => entries.map((one) => (isJsonObject(one) ? said(one) : one));
  const place = more.findIndex((_, index) => {
    const some = more.slice(0, index + 1);
    return !jsonEqual(plain(imagesMerged(own, some, 'whole')), plain(imagesMerged(own, some, 'fields')));
  });
  return place < 0 ? undefined : place;
}

function fluxDocuments(root: string, { path, text }: Text): readonly ManifestDocument[] {
  if (!text.includes(GROUP)) return [];
  return parseManifestFile(path, text, ['Kustomization']).documents.filter(({ object, value }) => {
    const spec = value['spec'];
    const folder = isJsonObject(spec) ? (spec['path'] ?? '') : undefined;
    return object.apiVersion.startsWith(`${GROUP}/`) && typeof folder === 'string' && resolvePath('', folder) === root;
  });
}

function fieldsOf({ value }: ManifestDocument): JsonObject {
  const spec = value['spec'];
  if (!isJsonObject(spec)) return {};
  const keys = isNothing(spec['components']) ? FLUX_FIELDS : [...FLUX_FIELDS, 'ignoreMissingComponents'];
  const found = keys.flatMap((key) => {
    const field = spec[key];
    return isNothing(field) ? [] : [[key, field] as const];
  });
  return Object.fromEntries(found);
}

function isNothing(field: Json | undefined): field is undefined | null | false {
  return field === undefined || field === null || field === false || (Array.isArray(field) && field.length === 0);
}

function kustomizationOf({ root, files }: Folder): ManifestDocument | undefined {
  const file = files.find((one) => isRootFile(one, root));
  return file === undefined ? undefined : parseManifestFile(file.path, file.text, 'everything').documents[0];
}

function isRootFile({ path }: Text, root: string): boolean {
  return isKustomizationFile(path) && folderOf(path) === root;
}

function differing(fields: JsonObject, others: JsonObject): FieldPath {
  const keys = [...Object.keys(fields), ...Object.keys(others)];
  const key = keys.find((one) => !jsonEqual(fields[one] ?? null, others[one] ?? null));
  return key === undefined || fields[key] === undefined ? [] : [key];
}

function forTwo({ object }: ManifestDocument, other: ManifestDocument): string {
  const second = `the Flux Kustomization ${other.object.name} (${other.file}:${other.firstLine})`;
  const path = pathText(['spec', 'path']);
  return `Give ${object.name} and ${second} a folder each, or the same fields: both have this ${path}.`;
}

/** The components that Flux appends to those of the folder, as the closure follows them. */
export function fluxPart(folder: Folder): ClosurePart | undefined {
  const files = folder.files.filter(({ text }) => isFluxText(text));
  const merge = files.length === 0 ? undefined : fluxMerge(folder);
  if (merge === undefined || merge.kind === 'none') return undefined;
  const { document } = merge;
  const components = merge.kind === 'merged' ? list(merge.fields['components']) : [];
  const found = components.flatMap((entry, place) =>
    followed({ folder: folder.root, entry, kind: 'folder', at: ['spec', 'components', String(place)] }),
  );
  return { document, ...parted(found), files: files.map(({ path }) => path) };
}
