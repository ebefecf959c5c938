/** Finds out which kustomizations build a manifest, and what they change in it before the cluster sees it. */

import { imagesOf } from '../api/images.ts';
import { isJsonObject, type Json } from '../api/json.ts';
import type { FieldPath } from '../rollout/edits/edit.ts';
import { isKustomizationFile, type ManifestDocument, type ManifestFile, parseManifestFile } from './parse-file.ts';

/** A change that a kustomization makes to a workload. */
export type Transformation = {
  readonly document: ManifestDocument;
  readonly path: FieldPath;
  /** Completes "the kustomization …". */
  readonly what: string;
  readonly hint: string;
};

type World = {
  readonly files: ReadonlyMap<string, ManifestFile>;
  /** Kustomization documents by the folder they are in. */
  readonly byFolder: ReadonlyMap<string, ManifestDocument>;
};

type Question = { readonly world: World; readonly workload: ManifestDocument };

/** Asked of a workload: everything that the kustomizations which build it, directly or as a base, change in it. */
export function transformationsIn(
  files: readonly ManifestFile[],
): (workload: ManifestDocument) => readonly Transformation[] {
  const byFolder = new Map<string, ManifestDocument>();
  for (const { file, documents } of files) {
    const document = isKustomizationFile(file) ? documents[0] : undefined;
    if (document !== undefined) byFolder.set(folderOf(file), document);
  }
  const world = { files: new Map(files.map((one) => [one.file, one])), byFolder };
  const builders = buildersIn(world);
  return (workload) => {
    const question = { world, workload };
    const found = (builders.get(workload.file) ?? []).flatMap((document) =>
      withComponents(world, document).flatMap((part) => changesOf(question, part)),
    );
    // A component that several kustomizations include is one place to mend.
    return [...new Map(found.map((one) => [`${one.document.file} ${one.path.join('/')}`, one])).values()];
  };
}

/** The kustomizations that build each file: they list it, or a folder whose kustomization does. */
function buildersIn(world: World): ReadonlyMap<string, readonly ManifestDocument[]> {
  const builders = new Map<string, ManifestDocument[]>();
  for (const document of world.byFolder.values()) {
    for (const path of builtBy(world, document)) {
      const there = builders.get(path);
      if (there === undefined) builders.set(path, [document]);
      else there.push(document);
    }
  }
  return builders;
}

/** Every path that the kustomization lists, and that those below it do. */
function builtBy(world: World, document: ManifestDocument): ReadonlySet<string> {
  const parts = new Set([document]);
  const paths = new Set<string>();
  for (const part of parts) {
    for (const path of listedIn(part, ['resources', 'bases'])) {
      paths.add(path);
      const below = world.byFolder.get(path);
      if (below !== undefined) parts.add(below);
    }
  }
  return paths;
}

/** A component's changes apply to what the kustomization that includes it builds. */
function withComponents(world: World, document: ManifestDocument): readonly ManifestDocument[] {
  const parts = new Set([document]);
  for (const part of parts) {
    for (const path of listedIn(part, ['components'])) {
      const component = world.byFolder.get(path);
      if (component !== undefined) parts.add(component);
    }
  }
  return [...parts];
}

/** Paths that a list of a kustomization names, from the root of the repository. */
function listedIn(document: ManifestDocument, keys: readonly string[]): readonly string[] {
  const entries = keys.flatMap((key) => list(document.value[key]));
  return entries
    .filter((entry) => typeof entry === 'string')
    .map((entry) => resolvePath(folderOf(document.file), entry));
}

function changesOf(question: Question, document: ManifestDocument): readonly Transformation[] {
  return [...patches(question, document), ...fields(question, document)];
}

function patches(question: Question, document: ManifestDocument): readonly Transformation[] {
  const keys = ['patches', 'patchesStrategicMerge', 'patchesJson6902'];
  return keys.flatMap((key) =>
    list(document.value[key]).flatMap((patch, at): readonly Transformation[] => {
      if (!meansWorkload(question, document, patch)) return [];
      const hint = 'Move what the patch sets into the manifest itself, and take the patch away.';
      return [{ document, path: [key, String(at)], what: 'patches it', hint }];
    }),
  );
}

