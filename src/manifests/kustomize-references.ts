/** Finds every file and folder that one kustomization takes, and everything in it that kustomize may not be asked to build. */

import { isJsonObject, type Json } from '../api/json.ts';
import { list } from './kustomize-changes.ts';
import {
  type Found,
  followed,
  followedOrInline,
  isInline,
  maps,
  NO_MAP,
  parted,
  paths,
  type References,
  type Rule,
  unknownKeys,
} from './kustomize-rules.ts';
import { transformerReferences } from './kustomize-transformers.ts';
import type { ManifestDocument } from './parse-file.ts';
import { folderOf } from './paths.ts';

const nothing: Rule = () => [];

/** A kustomization runs no program of ours: what it builds must follow from files alone. */
const program: Rule = ({ value, at }) => {
  const entries: readonly Json[] = Array.isArray(value) ? value : [value];
  if (entries.length === 0) return [];
  // A list that starts with nothing has more behind it, which kustomize runs.
  const first = entries.find((entry) => entry !== null);
  const name = isJsonObject(first) && typeof first['name'] === 'string' ? ` ${first['name']}` : '';
  return [
    {
      at,
      what: `builds objects by ${at.join('.')}${name}`,
      hint: 'Commit what it renders, and list that file under resources.',
    },
  ];
};

const vars: Rule = ({ value, at }) =>
  list(value).length === 0
    ? []
    : [
        {
          at,
          what: 'has vars, which kustomize is about to drop',
          hint: 'Use replacements (kustomize edit fix --vars).',
        },
      ];

const validators: Rule = ({ value, at }) =>
  list(value).length === 0 ? [] : [{ at, what: 'runs validators', hint: 'Run them in CI, and remove them here.' }];

const GENERATED = ['files', 'envs', 'env', 'literals', 'name', 'namespace', 'behavior', 'options', 'type', 'immutable'];

/** `files` are `path` or `key=path`; the name of a Secret's file tells nothing of what is in it. */
const generated: Rule = ({ folder, value, at }) =>
  list(value).flatMap((entry, place): readonly Found[] => {
    const here = [...at, String(place)];
    if (!isJsonObject(entry)) return [{ at: here, ...NO_MAP }];
    const named = (key: string, pathOf: (text: Json) => Json): readonly Found[] =>
      list(entry[key]).flatMap((one, index) =>
        followed({ folder, entry: pathOf(one), kind: 'file', at: [...here, key, String(index)] }),
      );
    const env = entry['env'];
    return [
      ...unknownKeys(entry, GENERATED, here),
      ...named('files', (one) => (typeof one === 'string' ? one.slice(one.indexOf('=') + 1) : one)),
      ...named('envs', (one) => one),
      ...(env === undefined || env === '' ? [] : followed({ folder, entry: env, kind: 'file', at: [...here, 'env'] })),
    ];
  });

/** Each is a path, or the patch itself. */
const mergePatches: Rule = ({ folder, value, at }) =>
  list(value).flatMap((entry, place) => followedOrInline({ folder, entry, kind: 'file', at: [...at, String(place)] }));

const transformers: Rule = ({ folder, value, at, file }) =>
  list(value).flatMap((entry, place): readonly Found[] => {
    const here = [...at, String(place)];
    const found = followedOrInline({ folder, entry, kind: 'transformers', at: here });
    if (!isInline(entry)) return found;
    const within = transformerReferences({ file, text: entry, folder }).map((one) => ({ ...one, at: here }));
    return within.some((one) => 'what' in one) ? within : [...within, ...found];
  });

const openapi: Rule = ({ folder, value, at }) => {
  if (!isJsonObject(value)) return [];
  const path = value['path'];
  return [
    ...unknownKeys(value, ['path', 'version'], at),
    ...(path === undefined ? [] : followed({ folder, entry: path, kind: 'file', at: [...at, 'path'] })),
  ];
};

/** Every field of a kustomization (types.Kustomization of api v0.21.1). One that is not here is refused. */
const FIELDS: Readonly<Record<string, Rule>> = {
  apiVersion: nothing,
  kind: nothing,
  metadata: nothing,
  openapi,
  namePrefix: nothing,
  nameSuffix: nothing,
  namespace: nothing,
  commonLabels: nothing,
  labels: nothing,
  commonAnnotations: nothing,
  patchesStrategicMerge: mergePatches,
  patchesJson6902: maps('patch', 'target', 'options'),
  patches: maps('patch', 'target', 'options'),
  images: nothing,
  imageTags: nothing,
  replacements: maps('source', 'targets'),
  replicas: nothing,
  vars,
  sortOptions: nothing,
  resources: paths('either'),
  components: paths('folder'),
  crds: paths('file'),
  bases: paths('folder'),
  configMapGenerator: generated,
  secretGenerator: generated,
  helmGlobals: nothing,
  helmCharts: program,
  helmChartInflationGenerator: program,
  generatorOptions: nothing,
  configurations: paths('file'),
  generators: program,
  transformers,
  validators,
  buildMetadata: nothing,
};

/** Of the document of a kustomization file. */
export function referencesOf({ file, value }: ManifestDocument): References {
  const folder = folderOf(file);
  return parted([
    ...unknownKeys(value, Object.keys(FIELDS), []),
    ...Object.entries(FIELDS).flatMap(([key, rule]) => {
      const field = value[key];
      return field === undefined || field === null ? [] : rule({ folder, value: field, at: [key], file });
    }),
  ]);
}
