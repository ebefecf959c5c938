/** What applies our patch over a kustomize folder: the document, the entry of `transformers`, and what of them is missing. */

import type { Json } from '../../api/json.ts';
import { APPLY_ENTRY, applyFile, applyName, applyText, emptyPatch, isApplyEntry } from '../../manifests/patch-place.ts';
import { splitDocuments } from '../../manifests/split-documents.ts';
import type { Applied } from '../../rollout/edits/beneath.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import type { BuiltOver } from '../documents/built-over.ts';
import type { RootView } from './read-roots.ts';
import type { Source } from './stand-in.ts';

/** What makes the patch of a workload count, as main has it: what is missing of it comes with the next commit of ours. */
export function appliedBy({
  root,
  view,
  source,
  named,
  desired,
}: {
  readonly root: string;
  readonly view: RootView | undefined;
  readonly source: Source;
  readonly named: BuiltOver['named'];
  readonly desired: Pick<Desired, 'texts' | 'blobs'>;
}): Applied {
  const lists = applyFile(root);
  const read = desired.texts.get(lists) ?? (view?.input ?? source.input).files.find(({ path }) => path === lists)?.text;
  const text = desired.blobs.get(lists) === undefined ? '' : (read ?? '');
  const isThere = splitDocuments(lists, text).some(({ start, end }) =>
    text
      .slice(start, end)
      .split('\n')
      .includes(`  name: ${applyName(named)}`),
  );
  const made = {
    patch: emptyPatch(named),
    transformer: {
      file: lists,
      object: { apiVersion: 'builtin', kind: 'PatchTransformer', name: applyName(named), namespace: '' },
      text: applyText(named),
      isThere,
    },
    entry: APPLY_ENTRY,
    isShared: splitDocuments(lists, text).length > 1,
  };
  if (view === undefined) return { ...made, kustomization: NO_KUSTOMIZATION, entries: [APPLY_ENTRY], own: [0] };
  const { file, object, value } = view.root.document;
  const listed = value['transformers'];
  const entries: readonly Json[] = Array.isArray(listed) ? listed : [];
  const own = entries.flatMap((entry, place) => (isApplyEntry(entry) ? [place] : []));
  return { ...made, kustomization: { file, object }, entries, own, ...(own.length > 0 ? {} : { value }) };
}

/** Gone from main: nothing is written into it. */
const NO_KUSTOMIZATION = { file: '', object: { apiVersion: '', kind: 'Kustomization', name: '', namespace: '' } };
