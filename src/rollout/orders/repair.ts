/** The annotations of a workload as the last commit of tranche wrote them: what a hand or a revert changed is put right. */

import type { RendererEntry } from '../../api/helm-release.ts';
import { INTENT } from '../../api/intents.ts';
import type { Known } from '../../api/known.ts';
import { MARK, MARK_NAMES, type Marks, printMarks } from '../../api/marks.ts';
import { shellWord } from '../../api/shell-word.ts';
import { SENTINEL } from '../../api/workload.ts';
import { REPLICAS_PATH } from '../../api/workload-paths.ts';
import { entryBack } from '../edits/carried-edits.ts';
import type { Edit, ObjectEdits } from '../edits/edit.ts';
import { newerRecord } from '../gates/git.ts';
import type { Snapshot } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { type Ordered, type Refused, refused } from './ordered.ts';
import { planRepairPatch, type WrittenPatch } from './repair-patch.ts';
import { withStepAgain } from './step-again.ts';

/** The document of the workload, also where its annotations cannot be read, and what main's own line says of them. */
export type WrittenMarks = {
  readonly document: (Pick<ObjectEdits, 'file' | 'object'> & Annotated) | undefined;
  readonly marks: Known<Marks>;
  /** Of a workload that kustomize builds: files of ours that main has lost or somebody edited. */
  readonly files?: readonly WrittenPatch[];
  /** What the Rollout keeps of a workload that tranche took out of its file; not there: no commit of ours did, or it has come back. */
  readonly note?: Pick<ObjectEdits, 'file' | 'object'> & Pick<Annotated, 'annotations'> & { readonly value: string };
  /** Of a workload that a HelmRelease renders: the entry of ours; not there: no commit of ours tells. */
  readonly entry?: RendererEntry;
};

type Annotated = {
  readonly annotations: Readonly<Record<string, string>>;
  /** Those that stand there twice: of them one must go, whatever it says. */
  readonly twice: readonly string[];
};

/**
 * All annotations of a delivery in one commit, those that are to go included: some of them next to older others would
 * say something that no commit of tranche ever meant. No other field is touched.
 */
export function planRepair({
  snapshot,
  written,
}: {
  readonly snapshot: Snapshot;
  readonly written?: WrittenMarks;
}): Ordered {
  const newer = newerRecord(snapshot);
  if (newer !== undefined) return refused(newer.message);
  const { document, marks, files = [], note } = written ?? {};
  const back = handedBack(snapshot, document);
  if (back !== undefined) return back;
  const kept = note === undefined ? undefined : planNote(note);
  if (kept !== undefined) return kept;
  const again = planRepairPatch(snapshot, files);
  if (again !== undefined) return again;
  if (document === undefined || marks === undefined)
    return refused(
      'the LeaderWorkerSet is not among the files, so there is nothing to repair. Put its manifest back first',
    );
  if (marks.kind !== 'known')
    return refused(
      `${marks.kind === 'unknown' ? marks.why : 'main has no commit in which tranche wrote annotations for it'}. Put the annotations back by hand as a commit of main had them (git log -p ${shellWord(document.file)}), or hand the workload back: ${command('eject', snapshot.key)}`,
    );
  const whole = withStepAgain(snapshot, marks.value);
  const entry = entryAgain(snapshot, whole, written?.entry);
  const annotations = different(document, whole);
  const edits = [...annotations, ...entry];
  if (edits.length === 0)
    return refused(
      `the annotations of ${document.object.name} are those that the last commit of tranche wrote: there is nothing to repair`,
    );
  const parts = [...(annotations.length === 0 ? [] : ['annotations']), ...(entry.length === 0 ? [] : ['entry'])];
  const what = `repair, ${parts.join(' and ')} of ${document.object.name} as tranche wrote them`;
  const { file, object } = document;
  return { kind: 'write', commits: [{ edits: [{ file, object, edits }], what }], ...afterwards(snapshot, whole) };
}

/** A workload that was handed back has none, and gets none; one that is in a delivery of a disabled Rollout goes by those that it has. */
function handedBack({ rollout }: Snapshot, document: WrittenMarks['document']): Refused | undefined {
  const hasOne = Object.values(MARK).some((name) => document?.annotations[name] !== undefined);
  if (rollout?.rollout.disabled !== true || hasOne) return undefined;
  return refused(
    `the Rollout is disabled (spec.disabled), and the workload has no annotation of tranche. To have it deliver again, remove spec.disabled in ${rollout.file}`,
  );
}

/** What is to come back, as the commit wrote it that took the workload out of its file; undefined: that is what the Rollout keeps. */
function planNote({ file, object, annotations, value }: NonNullable<WrittenMarks['note']>): Ordered | undefined {
  if (annotations[INTENT.recreating] === value) return undefined;
  const edits: readonly Edit[] = [{ kind: 'set', path: ['metadata', 'annotations', INTENT.recreating], value }];
  const what = `repair, ${INTENT.recreating} of ${object.name} as tranche wrote it`;
  const next = 'The next passes put the LeaderWorkerSet back into its file.';
  return { kind: 'write', commits: [{ edits: [{ file, object, edits }], what }], next };
}

/**
 * The entry of ours in a HelmRelease. Without a step it follows from the annotations, and locks; else it is the one that was
 * written last, and where nobody knows that, an abort writes one.
 */
function entryAgain(
  { workload }: Snapshot,
  { release, step }: Marks,
  written: RendererEntry | undefined,
): readonly Edit[] {
  const carried = workload?.carried;
  if (carried === undefined || workload?.beneath !== undefined) return [];
  const { namespace } = written ?? {};
  const locked = { name: carried.name, namespace, inputs: release.digest, partition: SENTINEL };
  const to = step === undefined ? locked : written;
  return to === undefined ? [] : entryBack(carried, to);
}

function different({ annotations, twice }: Annotated, marks: Marks): readonly Edit[] {
  const values = printMarks(marks);
  return MARK_NAMES.flatMap((key): readonly Edit[] => {
    const [name, value] = [MARK[key], values[key]];
    if (annotations[name] === value && !twice.includes(name)) return [];
    const path = ['metadata', 'annotations', name];
    return [value === undefined ? { kind: 'remove', path } : { kind: 'set', path, value }];
  });
}

/** What came back next to the annotations is no annotation, and whose it is nobody knows: groups that get no request. */
function afterwards({ workload }: Snapshot, { serves, step }: Marks): { readonly next?: string } {
  const groups = workload?.workload.replicas ?? 0;
  if (serves !== 'green' || step !== undefined || workload === undefined || groups === 0) return {};
  return {
    next: `${workload.object.name} gets no requests and has ${REPLICAS_PATH.join('.')} ${groups}: put 0 into ${workload.file} unless somebody needs its groups`,
  };
}
