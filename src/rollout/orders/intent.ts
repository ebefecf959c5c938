/** An order as a commit: approve, abort and the rest, written where the next pass reads them. */

import { printAcknowledge } from '../../api/acknowledge-intent.ts';
import { ACCEPTABLE, printAccepts, printApprove, printStepIntent } from '../../api/intents.ts';
import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { absent } from '../../api/known.ts';
import { inShort, printRelease, sameRelease, shortRelease } from '../../api/release.ts';
import { releaseToAccept } from '../accepting.ts';
import { type AtStep, beforeFirst, currentStep, requestedRelease } from '../approvable.ts';
import { wantsEvidence } from '../gates/evidence.ts';
import type { RolloutFile, Snapshot } from '../snapshot.ts';
import { jumpRefusal } from '../steps.ts';
import { command } from '../texts/command-text.ts';
import { policySaying } from '../texts/sentences.ts';
import { type AbortOrder, type AbortScene, abort, behindAll, releaseAtRest, stepGone } from './abort.ts';
import { requestsWait } from './abort-terms.ts';
import { groupsElsewhere } from './groups-elsewhere.ts';
import { type Ordered, type Refused, refused } from './ordered.ts';
import { type PauseOrder, pause, pauseMeanwhile } from './pause.ts';
import { proposeFresh } from './propose.ts';
import { retry } from './retry.ts';
import { annotate, type Said } from './said.ts';
import { planUndo } from './undo.ts';
import { unreadMark, unreadWorkload } from './unread-workload.ts';

type ApproveOrder = {
  readonly kind: 'approve';
  readonly step: number | undefined;
  /** Not the step's pause is ended, but this hold is accepted for what the last pass has seen. */
  readonly hold?: string | undefined;
  /** `begun`: refused while the step is not done, as that skips a pause nobody has seen yet. Not there: `any`. */
  readonly pause?: 'begun' | 'any';
};

export type Intent =
  | ApproveOrder
  | { readonly kind: 'jump'; readonly step: number }
  | AbortOrder
  | { readonly kind: 'retry'; readonly release: string | undefined }
  /** Back from a settled release, to the one before or to the one that is named. */
  | { readonly kind: 'undo'; readonly to: string | undefined }
  | PauseOrder
  | { readonly kind: 'acknowledge' }
  /** What was closed, or reverted, is proposed once more. */
  | { readonly kind: 'propose' };

/** What an intent is planned on. The core does not hash: `digestOf` names facts as an acceptance does. */
type IntentScene = AbortScene & { readonly digestOf: (facts: JsonObject) => string };

const NOBODY_KNOWS = 'so nobody knows what is being delivered';

/** Turns an intent into edits of the Rollout. Every one names the release that it is meant for. */
export function planIntent(intent: Intent, scene: IntentScene): Ordered {
  const { rollout } = scene.snapshot;
  if (rollout === undefined) return intent.kind === 'abort' ? abortAlone(intent, scene) : noRollout(scene.snapshot);
  if (intent.kind === 'undo') {
    const again = (): Ordered => planIntent({ kind: 'abort', keepNewer: false }, scene);
    return planUndo(intent, { ...scene, settled: scene.settled ?? absent, rollout, abort: again });
  }
  const said = saidOf(intent, scene, rollout);
  if (said.kind === 'refused') return said;
  const edits = [{ file: rollout.file, object: rollout.object, edits: said.edits }];
  const next = nextOf(intent, scene.snapshot);
  const more = { ...(next === undefined ? {} : { next }), ...(said.at && { at: said.at }) };
  return { kind: 'write', commits: [{ edits, what: said.what }], ...more };
}

/** What the person orders afterwards; undefined: nothing. */
function nextOf(intent: Intent, snapshot: Snapshot): string | undefined {
  if (intent.kind === 'pause') return pauseMeanwhile(snapshot);
  const isAtOnce = intent.kind === 'abort' && intent.now === true && intent.outage !== true;
  return isAtOnce ? requestsWait(snapshot) : undefined;
}

