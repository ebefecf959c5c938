/** Decides what one kustomization, or what an agent adds to it, changes in an object before the cluster sees it. */

import { imagesOf } from '../api/images.ts';
import { at, isJsonObject, type Json, type JsonObject } from '../api/json.ts';
import type { FieldPath } from '../rollout/edits/edit.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from './parse-file.ts';
import { resolvePath } from './paths.ts';

/** A change that a kustomization makes to an object. */
export type Transformation = {
  readonly document: ManifestDocument;
  readonly path: FieldPath;
  /** Who makes it: `the kustomization`. */
  readonly by: string;
  /** Completes the sentence that starts with `by`. */
  readonly what: string;
  readonly hint: string;
};

/** The fields of a kustomization, wherever they are written: in its own file, or below `spec` of an agent's object. */
export type BuildPart = {
  readonly document: ManifestDocument;
  /** Where the fields stand in the document. */
  readonly under: FieldPath;
  readonly value: JsonObject;
  /** From the root of the repository: what the paths in `value` start from. */
  readonly folder: string;
  readonly by: string;
};

/** An object, and what is known of other files. */
export type Question = {
  readonly object: ManifestDocument;
  readonly files: ReadonlyMap<string, ManifestFile>;
  /** Whether a file is known to be there, read or not. */
  readonly isThere: (path: string) => boolean;
};

/** Everything that the part changes in the object. */
export function changesOf(question: Question, part: BuildPart): readonly Transformation[] {
  const rules = [patches, names, images, replicas, labels, configurations, substitutions, others, program];
  return rules.flatMap((rule) =>
    rule(question, part).map(({ path, what, hint }) => {
      return { document: part.document, path: [...part.under, ...path], by: part.by, what, hint };
    }),
  );
}

type Change = { readonly path: FieldPath; readonly what: string; readonly hint: string };
type Rule = (question: Question, part: BuildPart) => readonly Change[];

const patches: Rule = (question, part) => {
  const keys = ['patches', 'patchesStrategicMerge', 'patchesJson6902'];
  return keys.flatMap((key) =>
    list(part.value[key]).flatMap((patch, place): readonly Change[] => {
      if (!isMeant(question, part, patch)) return [];
      const hint = 'Move what the patch sets into the manifest itself, and remove the patch.';
      return [{ path: [key, String(place)], what: 'patches it', hint }];
    }),
  );
};

/** A patch says which objects it means by a target, or by the kind and name in its own text. */
function isMeant({ files, object }: Question, { document, folder }: BuildPart, patch: Json): boolean {
  const { kind, name, namespace } = object.object;
  if (isJsonObject(patch) && isJsonObject(patch['target'])) {
    const { target } = patch;
    return matches(target['kind'], kind) && matches(target['name'], name);
  }
  const text = isJsonObject(patch) ? patch['patch'] : patch;
  const path = isJsonObject(patch) ? patch['path'] : patch;
  const named = typeof path === 'string' ? files.get(resolvePath(folder, path)) : undefined;
  const parsed = named ?? (typeof text === 'string' ? parseManifestFile(document.file, text, [kind]) : undefined);
  const meant = parsed?.documents.some(({ object: other }) => {
    return other.kind === kind && other.name === name && (other.namespace === '' || other.namespace === namespace);
  });
  // Text that cannot be read before something is filled in may mean anything.
  return meant === true || (named === undefined && (parsed?.issues.length ?? 0) > 0);
}

/** A selector's text is a regular expression over the whole name; a wild one, or one we cannot read, may mean anything. */
function matches(selector: Json | undefined, text: string): boolean {
  if (typeof selector !== 'string' || selector === '' || selector === text) return true;
  return !/^[A-Za-z0-9-]+$/.test(selector);
}

const names: Rule = ({ object }, { value }) => {
  const found: Change[] = ['namePrefix', 'nameSuffix'].flatMap((key) => {
    if (!isText(value[key])) return [];
    return [
      {
        path: [key],
        what: `changes its name by ${key}`,
        hint: `Write the whole name in the manifest, without ${key}.`,
      },
    ];
  });
  const { namespace } = object.object;
  // Flux moves an object without a namespace to where tranche.yaml may say that the files of this folder go.
  const moves: readonly (readonly [key: string, isMoved: boolean])[] = [
    ['namespace', true],
    ['targetNamespace', namespace !== ''],
  ];
  for (const [key, isMoved] of moves) {
    const target = value[key];
    if (!isText(target) || target === namespace || !isMoved) continue;
    const hint = `Write "namespace: ${target}" below metadata of the manifest.`;
    found.push({ path: [key], what: `moves it to the namespace ${target}`, hint });
  }
  return found;
};

/** As an entry of kustomize, or as Argo CD writes one: `vllm=registry:5000/vllm:v2`. */
const images: Rule = ({ object }, { value }) => {
  const there = imagesOf(object.value['spec']).map(imageName);
  return list(value['images']).flatMap((image, place): readonly Change[] => {
    const wanted = typeof image === 'string' ? imageName(image.split('=')[0] ?? '') : at(image, ['name']);
    if (!isText(wanted) || !there.includes(wanted)) return [];
    const hint = 'Write the whole image with its tag in the manifest, and remove this entry.';
    return [{ path: ['images', String(place)], what: `changes its image ${wanted}`, hint }];
  });
};

