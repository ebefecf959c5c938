/** Our own files over a kustomize folder, put back as the last commit of tranche left them: the patch, its document, its entry. */

import type { Applied } from '../edits/beneath.ts';
import { editsOf } from '../edits/change-edits.ts';
import type { ObjectEdits } from '../edits/edit.ts';
import { applied } from '../edits/workload-change.ts';
import type { Snapshot, WorkloadFile } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import type { Ordered } from './ordered.ts';

/** `text`: as the last commit of tranche left it; `now`: as main has it, undefined: it is gone. */
export type WrittenPatch = { readonly file: string; readonly text: string; readonly now: string | undefined };

/** One commit with all that is missing of them; undefined: nothing is. */
export function planRepairPatch(snapshot: Snapshot, written: readonly WrittenPatch[]): Ordered | undefined {
  const { workload } = snapshot;
  const beneath = workload?.beneath;
  const files = written.filter(({ now, text }) => now !== text);
  const whole = files.map(({ file }) => file);
  const entered = workload === undefined || beneath === undefined ? [] : appliesAgain(workload, beneath.applied);
  const edits = entered.filter(({ file }) => !whole.includes(file));
  if (files.length + edits.length === 0) return undefined;
  const parts = [...whole, ...edits.map(({ file }) => file)];
  const what = `repair, ${[...new Set(parts)].join(', ')} as tranche wrote ${parts.length === 1 ? 'it' : 'them'}`;
  const next = beneath === undefined ? { next: `Then look once more: ${command('repair', snapshot.key)}` } : {};
  return { kind: 'write', commits: [{ edits, files, what }], ...next };
}

function appliesAgain(workload: WorkloadFile, of: Applied): readonly ObjectEdits[] {
  const { entries, entry, kustomization, own } = of;
  const edits = editsOf(applied(workload));
  const isRight = own.length === 0 || (own.length === 1 && own[0] === entries.length - 1 && entries.at(-1) === entry);
  if (isRight) return edits;
  // What comes after it may undo a step: it becomes the last again, and the only one.
  const moved: ObjectEdits = {
    ...kustomization,
    edits: [
      ...own.toReversed().map((place) => ({ kind: 'removeItem', path: ['transformers', String(place)] }) as const),
      { kind: 'insertItem', path: ['transformers', String(entries.length - own.length)], value: entry },
    ],
  };
  return [...edits, moved];
}
