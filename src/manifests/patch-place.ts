/** Where our patch over a kustomize folder stands, what applies it, and what both say before anything is changed by them. */

import { CARRIER_API_VERSION, CARRIER_KIND } from '../api/carrier.ts';
import type { Json } from '../api/json.ts';
import { LWS_KIND } from '../api/kinds.ts';
import { LWS_API_VERSION } from '../api/rollout.ts';
import { isKustomizationFile } from './parse-file.ts';
import { folderOf } from './paths.ts';

const FOLDER = 'tranche';
const APPLY = 'apply.yaml';

/** The entry of `transformers` that applies our patches, as seen from the kustomization. */
export const APPLY_ENTRY = `${FOLDER}/${APPLY}`;

/** Whether an entry is that one, as kustomize takes it: people may write `./` in front of it. */
export function isApplyEntry(entry: Json): boolean {
  if (typeof entry !== 'string' || entry.startsWith('/')) return false;
  const parts = entry.split('/').filter((part) => part !== '' && part !== '.');
  return parts.join('/') === APPLY_ENTRY;
}

/** The object of a build that a patch of ours is for: whichever has the partition. `kind` not there: a LeaderWorkerSet. */
export type Patched = { readonly namespace: string; readonly name: string; readonly kind?: typeof CARRIER_KIND };

/** What an object is to be, to be patched by us; undefined: it is of no such kind. */
export function patchedAs(kind: string, named: Omit<Patched, 'kind'>): Patched | undefined {
  const { namespace, name } = named;
  if (kind === CARRIER_KIND) return { namespace, name, kind };
  return kind === LWS_KIND ? { namespace, name } : undefined;
}

/** Whether both are one object. */
export function samePatched(one: Patched, other: Patched): boolean {
  return one.name === other.name && one.namespace === other.namespace && one.kind === other.kind;
}

/** The kind and version that it has in a build. */
export function typeOf({ kind }: Patched): { readonly apiVersion: string; readonly kind: string } {
  return kind === undefined
    ? { apiVersion: LWS_API_VERSION, kind: LWS_KIND }
    : { apiVersion: CARRIER_API_VERSION, kind };
}

/** The file of the patch of one object. */
export function patchFile(root: string, patched: Patched): string {
  return below(root, `${FOLDER}/${both(patched)}.yaml`);
}

/** The file that lists our patches for kustomize. */
export function applyFile(root: string): string {
  return below(root, APPLY_ENTRY);
}

/** The folder whose kustomization applies this patch, by the place of the file; undefined: it is at no place of a patch. */
export function rootOfPatch(file: string): string | undefined {
  const folder = folderOf(file);
  const isPlace = folder === FOLDER || folder.endsWith(`/${FOLDER}`);
  if (!isPlace || !file.endsWith('.yaml') || file === below(folder, APPLY) || isKustomizationFile(file))
    return undefined;
  return folderOf(folder);
}

/** Whether a file is at a place where tranche alone writes: a patch, or what applies patches. */
export function isOwnFile(file: string): boolean {
  const folder = folderOf(file);
  return (
    rootOfPatch(file) !== undefined ||
    (file === below(folder, APPLY) && rootOfPatch(below(folder, 'x.yaml')) !== undefined)
  );
}

/** The patch before it changes anything: it names its object, so that a build without that object fails. */
export function emptyPatch(patched: Patched): string {
  const { namespace, name } = patched;
  const { apiVersion, kind } = typeOf(patched);
  return `# What tranche changes of ${name}. It is applied last, and taken out again by tranche eject.
apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: ${name}
  namespace: ${namespace}
`;
}

/** The document of the other file that applies one patch. Its paths start at the kustomization that lists it. */
export function applyText(patched: Patched): string {
  return `# For kustomize: what tranche changes of ${patched.name} is done last.
apiVersion: builtin
kind: PatchTransformer
metadata:
  name: ${applyName(patched)}
path: ${patchFile('', patched)}
`;
}

/** The files that a text of those documents needs next to it, as paths of the repository. */
export function appliedFiles(root: string, text: string): readonly string[] {
  return [...text.matchAll(/^path: (tranche\/[^\s/]+\.yaml)$/gm)].map(([, path = '']) => below(root, path));
}

/** What that document is called. */
export function applyName(patched: Patched): string {
  return `tranche-${both(patched)}`;
}

/** No two objects have the same: `a-b` of `c` is another than `a` of `b-c`. No name of Kubernetes has a `_`, nor an upper-case letter. */
function both({ namespace, name, kind }: Patched): string {
  const named = namespace.includes('-') ? `${namespace}_${name}` : `${namespace}-${name}`;
  return kind === undefined ? named : `${kind}_${named}`;
}

function below(root: string, path: string): string {
  return root === '' ? path : `${root}/${path}`;
}
