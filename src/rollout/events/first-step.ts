/** The first step of a request: the marks it gets, and the commit that lets its first groups go. */

import { imagesOf } from '../../api/images.ts';
import type { Marks } from '../../api/marks.ts';
import { type Release, shortDigest, shortRelease } from '../../api/release.ts';
import { putAside, type Restore } from '../../api/restore.ts';
import { SENTINEL } from '../../api/workload.ts';
import { noWholeStep, wholeChange, wholeReason } from '../edits/size-change.ts';
import { type Draft, drafting, type WorkloadFields, type WorkloadMove } from '../edits/workload-change.ts';
import { surgeToCome } from '../gates/surge.ts';
import { hold } from '../hold.ts';
import { holding, type Move, type MoveReason } from '../move.ts';
import { nextPartition, partitionOf } from '../observed/batches.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { surgeInGit } from '../observed/surge.ts';
import { nextRelease, type Seen, type Situation } from '../situation.ts';
import { firstIndex } from '../step-to-come.ts';
import { describeStep, isJump } from '../steps.ts';
import { changedText } from '../texts/changed-files.ts';
import { capital, extraGroups, moreGroups, ofGroupsAre } from '../texts/sentences.ts';

/** The lowest partition is not known before it is written. */
export const NOTHING_ASIDE: Restore = { floor: 0, maxUnavailable: undefined };

/** The marks of step 1 of the file's text; a template that was aborted before is so no longer. */
export function firstStep(
  { steps, digest }: Situation,
  from: { readonly marks: Marks; readonly restore: Restore },
): Marks {
  return {
    release: nextRelease(digest, from.marks),
    step: { kind: 'step', index: 1, of: Math.max(1, steps.length) },
    stable: from.marks.stable,
    restore: from.restore,
    aborted: from.marks.aborted.filter((given) => given.digest !== digest),
    ...(from.marks.serves === undefined ? {} : { serves: from.marks.serves }),
  };
}

/** What a first step starts with. */
type From = {
  readonly marks: Marks;
  readonly restore: Restore | undefined;
  readonly maxUnavailable: WorkloadFields['maxUnavailable'];
  /** The release that was being delivered, and what the commit says of the budget; not there: none was. */
  readonly overtaken?: { readonly release: Release; readonly budget: string };
};

/**
 * Step 1 of the file's text, or the step that a jump names. `restore` is what an earlier release of the same delivery
 * has put aside, and its floor; `maxUnavailable` is set with the step.
 */
export function start(situation: Seen, from: From): Draft {
  const { steps, replicas, observed, state } = situation;
  const sizes = wholeChange(situation);
  const refused = noWholeStep(situation);
  if (refused !== undefined) return holding([refused], 'BeforeStepUpgrade');
  if (surgeToCome(situation) > 0 || (state.kind === 'step' && state.row === 'surging'))
    return prepareSurge(situation, from);
  const { release, ...first } = firstStep(situation, { marks: from.marks, restore: NOTHING_ASIDE });
  const index = firstIndex(situation, release);
  const step = steps[index - 1];
  if (step === undefined)
    return holding(
      [hold('Stalled', { seen: 'the Rollout has no steps', action: 'Write at least one under steps of its strategy' })],
      'BeforeStepUpgrade',
    );
  const partition = nextPartition(SENTINEL, partitionOf(step.replicas, replicas));
  const groups = wanted(observed, replicas);
  const moved = groups.filter((group) => group.index >= partition && group.version !== 'release');
  const fields: WorkloadMove = {
    ...said(from, {
      reason:
        sizes !== undefined
          ? 'SizeChanged'
          : isJump(index, { current: 0, steps: steps.length })
            ? 'Jumped'
            : 'StepReady',
      index,
      why: `${moveText(situation, moved)}: ${describeStep(step, replicas)}${moved.length === replicas ? '' : '; the others stay'}. ${readyText(situation, groups)}${changedNote(situation)}${sizes === undefined ? '' : ` ${wholeReason(situation, { sizes, after: 0 })}`}`,
    }),
    label: `step ${index}/${steps.length}`,
    marks: {
      release,
      ...first,
      step: { kind: 'step', index, of: steps.length },
      restore: putAside(from.restore, {
        floor: Math.min(partition, from.restore?.floor ?? partition),
        maxUnavailable: from.restore?.maxUnavailable,
      }),
    },
    partition: partition === situation.partition ? undefined : partition,
    maxUnavailable: from.maxUnavailable,
  };
  return drafting(fields, 'BeforeStepUpgrade');
}

