/** Where our patch over a kustomize folder stands, what applies it, and what both say before anything is changed by them. */

import type { Json } from '../api/json.ts';
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

type Workload = { readonly namespace: string; readonly name: string };

/** The file of the patch of one workload. */
export function patchFile(root: string, { namespace, name }: Workload): string {
  return below(root, `${FOLDER}/${both({ namespace, name })}.yaml`);
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
export function emptyPatch({ namespace, name }: Workload, apiVersion: string): string {
  return `# What tranche changes of ${name}. It is applied last, and taken out again by tranche eject.
apiVersion: ${apiVersion}
kind: LeaderWorkerSet
metadata:
  name: ${name}
  namespace: ${namespace}
`;
}

/** The document of the other file that applies one patch. Its paths start at the kustomization that lists it. */
export function applyText(workload: Workload): string {
  return `# For kustomize: what tranche changes of ${workload.name} is done last.
apiVersion: builtin
kind: PatchTransformer
metadata:
  name: ${applyName(workload)}
path: ${patchFile('', workload)}
`;
}

/** The files that a text of those documents needs next to it, as paths of the repository. */
export function appliedFiles(root: string, text: string): readonly string[] {
  return [...text.matchAll(/^path: (tranche\/[^\s/]+\.yaml)$/gm)].map(([, path = '']) => below(root, path));
}

/** What that document is called. */
export function applyName({ namespace, name }: Workload): string {
  return `tranche-${both({ namespace, name })}`;
}

/** No two workloads have the same: `a-b` of `c` is another than `a` of `b-c`. No name of Kubernetes has a `_`. */
function both({ namespace, name }: Workload): string {
  return namespace.includes('-') ? `${namespace}_${name}` : `${namespace}-${name}`;
}

function below(root: string, path: string): string {
  return root === '' ? path : `${root}/${path}`;
}
