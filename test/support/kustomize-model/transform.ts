/** What the fields of one kustomization change of all objects below it, each by itself. */

import { isJsonObject, type Json, type JsonObject } from '../../../src/api/json.ts';
import { changed, merged } from './merge.ts';
import { idOf, idsOf, isSame, mapAt, NotModelled, Refused, type Resource, textAt, withMetadata } from './resource.ts';

export type Patch = {
  /** Its documents. */
  readonly documents: readonly Json[];
  /** undefined: each document names its object. */
  readonly target: JsonObject | undefined;
};

/** A target without a match changes nothing; a document without one fails the build. */
export function patched(all: readonly Resource[], { documents, target }: Patch): readonly Resource[] {
  const operations = documents.length === 1 && Array.isArray(documents[0]) ? documents[0] : undefined;
  if (operations !== undefined && target === undefined) throw new Refused('must specify a target for JSON patch');
  if (target !== undefined) return all.flatMap((one) => (isTarget(one, target) ? applied(one, documents) : [one]));
  return documents.reduce<readonly Resource[]>((left, document) => {
    if (!isJsonObject(document)) throw new Refused('a patch is no object');
    const id = idOf(document);
    const found = left.filter((one) => idsOf(one).some((other) => isSame(other, id)));
    if (found.length === 1) return left.flatMap((one) => (one === found[0] ? applied(one, [document]) : [one]));
    throw new Refused(`no resource matches strategic merge patch: ${found.length} matches for Id ${id.name}`);
  }, all);
}

const TARGET_FIELDS = ['kind', 'name', 'namespace', 'group', 'version'];

function isTarget(one: Resource, target: JsonObject): boolean {
  const unknown = Object.keys(target).find((key) => !TARGET_FIELDS.includes(key));
  if (unknown !== undefined) throw new NotModelled(`a target with ${unknown}`);
  const is = (key: string, text: string): boolean => {
    const wanted = textAt(target, [key]);
    return wanted === '' || new RegExp(`^(?:${wanted})$`).test(text);
  };
  return idsOf(one).some(({ apiVersion, kind, namespace, name }) => {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const isKind = textAt(target, ['kind']) === '' || textAt(target, ['kind']) === kind;
    const isGroup = textAt(target, ['group']) === '' || textAt(target, ['group']) === group;
    const isVersion = textAt(target, ['version']) === '' || textAt(target, ['version']) === version;
    return isKind && isGroup && isVersion && is('name', name) && is('namespace', namespace);
  });
}

/** Name, namespace and kind stay, whatever a patch says. */
function applied(one: Resource, documents: readonly Json[]): readonly Resource[] {
  const { kind, name, namespace } = idOf(one.value);
  let value: JsonObject | undefined = one.value;
  for (const document of documents) {
    if (Array.isArray(document)) value = changed(value, document);
    else if (kind !== 'LeaderWorkerSet') throw new NotModelled(`a strategic merge of a ${kind}`);
    else if (isJsonObject(document)) value = merged(value, document);
    if (value === undefined) return [];
  }
  const metadata = { ...mapAt(value, ['metadata']), name };
  return [{ ...one, value: { ...value, kind, metadata: namespace === '' ? metadata : { ...metadata, namespace } } }];
}

export function inNamespace(all: readonly Resource[], namespace: string): readonly Resource[] {
  return all.map((one) => withMetadata(one, { namespace }));
}

export function renamed(all: readonly Resource[], name: (before: string) => string): readonly Resource[] {
  return all.map((one) => withMetadata(one, { name: name(idOf(one.value).name) }));
}

export function labelled(all: readonly Resource[], labels: JsonObject, key = 'labels'): readonly Resource[] {
  return all.map((one) => withMetadata(one, { [key]: { ...mapAt(one.value, ['metadata', key]), ...labels } }));
}

/** Every container at any depth. */
export function withImage(all: readonly Resource[], image: JsonObject): readonly Resource[] {
  return all.map((one) => ({ ...one, value: mapAt({ value: imagesIn(one.value, image) }, ['value']) }));
}

function imagesIn(value: Json, image: JsonObject): Json {
  if (Array.isArray(value)) return value.map((one) => imagesIn(one, image));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isList = (key === 'containers' || key === 'initContainers') && Array.isArray(inner);
      return [key, isList ? inner.map((one) => container(one, image)) : imagesIn(inner, image)];
    }),
  );
}

function container(one: Json, image: JsonObject): Json {
  if (!isJsonObject(one) || typeof one['image'] !== 'string') return one;
  const [, name = '', tag = '', digest = ''] = /^(.*?)(:[^:@/]*)?(@.*)?$/.exec(one['image']) ?? [];
  if (name !== textAt(image, ['name'])) return one;
  const newName = textAt(image, ['newName']) || name;
  const [newTag, newDigest] = [textAt(image, ['newTag']), textAt(image, ['digest'])];
  if (newDigest !== '') return { ...one, image: `${newName}@${newDigest}` };
  return { ...one, image: newTag === '' ? `${newName}${tag}${digest}` : `${newName}:${newTag}` };
}
