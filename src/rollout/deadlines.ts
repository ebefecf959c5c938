/** How long a delivery has waited for what, as the record counts it, and which deadlines of policies are over. */

import type { Marks } from '../api/marks.ts';
import type { PolicyFieldName, PolicyRules } from '../api/policy-rules.ts';
import type { WaitClocks, Waited } from '../api/record.ts';
import { sameRelease } from '../api/release.ts';
import { historyRewritten } from './gates/git.ts';
import { disabled, paused, rolloutAbsent, stalled } from './gates/people.ts';
import { policyMissing } from './gates/policy-missing.ts';
import { type Hold, ORDINARY_REQUEUE_SECONDS } from './hold.ts';
import { unliveOnLadder } from './ladders/judged.ts';
import { isSameStep, recordedCounts } from './progress/restarts.ts';
import { judgedGroups } from './progress/step-failures.ts';
import type { Situation } from './situation.ts';
import { isRouted } from './state.ts';

type Clock = keyof Waited;

/** The deadlines of policies: what each counts, and over what. Only `ready` may lead back. */
const DEADLINES = {
  applyDeadlineSeconds: { clock: 'apply', of: 'step' },
  scheduleDeadlineSeconds: { clock: 'schedule', of: 'step' },
  readyDeadlineSeconds: { clock: 'ready', of: 'step' },
  deliveryApplyDeadlineSeconds: { clock: 'apply', of: 'delivery' },
  deliveryScheduleDeadlineSeconds: { clock: 'schedule', of: 'delivery' },
  deliveryReadyDeadlineSeconds: { clock: 'ready', of: 'delivery' },
} as const satisfies Partial<Readonly<Record<PolicyFieldName, { readonly clock: Clock; readonly of: Scope }>>>;

type Scope = 'step' | 'delivery';
type DeadlineField = keyof typeof DEADLINES;

const FIELDS: readonly DeadlineField[] = Object.keys(DEADLINES).filter(isDeadline);
const CLOCKS: readonly Clock[] = ['apply', 'schedule', 'ready'];
const NOTHING: Waited = { apply: 0, schedule: 0, ready: 0 };

function isDeadline(field: string): field is DeadlineField {
  return Object.hasOwn(DEADLINES, field);
}

/** A deadline that is over, seen by two passes; it is waited for just now, too. Seconds. */
export type Expired = {
  readonly field: DeadlineField;
  readonly clock: Clock;
  readonly of: Scope;
  readonly waited: number;
  readonly most: number;
};

/**
 * Those that are over, that an earlier pass has seen over as well, and whose wait goes on: a pass may have misread the
 * cluster or its clock once.
 */
export function expiredDeadlines(situation: Situation): readonly Expired[] {
  const counted = waitedSeen(situation);
  if (counted === undefined) return [];
  const waits = counted.running?.clocks ?? [];
  const { policy, now } = situation.snapshot;
  return limitsOf(policy).flatMap(([field, most]): readonly Expired[] => {
    const { clock, of } = DEADLINES[field];
    const since = counted.over?.find((one) => one.field === field)?.since;
    if (since === undefined || since >= now || !waits.includes(clock)) return [];
    return [{ field, clock, of, waited: counted[of][clock], most }];
  });
}

/** Those that lead back where groups have waited to be ready for this long, in seconds, whatever the record has counted. */
export function expiredAfter({ snapshot }: Situation, waited: number): readonly Expired[] {
  return limitsOf(snapshot.policy).flatMap(([field, most]): readonly Expired[] => {
    const { clock, of } = DEADLINES[field];
    return clock === 'ready' && waited >= most ? [{ field, clock, of, waited, most }] : [];
  });
}

/** What the record counts after this pass, for the step that Git has; undefined: nothing, no policy names a deadline. */
export function waitedSeen(situation: Situation): WaitClocks | undefined {
  const { snapshot } = situation;
  if (!isUnderWay(situation)) return undefined;
  const before = waitedBefore(situation);
  const limits = limitsOf(snapshot.policy);
  if (limits.length === 0) return before === undefined ? undefined : { step: before.step, delivery: before.delivery };
  const { now } = snapshot;
  const waits = waitsOf(situation);
  // What no policy limits is not counted, and changes no record.
  const clocks = (waits ?? []).filter((clock) => limits.some(([field]) => DEADLINES[field].clock === clock));
  const passed = passedSince(before?.running, situation);
  const counts = (clock: Clock): boolean =>
    waits !== undefined &&
    before?.running?.clocks.includes(clock) === true &&
    (waits.length === 0 || waits.includes(clock));
  const more = (had: Waited = NOTHING): Waited => ({
    apply: had.apply + (counts('apply') ? passed : 0),
    schedule: had.schedule + (counts('schedule') ? passed : 0),
    ready: had.ready + (counts('ready') ? passed : 0),
  });
  const after = { step: more(before?.step), delivery: more(before?.delivery) };
  const over = limits.flatMap(([field, most]) => {
    const { clock, of } = DEADLINES[field];
    if (waits === undefined || after[of][clock] < most) return [];
    const since = before?.over?.find((one) => one.field === field)?.since ?? now;
    return [{ field, since: Math.min(since, now) }];
  });
  return {
    ...after,
    ...(clocks.length === 0 ? {} : { running: { at: now, clocks } }),
    ...(over.length === 0 ? {} : { over }),
  };
}

