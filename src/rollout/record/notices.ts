/** The notifications of a pass: kept in the record, and sent once that is pushed. Decides no step. */

import type { Marks } from '../../api/marks.ts';
import type { Notice, Notices } from '../../api/notice.ts';
import type { NoticeEvent, PolicyNotify } from '../../api/policy-notify.ts';
import { oneLine } from '../../api/printable.ts';
import { printRelease, type Release, sameRelease } from '../../api/release.ts';
import { blocking, type Hold } from '../hold.ts';
import { nowBetween } from '../ladders/traffic-view.ts';
import type { Decision, Move, MoveReason } from '../move.ts';
import { notBeforeRung } from '../observed/unsigned.ts';
import { nextRelease, type Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { printKey } from '../texts/key-text.ts';
import { lateGroups } from './late-groups.ts';

/** Kept for one Rollout: the oldest are forgotten where nobody can be reached. */
const KEPT_MOST = 20;
/** Older ones are not sent. */
const OUTBOX_SECONDS = 86_400;
const TEXT_MOST = 400;
/** Where no policy says how long a hold may last before a notification is sent. */
const TOO_LONG_SECONDS = 3600;

/** What a move ends or aborts, in addition to the step that its marks name. */
const ENDS: Partial<Readonly<Record<MoveReason, NoticeEvent>>> = {
  Settled: 'done',
  RolledBack: 'done',
  Failed: 'failed',
  Aborted: 'aborted',
  Reverted: 'aborted',
  Undone: 'aborted',
  AbortedTemplateRemoved: 'aborted',
  RequestWithdrawn: 'aborted',
};

type Fresh = Pick<Notice, 'event' | 'release' | 'text'> & { readonly what: string };

/** The record's after this pass, with those of its commit where there is one; undefined: nothing to send, nothing sent. */
export function noticesAfter(
  snapshot: Snapshot,
  situation: Situation | undefined,
  { move, holds }: Pick<Decision, 'move' | 'holds'>,
): Notices | undefined {
  return added(snapshot, move === undefined ? ofHolds(snapshot, situation, holds) : ofMove(situation, move));
}

/** The same where the server has refused what was to be written: of a rollback that nobody has ordered people are notified at once, and once. */
export function noticesHeld(snapshot: Snapshot, marks: Marks | undefined, held: Hold): Notices | undefined {
  if (marks === undefined) return added(snapshot, []);
  const release = printRelease(marks.release);
  const text = `${held.reason}. ${held.message}`;
  const refused: readonly Fresh[] =
    held.reason === 'RollbackRefused' ? [{ event: 'failed', release, what: held.reason, text }] : [];
  return added(snapshot, [...refused, ...tooLong(snapshot, release, held)]);
}

function added(snapshot: Snapshot, news: readonly Fresh[]): Notices | undefined {
  const { record, now, notifyTo = [], unsigned } = snapshot;
  const { earliest } = nowBetween(snapshot);
  const { outbox: recorded = [], told = [] } = record?.notices ?? {};
  // Anyone who can push there could have us send any text, with our credential. What was sent already is only left out.
  const before = unsigned === undefined ? recorded : [];
  const waiting = before.flatMap((notice) => {
    const to = stillAsked(notice, notifyTo);
    return to.length === 0 || earliest - notice.at >= OUTBOX_SECONDS
      ? []
      : [{ ...notice, at: Math.min(notice.at, now), to }];
  });
  const known = [...told, ...before.map(({ key }) => key)];
  const fresh = news
    .map((one) => noticeOf(snapshot, one, notifyTo))
    .filter(({ key, to }) => to.length > 0 && !known.includes(key));
  const outbox = [...waiting, ...fresh].slice(-KEPT_MOST);
  return outbox.length === 0 && told.length === 0 ? undefined : { outbox, told: told.slice(-KEPT_MOST) };
}

/** Those of its targets that policies want notified of such an event now, each in the form that they ask for now. */
function stillAsked({ event, to }: Notice, targets: readonly PolicyNotify[]): Notice['to'] {
  return to.flatMap(({ to: name }) => {
    const asked = targets.find((target) => target.to === name && target.events.includes(event));
    return asked === undefined ? [] : [{ to: name, as: asked.as }];
  });
}

function noticeOf(snapshot: Snapshot, { what, ...fresh }: Fresh, targets: readonly PolicyNotify[]): Notice {
  const { key, now } = snapshot;
  const to = targets.filter(({ events }) => events.includes(fresh.event)).map(({ to: name, as }) => ({ to: name, as }));
  const text = oneLine(fresh.text);
  return {
    ...fresh,
    key: [printKey(key), fresh.release, fresh.event, what].join(' '),
    text: text.length > TEXT_MOST ? `${text.slice(0, TEXT_MOST)}…` : text,
    at: now,
    to: to.filter((one, at) => to.findIndex((other) => other.to === one.to) === at),
  };
}

function ofMove(situation: Situation | undefined, move: Move): readonly Fresh[] {
  const { marks, label, why, reason, way } = move;
  const before = situation?.marks;
  const ended = ENDS[reason];
  // What is aborted is the release that was in progress, or the one that was asked for.
  const given = before === undefined ? marks.release : rollbackCause(situation, before.release);
  if (ended !== undefined) {
    const release = printRelease(ended === 'done' ? marks.release : given);
    const what = ended === 'done' ? `${reason} ${printRelease(marks.aborted[0] ?? marks.release)}` : 'delivery';
    return [{ event: ended, release, what, text: `${label}. ${why}` }];
  }
  if (way === 'back' || marks.step?.kind !== 'step') return [];
  const release = printRelease(marks.release);
  const isNew = before?.step === undefined || !sameRelease(before.release, marks.release);
  const isNext = isNew || before.step.kind !== 'step' || before.step.index !== marks.step.index;
  const { index } = marks.step;
  return [
    ...(isNew ? [{ event: 'started', release, what: 'delivery', text: `${label}. ${why}` } as const] : []),
    ...(isNext && index > 0
      ? [{ event: 'step', release, what: String(index), text: `${label}. ${why}` } as const]
      : []),
  ];
}

function rollbackCause(situation: Situation | undefined, release: Release): Release {
  if (situation?.state.kind !== 'requested') return release;
  return nextRelease(situation.digest, situation.state.marks);
}

/** A step has failed: by its groups, or by its metrics. */
const FAILED: readonly Hold['reason'][] = ['StepFailed', 'AnalysisFailed'];

/** A step that has failed and goes nowhere by itself; and what has held for longer than a policy wants, time apart. */
function ofHolds(snapshot: Snapshot, situation: Situation | undefined, holds: readonly Hold[]): readonly Fresh[] {
  const marks = situation?.marks;
  if (situation === undefined || marks === undefined) return [];
  const release = printRelease(rollbackCause(situation, marks.release));
  const failed = holds.find(({ reason }) => FAILED.includes(reason));
  const [first] = blocking(holds);
  return [
    ...(failed === undefined ? [] : [{ event: 'failed', release, what: 'delivery', text: failed.message } as const]),
    ...(first === undefined ? [] : tooLong(snapshot, release, first)),
    ...lateGroups(situation, holds).map((late) => ({ event: 'holdTooLong', release, ...late }) as const),
  ];
}

/** What has to pass by itself is never too long. */
function tooLong(snapshot: Snapshot, release: string, held: Hold): readonly Fresh[] {
  const since = heldSince(snapshot, held);
  const most = snapshot.policy.notifyHoldSeconds ?? TOO_LONG_SECONDS;
  if (since === undefined || snapshot.now - since < most || waitsForTime(held)) return [];
  return [{ event: 'holdTooLong', release, what: `${held.reason} ${since}`, text: `${held.reason}. ${held.message}` }];
}

function waitsForTime(held: Hold): boolean {
  return 'waits' in held && held.waits === 'time';
}

/** The record dates the reason that is listed first, and where nobody bears it out, not before what Git says now; undefined: it is new. */
function heldSince(snapshot: Snapshot, { reason }: Hold): number | undefined {
  const before = snapshot.record?.conditions.find(({ type }) => type === 'Progressing');
  return before?.reason === reason ? notBeforeRung(before.since, snapshot) : undefined;
}
