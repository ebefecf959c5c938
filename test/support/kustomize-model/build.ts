/**
 * What kustomize builds of a folder, as values: a model of as much of it as worlds of the simulation play. It knows nothing of the
 * product. kustomize-model.test.ts holds it against the real one.
 */

import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../../../src/api/json.ts';
import { yamlValues } from '../yaml-values.ts';
import { idOf, isSame, listAt, mapAt, NotModelled, Refused, type Resource, textAt, withMetadata } from './resource.ts';
import { inNamespace, labelled, type Patch, patched, renamed, withImage } from './transform.ts';

export type ModelBuild =
  | { readonly kind: 'built'; readonly objects: readonly JsonObject[] }
  | { readonly kind: 'refused'; readonly seen: string };

/** Texts by path. */
export type Files = ReadonlyMap<string, string>;

/** What is not modelled throws. */
export function modelBuild(files: Files, root: string): ModelBuild {
  try {
    return { kind: 'built', objects: level({ files, folder: root, above: [] }, []).map(withHash) };
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', seen: error.message };
    throw error;
  }
}

type Level = { readonly files: Files; readonly folder: string; readonly above: readonly string[] };

/** In the order in which kustomize does it; `before`: what a component finds. */
function level(here: Level, before: readonly Resource[]): readonly Resource[] {
  const { files, folder, above } = here;
  if (above.includes(folder)) throw new Refused(`cycle detected: ${folder}`);
  const text = kustomizationIn(here);
  const value = only(text, folder);
  const kind = textAt(value, ['kind']) || 'Kustomization';
  const isComponent = above.length > 0 && kind === 'Component';
  if (before.length > 0 && !isComponent) throw new Refused(`expected kind 'Component' in ${folder}`);
  const below = (to: string): Level => ({ files, folder: to, above: [...above, folder] });
  let all = before;
  for (const entry of texts(value, 'resources')) {
    const path = joined(folder, entry);
    const file = files.get(path);
    const found = file === undefined ? base(below(path)) : yamlValues(file).map(fresh);
    for (const one of found) all = added(all, one);
  }
  for (const entry of listAt(value, ['configMapGenerator'])) all = added(all, generated(entry, here));
  for (const entry of texts(value, 'components')) all = level(below(joined(folder, entry)), all);
  return transformed(all, value, here);
}

/** A base starts from nothing, and is no component. */
function base(here: Level): readonly Resource[] {
  if (textAt(only(kustomizationIn(here), here.folder), ['kind']) === 'Component')
    throw new Refused(`expected kind != 'Component' for ${here.folder}`);
  return level(here, []);
}

const KNOWN = [
  'apiVersion',
  'kind',
  'resources',
  'components',
  'configMapGenerator',
  'patches',
  'namespace',
  'namePrefix',
  'nameSuffix',
  'labels',
  'commonAnnotations',
  'images',
  'transformers',
];

function transformed(before: readonly Resource[], value: JsonObject, here: Level): readonly Resource[] {
  const unknown = Object.keys(value).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) throw new NotModelled(`${unknown} of ${here.folder}`);
  const [namespace, prefix, suffix] = ['namespace', 'namePrefix', 'nameSuffix'].map((key) => textAt(value, [key]));
  let all = before;
  for (const entry of listAt(value, ['patches'])) all = patched(all, patchOf(entry, here));
  if (namespace !== undefined && namespace !== '') all = inNamespace(all, namespace);
  all = renamed(all, (name) => `${prefix}${name}`);
  all = renamed(all, (name) => `${name}${suffix}`);
  for (const entry of listAt(value, ['labels'])) all = labelled(all, mapAt(entry, ['pairs']));
  const annotations = mapAt(value, ['commonAnnotations']);
  if (Object.keys(annotations).length > 0) all = labelled(all, annotations, 'annotations');
  for (const entry of listAt(value, ['images'])) if (isJsonObject(entry)) all = withImage(all, entry);
  for (const entry of texts(value, 'transformers'))
    for (const document of documentsOf(entry, here)) all = builtin(all, document, here);
  return all;
}