/** Measured on kustomize 5.5: an entry that names a LeaderWorkerSet fails the build, so the agent applies nothing. */
const replicas: Rule = ({ object }, { value }) =>
  list(value['replicas']).flatMap((count, place): readonly Change[] => {
    if (!isJsonObject(count) || count['name'] !== object.object.name) return [];
    return [
      {
        path: ['replicas', String(place)],
        what: 'names it under replicas, where kustomize refuses to build anything but Deployments, StatefulSets, ReplicaSets and ReplicationControllers',
        hint: 'Write the replicas in the manifest, and remove this entry.',
      },
    ];
  });

/**
 * Measured on kustomize 5.5: labels reach `metadata.labels` of a LeaderWorkerSet and no pod template of it, whatever
 * `includeTemplates` says, unless `fields` names a path in it. They reach the selector of a Service.
 */
const labels: Rule = ({ object }, { value }) => {
  const { kind } = object.object;
  const found = list(value['labels']).flatMap((entry, place): readonly Change[] => {
    const path = ['labels', String(place)];
    const selects = kind === 'Service' && at(entry, ['includeSelectors']) === true;
    if (selects) return [{ path, what: 'adds labels to its selector', hint: 'Write these labels in the manifest.' }];
    const isNamed = list(at(entry, ['fields'])).some((field) => matches(at(field, ['kind']), kind));
    return isNamed
      ? [{ path, what: 'adds labels to fields of it', hint: 'Write these labels in the manifest, and remove fields.' }]
      : [];
  });
  if (kind !== 'Service' || !isJsonObject(value['commonLabels'])) return found;
  const hint = 'Use labels without includeSelectors instead.';
  return [...found, { path: ['commonLabels'], what: 'adds labels to its selector', hint }];
};

/** Settings of kustomize itself can make labels, names and references reach any field of the kinds that they name. */
const configurations: Rule = ({ object, files, isThere }, { value, folder }) =>
  ['configurations', 'crds'].flatMap((key) =>
    list(value[key]).flatMap((entry, place): readonly Change[] => {
      const path = typeof entry === 'string' ? resolvePath(folder, entry) : '';
      const text = files.get(path)?.text;
      // Files keep their text where it names a kind that is read: one without text names none.
      const isElsewhere = text === undefined ? isThere(path) : !text.includes(object.object.kind);
      if (isElsewhere) return [];
      const hint = `Build it without this entry of ${key}, or with one that does not name ${object.object.kind}.`;
      return [{ path: [key, String(place)], what: `may change it by ${key}`, hint }];
    }),
  );

const SUBSTITUTE = 'kustomize.toolkit.fluxcd.io/substitute';

/** Flux fills in `${…}` of everything that it has built, but in objects that say no. */
const substitutions: Rule = ({ object }, { value }) => {
  const { postBuild } = value;
  const given = ['substitute', 'substituteFrom'].some((key) => Object.keys(at(postBuild, [key]) ?? {}).length > 0);
  if (!given || !JSON.stringify(object.value).includes('${')) return [];
  const isOff = ['labels', 'annotations'].some((key) => at(object.value, ['metadata', key, SUBSTITUTE]) === 'disabled');
  if (isOff) return [];
  const hint = `Label ${object.object.kind} ${object.object.name} with "${SUBSTITUTE}: disabled", or apply it by a Kustomization without postBuild.`;
  return [{ path: ['postBuild'], what: 'fills in its ${…} after the build', hint }];
};

const others: Rule = (_, { value }) => {
  const lists = ['transformers', 'replacements'].filter((key) => list(value[key]).length > 0);
  const found: Change[] = lists.map((key) => {
    return { path: [key], what: `may change it by ${key}`, hint: `Build it without ${key}.` };
  });
  const hint = 'Write the annotation in the manifest.';
  const set = [['commonAnnotations'], ['commonMetadata', 'annotations']].flatMap((path): readonly Change[] => {
    // An annotation of LeaderWorkerSet is a setting: exclusive topology re-creates every group.
    const own = Object.keys(at(value, path) ?? {}).find((key) => OWN_SETTING.test(key));
    return own === undefined ? [] : [{ path: [...path, own], what: `sets its annotation ${own}`, hint }];
  });
  return [...found, ...set];
};

const OWN_SETTING = /^(leaderworkerset\.sigs\.k8s\.io|tranche\.dev)\//;

/** A field of Argo CD alone. */
const program: Rule = (_, { under, value }) => {
  const { version } = value;
  if (!isText(version) || under.at(-1) !== 'kustomize') return [];
  const hint = 'Remove it: one kustomize for all that the agent builds, and in tranche the same.';
  return [{ path: ['version'], what: `builds it with kustomize ${version}`, hint }];
};

/** `registry:5000/vllm:v1@sha256:…` → `registry:5000/vllm`. */
function imageName(image: string): string {
  const [withoutDigest = ''] = image.split('@');
  const colon = withoutDigest.lastIndexOf(':');
  return colon > withoutDigest.lastIndexOf('/') ? withoutDigest.slice(0, colon) : withoutDigest;
}

/** The entries of a list; none where it is none. */
export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
