/** Which fields of a rendered LeaderWorkerSet become those of the branch: annotations, partition, numbers, a label, a template. */

import { ABSENT, type FieldValue, sameValue } from '../../api/field.ts';
import { INTENT } from '../../api/intents.ts';
import { at, type Json } from '../../api/json.ts';
import { RELEASE_PATHS } from '../../api/release-content.ts';
import { versionPath } from '../../api/version-label.ts';
import { SENTINEL } from '../../api/workload.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { fieldEdit, markEdits } from '../../rollout/edits/change-edits.ts';
import type { Edit } from '../../rollout/edits/edit.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';

/** One object as the branch has it, and as it was rendered. */
export type Pair = { readonly before: ManifestDocument; readonly after: ManifestDocument | undefined };

/** `notes`: what people should know of it. */
export type Edited = { readonly edits: readonly Edit[]; readonly notes: readonly string[] };

/** The marks and numbers of the branch on the rendered document. */
export function steppedEdits(old: WorkloadFile, fresh: WorkloadFile, { before, after }: Required<Pair>): Edited {
  const { marks } = old.workload;
  const { restore, aborted = [] } = marks ?? {};
  const isAborted = aborted.some(({ digest }) => digest === fresh.digest) && old.digest !== fresh.digest;
  const numbers: readonly (readonly [path: readonly string[], from: FieldValue, to: FieldValue])[] = [
    // While green serves, this workload is the empty colour.
    marks?.serves === undefined
      ? asideOf(REPLICAS_PATH, fresh.workload.replicas, restore?.replicas)
      : [REPLICAS_PATH, fresh.workload.replicas ?? ABSENT, old.workload.replicas ?? ABSENT],
    asideOf(MAX_UNAVAILABLE_PATH, fresh.workload.maxUnavailable, restore?.maxUnavailable),
    [PARTITION_PATH, fresh.workload.partition ?? ABSENT, isAborted ? kept(old, fresh) : partitionFor(old, fresh)],
  ];
  const template = isAborted ? RELEASE_PATHS.map((path): Edit => ({ kind: 'restore', path, source: before.text })) : [];
  return {
    edits: [
      ...markEdits(fresh.workload.marks, marks),
      ...annotationsKept({ before, after }, [INTENT.abort]),
      ...numbers.flatMap(([path, from, to]) => fieldEdit({ path, from, to })),
      ...(old.digest === fresh.digest ? labelKept(old, fresh, after) : []),
      ...template,
    ],
    notes: notesOf(fresh, { isAborted, after, name: before.object.name }),
  };
}

/** A partition that the branch has lost is no reason to take that of the render away. */
function kept(old: WorkloadFile, fresh: WorkloadFile): FieldValue {
  return old.workload.partition ?? fresh.workload.partition ?? ABSENT;
}

/**
 * Groups that a step has released would take another template at once: it arrives locked, and tranche takes it from step 1. The
 * stable template is none: somebody who puts it back wants these groups on it, also where tranche does not run.
 */
function partitionFor(old: WorkloadFile, fresh: WorkloadFile): FieldValue {
  const isKnown = fresh.digest === old.digest || fresh.digest === old.workload.marks?.stable?.digest;
  return isKnown ? kept(old, fresh) : Math.max(SENTINEL, old.workload.partition ?? SENTINEL);
}

/** A number of the user's that the delivery has changed; one that the render changes as well is the user's newer one. */
function asideOf(
  path: readonly string[],
  now: FieldValue | undefined,
  aside: { readonly was: FieldValue | undefined; readonly set: FieldValue } | undefined,
): readonly [path: readonly string[], from: FieldValue, to: FieldValue] {
  const from = now ?? ABSENT;
  const isUsers = aside === undefined || !sameValue(from, aside.was ?? ABSENT);
  return [path, from, isUsers ? from : aside.set];
}

/** Without the label by which routes find the version, the same template would be a new revision of the workload. */
function labelKept(old: WorkloadFile, fresh: WorkloadFile, after: ManifestDocument | undefined): readonly Edit[] {
  const value = old.workload.version;
  if (after === undefined || value === undefined || value === fresh.workload.version) return [];
  return [{ kind: 'set', path: versionPath(after.value), value }];
}

type Noted = { readonly isAborted: boolean; readonly after: ManifestDocument | undefined; readonly name: string };

function notesOf(
  { workload: { partition, marks } }: WorkloadFile,
  { isAborted, after, name }: Noted,
): readonly string[] {
  const of = `${after?.file ?? ''}: LeaderWorkerSet ${name}`;
  const seen = partition === undefined ? 'without a partition' : `with partition ${partition}`;
  return [
    ...(isAborted ? [`${of} brings a release that was aborted: the template of the branch stays`] : []),
    // With annotations of ours it is no source's: they were carried into it before.
    ...((partition ?? 0) >= SENTINEL || marks !== undefined ? [] : [`${of} is rendered ${seen}. ${LOCKED}`]),
  ];
}

const LOCKED = `Write partition: ${SENTINEL} in its source, so that a render that is committed without carry restarts nothing.`;

/** Those of these annotations that the branch has and the render does not. */
export function annotationsKept({ before, after }: Required<Pair>, keys: readonly string[]): readonly Edit[] {
  return keys.flatMap((key): readonly Edit[] => {
    const value = annotationIn(before, key);
    const isThere = after !== undefined && annotationIn(after, key) !== undefined;
    const path = ['metadata', 'annotations', key];
    return isThere || typeof value !== 'string' ? [] : [{ kind: 'set', path, value }];
  });
}

/** The annotation as it stands in the document. */
export function annotationIn({ value }: ManifestDocument, key: string): Json | undefined {
  return at(value, ['metadata', 'annotations', key]);
}
