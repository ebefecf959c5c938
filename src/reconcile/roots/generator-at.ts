/** Where a ConfigMap or Secret is generated that kustomize builds under a name which follows from its content. */

import { at, isJsonObject, type Json } from '../../api/json.ts';
import { list } from '../../manifests/kustomize-changes.ts';
import { isKustomizationFile, parseManifestFile } from '../../manifests/parse-file.ts';
import type { BuildInput } from '../../ports/builder.ts';

/** A name that follows from the content (kustomize writes ten of these letters): another content has another one. */
const GENERATED = /-[2456789bcdfghkmt]{10}$/;

/** Whether `ConfigMap settings-5b2d6c8f7k` has such a name. */
export function isGenerated(name: string): boolean {
  return GENERATED.test(name);
}

const GENERATORS = { ConfigMap: 'configMapGenerator', Secret: 'secretGenerator' } as const;

type Place = { readonly file: string; readonly line: number };

/** Of the generators whose name a name like that has in it, the one with the longest; undefined: there is none, or more than one. */
export function generatorAt(files: BuildInput['files'], name: string): Place | undefined {
  const key = name.startsWith('Secret ') ? GENERATORS.Secret : GENERATORS.ConfigMap;
  const own = name.slice(name.indexOf(' ') + 1).replace(GENERATED, '');
  const found = files
    .filter(({ path, text }) => isKustomizationFile(path) && text.includes(key))
    .flatMap(({ path, text }) => {
      const [document] = parseManifestFile(path, text, 'everything').documents;
      return list(document?.value[key]).flatMap((entry, place) => {
        const called = nameIn(entry);
        const line = document?.lineOf([key, String(place)]) ?? 0;
        return called !== '' && own.includes(called) ? [{ file: path, line, called }] : [];
      });
    });
  const longest = Math.max(...found.map(({ called }) => called.length));
  const [first, ...others] = found.filter(({ called }) => called.length === longest);
  return first === undefined || others.length > 0 ? undefined : { file: first.file, line: first.line };
}

function nameIn(entry: Json): string {
  const name = isJsonObject(entry) ? at(entry, ['name']) : undefined;
  return typeof name === 'string' ? name : '';
}

/** How to let the agent keep what it would delete. */
export const KEEP_HINT =
  'Let the agent keep what generators have made, in a commit before the one that changes it: generatorOptions.annotations with kustomize.toolkit.fluxcd.io/prune: disabled (Flux) or argocd.argoproj.io/sync-options: Prune=false (Argo CD).';
