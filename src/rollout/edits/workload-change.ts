/** The move of a strategy that steps the user's LeaderWorkerSet: from the fields that it wants to changes of objects. */

import { ABSENT, type FieldValue, samePath } from '../../api/field.ts';
import type { IntOrPercent } from '../../api/int-or-percent.ts';
import type { Marks } from '../../api/marks.ts';
import type { StepState } from '../../api/record.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import type { Hold } from '../hold.ts';
import { type Decision, type Move, wayOf } from '../move.ts';
import type { Situation } from '../situation.ts';
import type { EditedFile, Stable, WorkloadFile } from '../snapshot.ts';
import type { Beneath } from './beneath.ts';
import { type FieldChange, type ObjectChange, type ObjectContent, workloadField, workloadIn } from './change.ts';
import type { Edit, FieldPath } from './edit.ts';

/** What the LeaderWorkerSet is to have; undefined: it stays as it is. */
export type WorkloadFields = {
  readonly marks: Marks;
  readonly partition?: number | undefined;
  /** `ABSENT`: the key goes, as it was not there before the delivery. */
  readonly maxUnavailable?: IntOrPercent | typeof ABSENT | undefined;
  readonly replicas?: number | undefined;
  /** Fields that were put aside. */
  readonly home?: readonly FieldChange[] | undefined;
  /** The template that takes the place of the file's release content. */
  readonly text?: Stable | undefined;
  /** Other fields of the same document. */
  readonly more?: readonly FieldChange[] | undefined;
};

/** The same with its name, and why. */
export type WorkloadMove = Pick<Move, 'reason' | 'label' | 'why'> & WorkloadFields;

/**
 * What a row decides before it is a move: as a decision, but with the fields that the LeaderWorkerSet is to have, so that a
 * strategy can put more into the same commit. A row that makes its move by other means has none.
 */
export type Draft = Omit<Decision, 'fields'> & { readonly fields?: WorkloadMove | undefined };

/** One commit as a draft, and what is waited for as well. */
export function drafting(
  fields: WorkloadMove,
  stepState: StepState,
  holds: readonly Hold[] = [],
  stepDone = false,
): Draft {
  return { move: undefined, fields, holds, stepDone, stepState };
}

/** The decision of a draft, whose commit edits the user's LeaderWorkerSet and nothing else. */
export function decisionOf(of: { readonly file: WorkloadFile }, { fields, ...draft }: Draft): Decision {
  return fields === undefined ? draft : { ...draft, move: workloadMove(of, fields) };
}

/** A move that edits the user's LeaderWorkerSet, and these other objects. */
export function workloadMove(
  { file }: { readonly file: WorkloadFile },
  { reason, label, why, ...fields }: WorkloadMove,
  others: readonly ObjectChange[] = [],
): Move {
  const changes = [workloadEdit(file, fields), ...applied(file), ...others];
  return { reason, way: wayOf(reason, changes), label, marks: fields.marks, changes, why };
}

/** P as Git has it after the move; LWS reads a missing one as 0. */
export function partitionAfter({ partition }: Pick<Situation, 'partition'>, move: Move | undefined): number {
  const to = move === undefined ? undefined : workloadField(move.changes, PARTITION_PATH)?.to;
  return typeof to === 'number' ? to : partition;
}

/** The same of a draft. */
export function partitionDrafted(
  { partition }: Pick<Situation, 'partition'>,
  { fields }: Pick<Draft, 'fields'>,
): number {
  return fields?.partition ?? partition;
}

/** Whether the move puts an earlier template back. */
export function putsTemplateBack(move: Move | undefined): boolean {
  return move !== undefined && workloadIn(move.changes)?.content.source !== undefined;
}