/**
 * Step 0: the partition at N, where it lets nobody go, and only once that is live the extra groups. With both in one
 * commit an appended group could come up on the old version (trace 34d). Taken over from an older release that was
 * here, the extra groups that are there follow the newer template.
 */
function prepareSurge(situation: Seen, from: From): Draft {
  const { steps, replicas, snapshot } = situation;
  const partition = nextPartition(situation.partition, replicas);
  const floor = Math.min(partition, from.restore?.floor ?? partition);
  const marks = firstStep(situation, {
    marks: from.marks,
    restore: putAside(from.restore, { floor, maxUnavailable: from.restore?.maxUnavailable }),
  });
  const surge = surgeInGit(situation.workload);
  const next =
    surge !== undefined
      ? `${capital(extraGroups(surge))} ${surge.set - surge.was === 1 ? 'follows' : 'follow'} it`
      : snapshot.policy.surge === 0
        ? 'Step 1 is next'
        : `Next, as a RolloutPolicy asks, ${moreGroups(snapshot.policy.surge, situation.workload.size)}, so that capacity does not dip`;
  const fields: WorkloadMove = {
    ...said(from, {
      reason: 'SurgePrepared',
      index: 0,
      why: `Release ${shortDigest(situation.digest)}${imageNote(situation, situation.observed.groups)} starts. Partition ${partition} lets none of the ${replicas} groups restart. ${next}.`,
    }),
    label: `step 0/${Math.max(1, steps.length)}`,
    marks: { ...marks, step: { kind: 'step', index: 0, of: Math.max(1, steps.length) } },
    partition: partition === situation.partition ? undefined : partition,
    maxUnavailable: from.maxUnavailable,
  };
  return drafting(fields, 'BeforeStepUpgrade');
}

/** What people have changed, where kustomize builds the workload: its own file says nothing of that. */
function changedNote({ file }: Situation): string {
  const changed = changedText(file.beneath?.changed);
  return changed === '' ? '' : ` It was asked for by ${changed}.`;
}

/** Where it overtakes another, the commit says that first, and has that for its reason. */
function said(
  { overtaken }: From,
  { reason, index, why }: { readonly reason: MoveReason; readonly index: number; readonly why: string },
): Pick<Move, 'reason' | 'why'> {
  if (overtaken === undefined) return { reason, why };
  const first = `The template was edited while ${shortRelease(overtaken.release)} was being delivered; the newer template is taken from step ${index}.`;
  return { reason: 'Superseded', why: `${first} ${why}${overtaken.budget}` };
}

/** `Group 3 moves to release 9c41d2e0 (vllm-openai:v0.10.0 → vllm-openai:v0.10.1)`: groups that are on it already do not. */
function moveText(situation: Situation, moved: readonly Group[]): string {
  const { digest } = situation;
  if (moved.length === 0) return `Release ${shortDigest(digest)} starts, and no group moves`;
  const names = nameGroups(moved.map((group) => group.index));
  return `${capital(names)} ${moved.length === 1 ? 'moves' : 'move'} to release ${shortDigest(digest)}${imageNote(situation, moved)}`;
}

/** How many serve, and on what: after a release that was overtaken they are not all on the stable template. */
function readyText({ snapshot, observed, replicas }: Seen, groups: readonly Group[]): string {
  const ready = groups.filter((group) => group.ready);
  const count = `${ofGroupsAre(ready.length, replicas)} ready`;
  if (snapshot.stable.kind !== 'known' || observed.stableKey === undefined) return `${count}.`;
  const stable = ready.filter((group) => group.key === observed.stableKey).length;
  const { digest } = snapshot.stable.value.release;
  return stable === ready.length
    ? `${count} on ${shortDigest(digest)}.`
    : `${count}, ${stable} of them on ${shortDigest(digest)}.`;
}

/** ` (vllm-openai:v0.10.0 → vllm-openai:v0.10.1)` where the template differs in an image from those that `groups` are on. */
function imageNote({ workload, snapshot }: Situation, groups: readonly Group[]): string {
  const { revisions } = snapshot.live;
  if (revisions.kind !== 'known') return '';
  const keys = groups.flatMap(({ leader }) => leader.key ?? []);
  const there = revisions.value.filter((revision) => keys.includes(revision.key));
  const before = imagesOf(there.map(({ content }) => content));
  const after = imagesOf(workload.content);
  const gone = before.filter((image) => !after.includes(image));
  const fresh = after.filter((image) => !before.includes(image));
  return gone.length === 0 || fresh.length === 0
    ? ''
    : ` (${gone.map(short).join(', ')} → ${fresh.map(short).join(', ')})`;
}

function short(image: string): string {
  return image.slice(image.lastIndexOf('/') + 1);
}
