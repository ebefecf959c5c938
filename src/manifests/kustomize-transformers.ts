/** Finds the files that transformers of kustomize itself take, and refuses all others: those run programs. */

import { list } from './kustomize-changes.ts';
import {
  type Found,
  followed,
  followedOrInline,
  maps,
  parted,
  type References,
  type Refusal,
} from './kustomize-rules.ts';
import { type ManifestDocument, parseManifestFile } from './parse-file.ts';

/** Transformers of kustomize itself, with the fields that name files. */
const BUILTIN: Readonly<Record<string, 'path' | 'paths' | 'replacements' | undefined>> = {
  PatchTransformer: 'path',
  PatchJson6902Transformer: 'path',
  PatchStrategicMergeTransformer: 'paths',
  ReplacementTransformer: 'replacements',
  AnnotationsTransformer: undefined,
  ImageTagTransformer: undefined,
  LabelTransformer: undefined,
  NamespaceTransformer: undefined,
  PrefixTransformer: undefined,
  SuffixTransformer: undefined,
  ReplicaCountTransformer: undefined,
};

/** Of a file of transformers, whose paths start at the folder of the kustomization that lists it. */
export function referencesOfTransformers(of: {
  readonly file: string;
  readonly text: string;
  readonly folder: string;
}): References {
  return parted(transformerReferences(of));
}

/** The same, as they are found: of a text that a kustomization holds itself as well. */
export function transformerReferences(of: {
  readonly file: string;
  readonly text: string;
  readonly folder: string;
}): readonly Found[] {
  const { file, text, folder } = of;
  // A name of its own: by that of a kustomization it would be read as one.
  const { documents, issues } = parseManifestFile(`${file}#transformers`, text, 'everything');
  const unclear = issues.map(
    ({ message }): Refusal => ({
      at: [],
      what: `has transformers that cannot be read: ${message}`,
      hint: 'Correct them.',
    }),
  );
  if (documents.length === 0 && unclear.length === 0)
    return [{ at: [], what: 'has transformers without any object', hint: 'Remove the entry.' }];
  return [...unclear, ...documents.flatMap((document) => builtinReferences(document, folder))];
}

function builtinReferences(document: ManifestDocument, folder: string): readonly Found[] {
  const { value, object, ambiguous } = document;
  const { apiVersion, kind } = object;
  const [unclear] = ambiguous;
  // Of a key with a `<<` behind it kustomize takes the key here, and what the merge brings in a kustomization.
  if (unclear !== undefined)
    return [
      {
        at: [],
        what: `has ${unclear.path} in a ${kind}, which readers of YAML take in two ways`,
        hint: 'Write keys out instead of merging them (<<), and put words and numbers into quotes.',
      },
    ];
  if (apiVersion !== 'builtin' || !Object.hasOwn(BUILTIN, kind))
    return [
      {
        at: [],
        what: `runs ${kind === '' ? 'a transformer without a kind' : kind} of ${apiVersion === '' ? 'no apiVersion' : apiVersion}`,
        hint: 'Commit what it renders, or use a transformer of kustomize itself (apiVersion: builtin).',
      },
    ];
  const field = BUILTIN[kind];
  // kustomize takes keys in any case, and letters that fold to one of these for it: `ſ` is an `s`.
  const odd = Object.keys(value).find((key) => /^(paths?|replacements)$/iu.test(key) && key !== field);
  if (odd !== undefined) return [{ at: [], what: `has ${odd} in a ${kind}`, hint: 'Remove it.' }];
  const given = field === undefined ? undefined : value[field];
  if (field === undefined || given === undefined || given === '') return [];
  if (field === 'replacements') return maps('source', 'targets')({ folder, value: given, at: [field], file: '' });
  if (field === 'path') return followed({ folder, entry: given, kind: 'file', at: [field] });
  return list(given).flatMap((entry) => followedOrInline({ folder, entry, kind: 'file', at: [field] }));
}