/** The same for a step or a promotion that is written: what the release has waited so far stays with it. */
export function waitedWritten(situation: Situation, written: Marks): WaitClocks | undefined {
  const seen = waitedSeen(situation);
  if (seen === undefined || !sameRelease(situation.marks?.release, written.release)) return undefined;
  return { step: isSameStep(situation.marks, written) ? seen.step : NOTHING, delivery: seen.delivery };
}

/** What the record has for where Git stands; a step that somebody else has written, as by a merge, starts at nothing. */
function waitedBefore(situation: Situation): WaitClocks | undefined {
  const counted = recordedCounts(situation);
  if (counted !== undefined) return counted.waited;
  const recorded = situation.snapshot.record?.step;
  const isOurs = sameRelease(recorded?.release, situation.marks?.release);
  return !isOurs || recorded?.waited === undefined ? undefined : { step: NOTHING, delivery: recorded.waited.delivery };
}

/** A step, or the promotion after the last one: a rollback is held to no deadline. */
function isUnderWay({ state }: Situation): boolean {
  return state.kind === 'step' || (state.kind === 'ladder' && state.stage.kind !== 'rollback');
}

/**
 * Seconds since the last pass that saw it wait: between two passes that are further apart than usual nobody looked, and
 * that time does not count; nor does what a clock has jumped.
 */
function passedSince(running: WaitClocks['running'], { snapshot }: Situation): number {
  if (running === undefined) return 0;
  const most = Math.max(ORDINARY_REQUEUE_SECONDS, snapshot.intervalSeconds ?? 0);
  return Math.min(Math.max(0, snapshot.now - running.at), most);
}

/** The gates that people hold shut: while one of them does, nobody waits for groups. */
const people = [stalled, historyRewritten, rolloutAbsent, policyMissing, disabled, paused];

/** Whether a step may be called failed now: it is not while people hold it, or where it was not looked at. */
export function isJudged(situation: Situation): boolean {
  const { snapshot } = situation;
  if (!isUnderWay(situation) || snapshot.live.lws.kind !== 'known' || snapshot.lostMarks !== undefined) return false;
  // By a clock that is wrong nothing is over.
  if (snapshot.clockOffSeconds !== undefined) return false;
  return people.every((gate) => gate(situation) === undefined);
}

/** What it waits for now; undefined: that is not known, or people keep it waiting. */
function waitsOf(situation: Situation): readonly Clock[] | undefined {
  if (!isJudged(situation)) return undefined;
  const unlive = unliveNow(situation);
  if (unlive !== 'all') return unlive === undefined ? undefined : ['apply'];
  const judged = judgedGroups(situation);
  if (judged === undefined) return undefined;
  const { groups, tolerated } = judged;
  const late = groups.filter((group) => !group.ready && !group.leader.leaving);
  const unplaced = late.filter((group) => !group.placed);
  const scheduling = late.length > tolerated && unplaced.length > 0;
  const loading = late.length - unplaced.length > tolerated;
  return CLOCKS.filter((clock) => (clock === 'schedule' && scheduling) || (clock === 'ready' && loading));
}

/** Why what Git says is not live; `all`: it is; undefined: what is live is a newer template, which waits for its own delivery. */
function unliveNow(situation: Situation): Hold | 'all' | undefined {
  const { digest, state, notApplied } = situation;
  if (state.kind !== 'step') return unliveOnLadder(situation);
  const queued = digest !== state.marks.release.digest;
  if (queued && state.row !== 'locked') return undefined;
  if (!queued && state.row === 'partial' && isRouted(state.marks)) return unliveOnLadder(situation);
  return queued ? 'all' : (notApplied ?? 'all');
}

/** Whether some policy names a deadline. */
export function hasDeadlines(policy: PolicyRules): boolean {
  return limitsOf(policy).length > 0;
}

function limitsOf(policy: PolicyRules): readonly (readonly [DeadlineField, number])[] {
  return FIELDS.flatMap((field) => {
    const most = policy[field];
    return most === undefined ? [] : [[field, most] as const];
  });
}
