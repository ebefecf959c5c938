/**
 * Applies the images of `.argocd-source*.yaml` to a kustomization, as Argo CD does before it builds: `kustomize edit set image`
 * in the folder of the Application. Its Image Updater writes such files. Anything else in them is refused.
 */

import type { Issue } from '../api/issue.ts';
import { at, isJsonObject, type Json, type JsonObject } from '../api/json.ts';
import type { FieldPath } from '../rollout/edits/edit.ts';
import { list } from './kustomize-changes.ts';
import { isKustomizationFile, type ManifestDocument, parseManifestFile } from './parse-file.ts';
import { pathText } from './path-text.ts';
import { folderOf } from './paths.ts';

type Text = { readonly path: string; readonly text: string };

const NAME = /^\.argocd-source(-(.+))?\.yaml$/;
const FOR_ALL = '.argocd-source.yaml';

/** Whether Argo CD merges this file into the source of an Application whose path is this folder. */
export function isArgoSource(path: string, folder: string): boolean {
  return folderOf(path) === folder && NAME.test(path.slice(path.lastIndexOf('/') + 1));
}

/** What of such files of one folder is not followed. */
export function argoSourceIssues(files: readonly Text[]): readonly Issue[] {
  const [first, second] = files.filter(({ path }) => !path.endsWith(FOR_ALL));
  const twice = second === undefined ? [] : [forTwo(first?.path ?? '', second.path)];
  return [...twice, ...files.flatMap(issuesOf)];
}

/**
 * The same folder as Argo CD builds it; the very input where there is no such file. Those of one Application come over those of
 * all, and a list there takes the place of the whole list.
 */
export function withArgoImages<Input extends { readonly root: string; readonly files: readonly Text[] }>(
  input: Input,
): Input {
  const { root, files } = input;
  const sources = files.filter(({ path }) => isArgoSource(path, root));
  if (sources.length === 0) return input;
  const ordered = [...sources].sort((a, b) => Number(b.path.endsWith(FOR_ALL)) - Number(a.path.endsWith(FOR_ALL)));
  const lists = ordered.flatMap(({ path, text }) => imagesIn(documentOf({ path, text })));
  const wanted = lists.at(-1);
  if (wanted === undefined || wanted.length === 0) return input;
  const isRoot = (path: string): boolean => isKustomizationFile(path) && folderOf(path) === root;
  const built = files.map((file) => (isRoot(file.path) ? { ...file, text: setImages(file, wanted) } : file));
  return { ...input, files: built };
}

function documentOf({ path, text }: Text): ManifestDocument | undefined {
  return parseManifestFile(path, text, 'everything').documents[0];
}

/** The list, where the file has one. */
function imagesIn(document: ManifestDocument | undefined): readonly (readonly string[])[] {
  const images = at(document?.value, ['kustomize', 'images']);
  return Array.isArray(images) ? [images.filter((one) => typeof one === 'string')] : [];
}

function setImages(file: Text, wanted: readonly string[]): string {
  const document = documentOf(file);
  if (document === undefined) return file.text;
  const { value } = document;
  // JSON is YAML: nobody gets to see this text.
  return `${JSON.stringify({ ...value, images: imagesSet(list(value['images']), wanted) })}\n`;
}

/** What kustomize (5.8.1) makes of its list: one entry a name, those that are given whole in the place of earlier ones, sorted. */
function imagesSet(entries: readonly Json[], wanted: readonly string[]): readonly Json[] {
  const given = new Map(wanted.map((text) => imageOf(text)).map((image) => [image.name, image]));
  const images = new Map<string, JsonObject>([...given].map(([name, image]) => [name, fieldsOf(image, {})]));
  const seen = new Set<string>();
  for (const entry of entries) {
    const name = at(entry, ['name']);
    if (!isJsonObject(entry) || typeof name !== 'string' || seen.has(name)) continue;
    // The first of a name counts.
    seen.add(name);
    const image = given.get(name);
    images.set(name, image === undefined ? entry : fieldsOf(image, entry));
  }
  return [...images].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, image]) => image);
}

type Image = { readonly name: string; readonly newName: string; readonly newTag: string; readonly digest: string };

const FIELDS = ['newName', 'newTag', 'digest'] as const;

