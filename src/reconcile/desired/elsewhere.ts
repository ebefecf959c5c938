/** Where a workload may be that is among no documents: a patch or a note of ours that is lost, another name, an agent, a chart. */

import type { Config } from '../../api/config.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { type Elsewhere, elsewhereIn, lostPatches, renamedTo } from '../../manifests/built-elsewhere.ts';
import { noteOf } from '../../rollout/edits/out-of-file.ts';
import type { Settled } from '../documents/claims.ts';
import type { Unseen } from '../documents/desired-issues.ts';
import type { FileIds } from '../documents/file-ids.ts';
import type { ManifestIndex } from '../documents/manifest-index.ts';
import { renderedInto } from '../helm/rendered-into.ts';

type Read = {
  readonly blobs: FileIds;
  readonly texts: ReadonlyMap<string, string>;
  readonly claims: Pick<Settled, 'files'>;
  readonly index: Pick<ManifestIndex, 'helmReleases'>;
  readonly config: Config;
};

/** Looks where one is missing alone, and through the files once: there may be as many that are missing as there are files. */
export function elsewhereOf({ blobs, texts, claims, index, config }: Read): Pick<Unseen, 'lost' | 'elsewhere'> {
  const patches = lazy(() => lostPatches({ paths: blobs.all(), texts }));
  const noted = lazy(() => [...texts].filter(([, text]) => text.includes(NOTED)));
  const renamed = lazy(() => renamedTo(claims.files));
  const brought = lazy(() => elsewhereIn(claims.files).slice(0, 1));
  const rendered = lazy(() => renderedInto(index.helmReleases(), config));
  const lost: Unseen['lost'] = (one) => [...patches()(one), ...notesOf(noted(), one)];
  const elsewhere: Unseen['elsewhere'] = (one) => [...renamed()(one), ...brought(), ...rendered()(one)];
  return { lost, elsewhere };
}

/** What is made when it is first asked for, and then known. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** What all notes start with. */
const NOTED = `# tranche: ${LWS_KIND} `;

/** Files in which tranche left a note in its place, though no Rollout keeps any more what is to come back. */
function notesOf(
  texts: readonly (readonly [file: string, text: string])[],
  { namespace, name }: Parameters<Unseen['lost']>[0],
): readonly Elsewhere[] {
  const notes = [namespace, ''].map((there) => `# ${noteOf({ kind: LWS_KIND, namespace: there, name })}`);
  return texts.flatMap(([file, text]) => {
    if (!notes.some((note) => text.includes(note))) return [];
    const line = text.split(/\r?\n/).findIndex((one) => notes.includes(one.trimEnd())) + 1;
    if (line === 0) return [];
    const what = 'says that tranche took it out to re-create it, and tranche.dev/recreating of the Rollout is missing';
    const hint = 'Order tranche repair of the Rollout, which writes that back: the next passes put the document back.';
    return [{ file, line, what, hint }];
  });
}
