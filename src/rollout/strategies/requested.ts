/** The row `requested`: somebody edited the template of an armed workload, and nothing has moved yet. */

import type { Marks } from '../../api/marks.ts';
import { printRelease, type Release, sameRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { nextPartition, partitionOf } from '../batches.ts';
import {
  blockedByUnreadyGroup,
  mixedRevisions,
  notApplied,
  recreated,
  replicasUnknown,
  scaledToZero,
  wanted,
} from '../gates/cluster.ts';
import { type Gate, holdsOf } from '../gates/gate.ts';
import { historyRewritten, noWayBack } from '../gates/git.ts';
import { disabled, paused, rolloutAbsent, stalled } from '../gates/people.ts';
import { nameGroups } from '../groups.ts';
import { type Hold, hold } from '../hold.ts';
import { type Decision, holding, type Move, moving } from '../move.ts';
import { nextRelease, type Situation } from '../situation.ts';
import { describeStep, followingStep } from '../steps.ts';
import { withdraw } from './going-back.ts';
import { overshoot } from './progress.ts';
import { stoppedPartition, supersede } from './superseding.ts';

const startGates: readonly Gate[] = [
  stalled, // wrong files
  historyRewritten, // main was force-pushed
  rolloutAbsent, // nobody asks for steps
  disabled, // a person said stop
  paused, // a person said wait
  noWayBack, // never start what cannot be undone
  replicasUnknown, // N is not ours and not readable
  notApplied, // the request is not live: late, or refused by a webhook
  scaledToZero, // on the way up everything starts on the new text
  recreated, // everything is on the new text already
  mixedRevisions, // something else is half-way
  blockedByUnreadyGroup, // LWS would not move
];

/** First match: given up, edited open, aborted before, no change at all, held, started. */
export function requested(situation: Situation): Decision {
  const { marks, partition, snapshot, digest } = situation;
  if (marks === undefined) return holding([], 'BeforeStepUpgrade');
  const release = nextRelease(digest, marks);
  const intents = snapshot.rollout?.intents;
  if (sameRelease(intents?.abort, release)) {
    return withdraw(situation, {
      release,
      reason: 'Aborted',
      because: `Release ${printRelease(release)} was aborted before its first step.`,
    });
  }
  const aborted = heldAsAborted(situation, marks);
  if (partition < SENTINEL) return aborted === undefined ? supersede(situation) : stopRoll(situation, marks, aborted);
  if (aborted !== undefined) return holding([aborted], 'BeforeStepUpgrade');
  if (invisible(situation)) return settleUnchanged(situation, marks, release);
  const over = overshoot(situation, { index: 1, release });
  const holds = [...holdsOf(startGates, situation), ...(over === undefined ? [] : [over])];
  return holds.length > 0
    ? holding(holds, 'BeforeStepUpgrade')
    : start(situation, { marks, stable: marks.stable, restore: undefined });
}

/** A text that was given up is not fought and not delivered, until somebody asks for it by name. */
export function heldAsAborted({ digest, snapshot, file }: Situation, marks: Marks): Hold | undefined {
  const given = marks.aborted.find((release) => release.digest === digest);
  if (
    given === undefined ||
    marks.aborted.some((release) => release.digest === digest && sameRelease(release, snapshot.rollout?.intents.retry))
  ) {
    return undefined;
  }
  return hold(
    'ReleaseAborted',
    `${file.file}: this template was aborted as ${printRelease(given)}. It stays armed and inert. To deliver it after all: tranche retry ${snapshot.key.name}; otherwise put another template into the file`,
  );
}

/** LWS took the text and made no new revision (traces 31d–31f): nothing will ever restart. */
function invisible({ observed, notApplied: waiting, snapshot }: Situation): boolean {
  if (observed === undefined || waiting !== undefined || snapshot.rollout?.rollout.disabled === true) return false;
  return (
    snapshot.issues.length === 0 && observed.releaseKey !== undefined && observed.releaseKey === observed.stableKey
  );
}

function settleUnchanged({ snapshot }: Situation, marks: Marks, release: Release): Decision {
  const move: Move = {
    reason: 'NoNewRevision',
    label: 'settled',
    marks: { ...marks, release, stable: snapshot.main },
    partition: undefined,
    maxUnavailable: undefined,
    text: undefined,
    why: 'LWS has applied the edited template and sees no difference to the one before, so no group will restart.',
  };
  return moving(move, 'Completed');
}

/** Somebody lowered the partition under an aborted text: stopped, not delivered. */
function stopRoll(situation: Situation, marks: Marks, aborted: Hold): Decision {
  if (situation.replicas === undefined) return holding([aborted], 'BeforeStepUpgrade');
  const stop = stoppedPartition({ ...situation, steps: [] }, situation.replicas);
  if (stop <= situation.partition) return holding([aborted], 'BeforeStepUpgrade');
  const move: Move = {
    reason: 'RollStopped',
    label: 'stop',
    marks,
    partition: stop,
    maxUnavailable: undefined,
    text: undefined,
    why: `The partition was lowered to ${situation.partition} by hand under a template that was aborted before.`,
  };
  return moving(move, 'BeforeStepUpgrade', [aborted]);
}

/** Step 1 of the file's text, or the step that a jump names. */
export function start(
  situation: Situation,
  from: Pick<Marks, 'stable' | 'restore'> & { readonly marks: Marks },
): Decision {
  const { steps, digest, replicas, snapshot, observed } = situation;
  const release = nextRelease(digest, from.marks);
  const jump = snapshot.rollout?.intents.jump;
  const index = followingStep(sameRelease(jump?.release, release) ? jump?.index : undefined, {
    current: 0,
    steps: steps.length,
  });
  const step = steps[index - 1];
  if (step === undefined || replicas === undefined) return holding([], 'BeforeStepUpgrade');
  const partition = nextPartition(SENTINEL, partitionOf(step.replicas, replicas));
  const groups = observed === undefined ? [] : wanted(observed, replicas);
  const moved = groups.filter((group) => group.index >= partition).map((group) => group.index);
  const move: Move = {
    reason: index === 1 ? 'StepReady' : 'Jumped',
    label: `step ${index}/${steps.length}`,
    marks: {
      release,
      step: { kind: 'step', index, of: steps.length },
      stable: from.stable,
      restore: { floor: partition, maxUnavailable: from.restore?.maxUnavailable },
      aborted: from.marks.aborted.filter((given) => given.digest !== digest),
    },
    partition,
    maxUnavailable: undefined,
    text: undefined,
    why: `${moved.length === 1 ? `Group ${moved[0]} moves` : `Groups ${nameGroups(moved).replace(/^groups? /, '')} move`} to release ${digest}${imageNote(situation)}: ${describeStep(step, replicas)}; the others stay. ${groups.filter((group) => group.ready).length} of ${replicas} groups are ready on ${from.marks.release.digest}.`,
  };
  return moving(move, 'StepUpgrade');
}

/** `(vllm-openai:v0.10.0 → vllm-openai:v0.10.1)` where the texts differ in an image. */
function imageNote({ workload, snapshot }: Situation): string {
  if (snapshot.stable.kind !== 'known') return '';
  const before = imagesOf(JSON.stringify(snapshot.stable.value.content));
  const after = imagesOf(JSON.stringify(workload.content));
  const gone = before.filter((image) => !after.includes(image));
  const fresh = after.filter((image) => !before.includes(image));
  return gone.length === 0 || fresh.length === 0
    ? ''
    : ` (${gone.map(short).join(', ')} → ${fresh.map(short).join(', ')})`;
}

function imagesOf(content: string): readonly string[] {
  return [...new Set([...content.matchAll(/"image":"([^"]{1,512})"/g)].map((match) => match[1] ?? ''))];
}

function short(image: string): string {
  return image.slice(image.lastIndexOf('/') + 1);
}