/** The change of the user's LeaderWorkerSet where it stands. */
export function workloadEdit(file: WorkloadFile, to: WorkloadFields): ObjectChange {
  const { object, beneath, carried } = file;
  const content = workloadContent(file, to);
  const release = carried === undefined ? {} : { carried: { now: carried, source: to.text?.rendered } };
  if (beneath !== undefined && !beneath.isAdopted) {
    const document = { kind: 'insert', note: NO_NOTE, source: beneath.applied.patch } as const;
    return { kind: 'create', file: file.file, object, document, ...content, beneath, ...release };
  }
  if (carried !== undefined) return { kind: 'edit', file: file.file, object, ...content, beneath, ...release };
  if (beneath === undefined) return { kind: 'edit', file: file.file, object, ...content };
  const fields = content.fields.map((field) => overBuild(field, beneath));
  return { kind: 'edit', file: file.file, object, ...content, fields, beneath };
}

/** Nothing stands in the place of a patch that is not there. */
const NO_NOTE = 'the patch of tranche';

/** What makes a patch count, as far as it is not there: the document that applies it, and its entry as the last of the kustomization. */
export function applied({ beneath }: Pick<WorkloadFile, 'beneath'>): readonly ObjectChange[] {
  if (beneath === undefined) return [];
  const { transformer, kustomization, entries, entry, value } = beneath.applied;
  const { file, object, text: source } = transformer;
  const document = { kind: 'insert', note: NO_NOTE, source } as const;
  const made: readonly ObjectChange[] = transformer.isThere
    ? []
    : [{ kind: 'create', file, object, document, fields: [] }];
  if (value === undefined) return made;
  const edits: readonly Edit[] = [{ kind: 'insertItem', path: ['transformers', String(entries.length)], value: entry }];
  const to = { ...value, transformers: [...entries, entry] };
  return [...made, { kind: 'exact', ...kustomization, edits, from: value, to }];
}

/** A field that goes from our patch is afterwards what people's own files say, whatever that has become since. */
function overBuild(field: FieldChange, { replicas, maxUnavailable }: Beneath): FieldChange {
  const own = samePath(field.path, MAX_UNAVAILABLE_PATH) ? maxUnavailable : replicas;
  const isOwn = samePath(field.path, MAX_UNAVAILABLE_PATH) || samePath(field.path, REPLICAS_PATH);
  return isOwn && typeof field.to === 'object' ? { ...field, to: own ?? ABSENT } : field;
}

/** The fields, marks and text of the user's LeaderWorkerSet, from a document that has the content of `digest`. */
export function workloadContent(
  { workload, digest, beneath }: Pick<EditedFile, 'workload'> & Pick<WorkloadFile, 'digest' | 'beneath'>,
  to: WorkloadFields,
): ObjectContent {
  const field = (path: FieldPath, from: FieldValue = ABSENT, wanted: FieldValue = from): readonly FieldChange[] =>
    // What cannot be read counts as absent, and a move that leaves it alone is none the worse for it.
    from === ABSENT && wanted === ABSENT ? [] : [{ path, from, to: wanted }];
  const home = (path: FieldPath): FieldValue | undefined => to.home?.find((one) => samePath(one.path, path))?.to;
  const maxUnavailable = to.maxUnavailable ?? home(MAX_UNAVAILABLE_PATH);
  return {
    fields: [
      ...field(REPLICAS_PATH, workload.replicas, to.replicas ?? home(REPLICAS_PATH)),
      // Left alone, it may be an alias that follows a template that is put back.
      ...(maxUnavailable === undefined ? [] : field(MAX_UNAVAILABLE_PATH, workload.maxUnavailable, maxUnavailable)),
      ...field(PARTITION_PATH, workload.partition, to.partition),
      ...(to.more ?? []),
    ],
    workload: {
      marks: { from: workload.marksInFile ?? workload.marks, to: to.marks },
      content: {
        digest: to.text?.release.digest ?? digest,
        source: to.text?.text,
        ...(to.text === undefined || beneath === undefined ? {} : { parts: Object.keys(to.text.content) }),
      },
    },
  };
}