/** A patch says whom it means by a target, or by the kind and name in its own text. */
function meansWorkload({ world, workload }: Question, document: ManifestDocument, patch: Json): boolean {
  const { kind, name, namespace } = workload.object;
  if (isJsonObject(patch) && isJsonObject(patch['target'])) {
    const { target } = patch;
    return matches(target['kind'], kind) && matches(target['name'], name);
  }
  const text = isJsonObject(patch) ? patch['patch'] : patch;
  const path = isJsonObject(patch) ? patch['path'] : patch;
  const named = typeof path === 'string' ? world.files.get(resolvePath(folderOf(document.file), path)) : undefined;
  const parsed = named ?? (typeof text === 'string' ? parseManifestFile(document.file, text, [kind]) : undefined);
  const meant = parsed?.documents.some(({ object }) => {
    return object.kind === kind && object.name === name && (object.namespace === '' || object.namespace === namespace);
  });
  return meant === true;
}

/** A selector's text is a regular expression over the whole name; a wild one, or one we cannot read, may mean anything. */
function matches(selector: Json | undefined, text: string): boolean {
  if (typeof selector !== 'string' || selector === '' || selector === text) return true;
  return !/^[A-Za-z0-9-]+$/.test(selector);
}

function fields({ workload }: Question, document: ManifestDocument): readonly Transformation[] {
  const { value } = document;
  const { name, namespace } = workload.object;
  const found: Transformation[] = [];
  const add = (path: FieldPath, what: string, hint: string): number => found.push({ document, path, what, hint });
  for (const key of ['namePrefix', 'nameSuffix']) {
    if (isText(value[key]))
      add([key], `changes its name by ${key}`, `Write the whole name in the manifest, without ${key}.`);
  }
  const target = value['namespace'];
  if (isText(target) && target !== namespace) {
    add(
      ['namespace'],
      `moves it to the namespace ${target}`,
      `Write "namespace: ${target}" below metadata of the manifest.`,
    );
  }
  const images = imagesOf(workload.value['spec']).map(imageName);
  for (const [at, image] of list(value['images']).entries()) {
    const wanted = isJsonObject(image) ? image['name'] : undefined;
    if (!isText(wanted) || !images.includes(wanted)) continue;
    add(['images', String(at)], `changes its image ${wanted}`, 'Write the whole image with its tag in the manifest.');
  }
  for (const [at, count] of list(value['replicas']).entries()) {
    const isOurs = isJsonObject(count) && count['name'] === name;
    if (isOurs) add(['replicas', String(at)], 'changes its replicas', 'Write the replicas in the manifest.');
  }
  for (const [at, labels] of list(value['labels']).entries()) {
    const reaches = isJsonObject(labels) && labels['includeTemplates'] === true;
    if (reaches) add(['labels', String(at)], 'adds labels to pod templates', 'Write these labels in the manifest.');
  }
  if (isJsonObject(value['commonLabels'])) {
    add(['commonLabels'], 'adds labels to objects and pod templates', 'Use labels without includeTemplates instead.');
  }
  for (const key of ['transformers', 'replacements']) {
    if (list(value[key]).length > 0) add([key], `may change it by ${key}`, `Build it without ${key}.`);
  }
  return found;
}

/** `registry:5000/vllm:v1@sha256:…` → `registry:5000/vllm`. */
function imageName(image: string): string {
  const [withoutDigest = ''] = image.split('@');
  const colon = withoutDigest.lastIndexOf(':');
  return colon > withoutDigest.lastIndexOf('/') ? withoutDigest.slice(0, colon) : withoutDigest;
}

/** The folder of a file, empty for the root. */
export function folderOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
}

function resolvePath(folder: string, path: string): string {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