/** An asterisk keeps what the kustomization says. */
function fieldsOf(image: Image, before: JsonObject): JsonObject {
  const kept = FIELDS.flatMap((key): readonly (readonly [string, Json])[] => {
    const value = image[key] === '*' ? before[key] : image[key];
    return value === undefined || value === '' ? [] : [[key, value]];
  });
  return { name: image.name, ...Object.fromEntries(kept) };
}

/** `name=newName:tag@digest`, or without the first part. A colon of a registry's port stands before the first slash. */
function imageOf(text: string): Image {
  const equals = text.indexOf('=');
  const image = equals < 0 ? text : text.slice(equals + 1);
  const from = Math.max(0, image.indexOf('/'));
  const digestAt = image.indexOf('@', from);
  const rest = digestAt < 0 ? image : image.slice(0, digestAt);
  const tagAt = rest.indexOf(':', from);
  const newName = tagAt < 0 ? rest : rest.slice(0, tagAt);
  const parts = {
    newTag: tagAt < 0 ? '' : rest.slice(tagAt + 1),
    digest: digestAt < 0 ? '' : image.slice(digestAt + 1),
  };
  return equals < 0 ? { name: newName, newName: '', ...parts } : { name: text.slice(0, equals), newName, ...parts };
}

function issuesOf(file: Text): readonly Issue[] {
  const { documents, issues } = parseManifestFile(file.path, file.text, 'everything');
  if (issues.length > 0) return issues;
  const [document, other] = documents;
  if (document === undefined) return [];
  if (other !== undefined)
    return [issueAt(document, [], { what: 'is more than one document', hint: 'Write one document into it.' })];
  const { kustomize, ...settings } = document.value;
  const inside = isJsonObject(kustomize) ? kustomize : {};
  const { images, ...others } = inside;
  return [
    ...Object.keys(settings).map((key) => notFollowed(document, [key])),
    ...(kustomize === undefined || isJsonObject(kustomize) ? [] : [notFollowed(document, ['kustomize'])]),
    ...Object.keys(others).map((key) => notFollowed(document, ['kustomize', key])),
    ...(images === undefined || Array.isArray(images) ? [] : [notFollowed(document, ['kustomize', 'images'])]),
    ...list(images).flatMap((image, place) => imageIssues(document, image, ['kustomize', 'images', String(place)])),
  ];
}

/** What `kustomize edit set image` takes, without variables of Argo CD. */
const PLAIN_IMAGE = /^[A-Za-z0-9._/:@*=-]+$/;

function imageIssues(document: ManifestDocument, image: Json, path: FieldPath): readonly Issue[] {
  const isPlain = typeof image === 'string' && PLAIN_IMAGE.test(image) && /^[^-=:@]/.test(image);
  // Without a tag, a digest or a name it says nothing, and Argo CD builds nothing.
  if (isPlain && imageOf(image).name !== image) return [];
  const hint = 'Write it as name:tag, name@digest or name=newName:tag, without variables.';
  return [issueAt(document, path, { what: 'has an image that is not followed', hint })];
}

function notFollowed(document: ManifestDocument, path: FieldPath): Issue {
  const field = pathText(path);
  const what = `sets ${field}, which tranche does not follow, so that the build is not what the cluster gets`;
  const hint =
    path[0] === 'kustomize'
      ? 'Write it into the kustomization of the folder, and remove it here: kustomize.images alone is followed.'
      : 'Remove it: of the folder of a kustomization kustomize.images alone is followed.';
  return issueAt(document, path, { what, hint });
}

function forTwo(first: string, second: string): Issue {
  return {
    file: second,
    line: 1,
    path: '',
    reason: 'UnsupportedLayout',
    message: `Argo CD builds this folder for two Applications, each with images of its own: ${first} is the other file`,
    hint: 'Give each Application a folder of its own: an overlay that lists this one.',
  };
}

function issueAt(
  document: ManifestDocument,
  path: FieldPath,
  { what, hint }: { readonly what: string; readonly hint: string },
): Issue {
  return {
    file: document.file,
    line: document.lineOf(path),
    path: pathText(path),
    reason: 'UnsupportedLayout',
    message: `the source that Argo CD merges ${what}`,
    hint,
  };
}