/** A file, or what is written in its place. */
function documentsOf(entry: string, { files, folder }: Level): readonly Json[] {
  const inline = entry.includes('\n') || entry.startsWith('{');
  const text = inline ? entry : files.get(joined(folder, entry));
  if (text === undefined) throw new Refused(`${entry} of ${folder} is missing`);
  return yamlValues(text);
}

function builtin(all: readonly Resource[], document: Json, here: Level): readonly Resource[] {
  const kind = textAt(document, ['kind']);
  if (textAt(document, ['apiVersion']) !== 'builtin') throw new NotModelled(`a transformer ${kind}`);
  if (kind === 'PatchTransformer') return patched(all, patchOf(document, here));
  if (kind === 'LabelTransformer') return labelled(all, mapAt(document, ['labels']));
  throw new NotModelled(`a transformer ${kind}`);
}

function patchOf(entry: Json, here: Level): Patch {
  const [path, inline] = [textAt(entry, ['path']), textAt(entry, ['patch'])];
  if (path !== '' && inline !== '') throw new Refused('patch and path can not be set at the same time');
  const target = isJsonObject(entry) ? entry['target'] : undefined;
  const text = path === '' ? inline : here.files.get(joined(here.folder, path));
  if (text === undefined) throw new Refused(`${path} of ${here.folder} is missing`);
  return { documents: yamlValues(text), target: isJsonObject(target) ? target : undefined };
}

function kustomizationIn({ files, folder }: Level): string {
  const text = files.get(joined(folder, 'kustomization.yaml'));
  if (text === undefined) throw new Refused(`${folder} has no kustomization`);
  return text;
}

function only(text: string, folder: string): JsonObject {
  const [value, ...others] = yamlValues(text);
  if (value === undefined || others.length > 0) throw new Refused(`the kustomization of ${folder} is not one document`);
  return value;
}

function texts(value: Json, key: string): readonly string[] {
  return listAt(value, [key]).map((one) => {
    if (typeof one !== 'string') throw new NotModelled(`${key} with something that is no text`);
    return one;
  });
}

function joined(folder: string, entry: string): string {
  const parts: string[] = folder === '' ? [] : folder.split('/');
  for (const part of entry.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

function fresh(value: JsonObject): Resource {
  return { value, past: [], isHashed: false };
}

function added(all: readonly Resource[], one: Resource): readonly Resource[] {
  if (all.some((other) => isSame(idOf(other.value), idOf(one.value))))
    throw new Refused(`may not add resource with an already registered id: ${idOf(one.value).name}`);
  return [...all, one];
}

function generated(entry: Json, { files, folder }: Level): Resource {
  const data: Record<string, string> = {};
  for (const one of texts(entry, 'literals')) {
    const [key = '', ...rest] = one.split('=');
    data[key] = rest.join('=');
  }
  for (const one of texts(entry, 'files')) {
    const [first = '', ...rest] = one.split('=');
    const path = rest.length === 0 ? first : rest.join('=');
    const text = files.get(joined(folder, path));
    if (text === undefined) throw new Refused(`${path} of ${folder} is missing`);
    data[rest.length === 0 ? (path.split('/').at(-1) ?? '') : first] = text;
  }
  const value = { apiVersion: 'v1', data, kind: 'ConfigMap', metadata: { name: textAt(entry, ['name']) } };
  return { value, past: [], isHashed: true };
}

/** Ten letters of no word, as kustomize makes them of a digest. */
const LETTERS: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' };

function withHash(one: Resource): JsonObject {
  if (!one.isHashed) return one.value;
  const { name } = idOf(one.value);
  const data = Object.fromEntries(Object.entries(mapAt(one.value, ['data'])).sort(([a], [b]) => (a < b ? -1 : 1)));
  // As Go prints JSON, and without the name.
  const json = JSON.stringify({ data, kind: 'ConfigMap', name: '' }).replace(
    /[<>&]/g,
    (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`,
  );
  const digest = createHash('sha256').update(json).digest('hex');
  const hash = digest.slice(0, 10).replace(/./g, (letter) => LETTERS[letter] ?? letter);
  return withMetadata(one, { name: `${name}-${hash}` }).value;
}