function noRollout({ key }: Snapshot, more = ''): Refused {
  return refused(
    `there is no Rollout that can be read. If it was removed, add it again, or hand the workload back: ${command('eject', key)}; else tranche lint says what is wrong${more}`,
  );
}

/** Without a Rollout the brake is written on the LeaderWorkerSet itself: what is in progress has to end all the same. */
function abortAlone(intent: AbortOrder, scene: IntentScene): Ordered {
  const { snapshot } = scene;
  const { workload } = snapshot;
  if (workload === undefined && unreadMark(snapshot) !== undefined) return unreadWorkload(snapshot, NOBODY_KNOWS);
  const isOpen = [snapshot.lostMarks, workload?.workload.marks].some((marks) => marks?.step !== undefined);
  const isAsked = isOpen || releaseAtRest(intent, scene) !== undefined;
  const gone = isAsked ? undefined : stepGone(snapshot);
  if (gone !== undefined) return refused(gone);
  if (workload === undefined || !isAsked) return noRollout(snapshot, behindAll(snapshot));
  const said = abort(intent, scene);
  if (said.kind === 'refused') return said;
  const { file, object } = workload;
  return { kind: 'write', commits: [{ edits: [{ file, object, edits: said.edits }], what: said.what }] };
}

function saidOf(intent: Exclude<Intent, { readonly kind: 'undo' }>, scene: IntentScene, rollout: RolloutFile): Said {
  const { snapshot } = scene;
  if (intent.kind === 'pause' || intent.kind === 'resume') return pause(intent, rollout, snapshot);
  if (intent.kind === 'acknowledge') return acknowledge(snapshot);
  if (intent.kind === 'propose') return proposeFresh(snapshot);
  const kept = rollout.intents.recreating;
  if (intent.kind === 'abort' && kept !== undefined && kept.way === 'forward')
    return annotate('abort', printRelease(kept.release), `abort ${shortRelease(kept.release)}`);
  if (snapshot.workload === undefined) return unreadWorkload(snapshot, NOBODY_KNOWS);
  if (intent.kind === 'approve')
    return intent.hold === undefined ? approve(intent, snapshot) : accept(intent.hold, intent.step, scene);
  if (intent.kind === 'jump') return jump(intent.step, snapshot);
  if (intent.kind === 'abort')
    return isElsewhere(scene) ? accept('GroupsElsewhere', undefined, scene) : abort(intent, scene);
  return retry(intent.release, snapshot);
}

/** Nothing is in progress by the marks, and the last pass has seen groups of the user's own on another template: these are to go back. */
function isElsewhere({ snapshot: { workload, record, lostMarks }, putBack, open }: AbortScene): boolean {
  // A delivery whose annotations or file somebody took back is in progress by main, whatever a record says.
  if (lostMarks?.step !== undefined || (putBack ?? open) !== undefined) return false;
  const marks = workload?.workload.marks;
  const isSettled = marks !== undefined && marks.step === undefined && marks.release.digest === workload?.digest;
  return isSettled && groupsElsewhere(record);
}

function acknowledge({ history, main }: Snapshot): Said {
  if (history.kind === 'continued')
    return refused('main was not rewritten since the last pass, so there is nothing to acknowledge');
  if (history.acknowledged) return refused('it is acknowledged already');
  const { recorded } = history;
  const what = `acknowledge main at ${main.slice(0, 12)}, without ${recorded.slice(0, 12)}`;
  return annotate('acknowledge', printAcknowledge({ recorded, main }), what);
}

