/** Our own files over a kustomize folder, put back as the last commit of tranche left them: the patch, its document, its entry. */

import type { Applied } from '../edits/beneath.ts';
import { editsOf } from '../edits/change-edits.ts';
import type { ObjectEdits } from '../edits/edit.ts';
import { applied } from '../edits/workload-change.ts';
import type { Snapshot } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import type { Ordered } from './ordered.ts';

/** `text`: as the last commit of tranche left it; `now`: as main has it, undefined: it is gone. */
export type WrittenPatch = { readonly file: string; readonly text: string; readonly now: string | undefined };

/** One commit with all that is missing of them; undefined: nothing is. */
export function planRepairPatch(snapshot: Snapshot, patch: WrittenPatch | undefined): Ordered | undefined {
  const { workload } = snapshot;
  const beneath = workload?.beneath;
  const files = patch === undefined || patch.now === patch.text ? [] : [patch];
  const edits = workload === undefined || beneath === undefined ? [] : appliesAgain(workload, beneath.applied);
  if (files.length + edits.length === 0) return undefined;
  const parts = [...files.map(({ file }) => file), ...edits.map(({ file }) => file)];
  const what = `repair, ${[...new Set(parts)].join(', ')} as tranche wrote ${parts.length === 1 ? 'it' : 'them'}`;
  const next = beneath === undefined ? { next: `Then look once more: ${command('repair', snapshot.key)}` } : {};
  return { kind: 'write', commits: [{ edits, files, what }], ...next };
}

function appliesAgain(
  workload: Parameters<typeof applied>[0],
  { entries, entry, kustomization }: Applied,
): readonly ObjectEdits[] {
  const place = entries.indexOf(entry);
  const last = entries.length - 1;
  const edits = editsOf(applied(workload));
  if (place < 0 || place === last) return edits;
  // What comes after it may undo a step: it becomes the last again.
  const moved: ObjectEdits = {
    ...kustomization,
    edits: [
      { kind: 'removeItem', path: ['transformers', String(place)] },
      { kind: 'insertItem', path: ['transformers', String(last)], value: entry },
    ],
  };
  return [...edits, moved];
}