function approve({ step, pause: wanted = 'any' }: ApproveOrder, snapshot: Snapshot): Said {
  const proposes = snapshot.policy.promotion === 'pullRequest';
  if (wantsEvidence(snapshot))
    return refused(
      `${policySaying(snapshot, 'approvals')} wants the forge to show who approved, so this word would count for nothing. Merge the pull request that tranche has opened: ${command('status', snapshot.key)}`,
    );
  const current = currentStep(snapshot) ?? (proposes ? beforeFirst(snapshot) : undefined);
  if (current === undefined)
    return refused(
      `no step is in flight, so there is nothing to approve. ${command('status', snapshot.key)} says where it stands`,
    );
  if (step !== undefined && step !== current.index)
    return refused(`step ${current.index} is current, not step ${step}`);
  if (current.index === 0 && !proposes)
    return refused(
      'the extra groups are still starting and step 1 is not in Git yet, so there is no pause to end. A hold that someone may accept is named: --hold Overshoot',
    );
  if (wanted === 'begun' && !proposes && !isDone(current, snapshot))
    return refused(
      `step ${current.index} is not done, as far as the last pass has seen: its pause would be skipped. To skip it all the same: ${command('approve', snapshot.key, '--early')}`,
    );
  // Given before its groups are there it ends the pause that is still to come, and skips nothing else.
  const partition = snapshot.workload?.workload.partition;
  const what = current.index === 0 ? 'the start' : `step ${current.index}`;
  return annotate(
    'approve',
    printApprove({ ...current, partition }),
    `approve ${what} of ${shortRelease(current.release)}`,
  );
}

/** Whether the last pass has seen every group of the step ready: its pause counts from then. */
function isDone({ index, release }: AtStep, { record }: Snapshot): boolean {
  const step = record?.step;
  return step?.index === index && sameRelease(step.release, release) && step.doneSince !== undefined;
}

/**
 * Accepts a hold for what the last pass has seen, which is said with it. What was accepted of this release in addition to
 * stays so.
 */
function accept(wish: string, step: number | undefined, { snapshot, digestOf }: IntentScene): Said {
  const { rollout, workload, record, key } = snapshot;
  const reason = ACCEPTABLE.find((known) => known === wish);
  if (reason === undefined || workload === undefined)
    return refused(`${wish} is no hold that someone may accept. These are: ${ACCEPTABLE.join(', ')}`);
  if (step !== undefined) return refused('--step and --hold are two orders: a pause is ended, or a hold is accepted');
  const { facts } = record?.holds.find((found) => found.reason === reason) ?? {};
  if (facts === undefined)
    return refused(
      `the last pass has seen no ${reason} that someone may accept. ${command('status', key)} says what it waits for`,
    );
  const release = releaseToAccept({ marks: workload.workload.marks, digest: workload.digest });
  const others = (rollout?.intents.accept ?? []).filter(
    (given) => given.reason !== reason && sameRelease(given.release, release),
  );
  const accepts = [...others, { reason, release, facts: digestOf(facts) }];
  return annotate('accept', printAccepts(accepts), `accept ${reason} of ${shortRelease(release)}: ${tell(facts)}`);
}

/** `partition 0, expected 3`; `replicas 4, groups 2 3`. */
function tell(value: Json): string {
  if (Array.isArray(value)) return value.map(tell).join(value.some(isJsonObject) ? '; ' : ' ');
  if (typeof value === 'string') return inShort(value);
  if (!isJsonObject(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, inside]) => `${name} ${tell(inside)}`)
    .join(', ');
}

function jump(step: number, snapshot: Snapshot): Said {
  const current = currentStep(snapshot);
  const release = current?.release ?? requestedRelease(snapshot);
  const steps = snapshot.rollout?.rollout.steps.length ?? 0;
  if (release === undefined) return refused('nothing is being delivered, so there is no step to jump to');
  const refusal = jumpRefusal(step, { current: current?.index ?? 0, steps });
  if (refusal !== undefined) return refused(refusal);
  return annotate(
    'jump',
    printStepIntent({ index: step, release }),
    `jump to step ${step} of ${shortRelease(release)}`,
  );
}
