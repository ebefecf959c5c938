/** Gate of an order to undo: when it stands for a workload, and why it is not carried out all the same. */

import type { Marks } from '../../api/marks.ts';
import { inShort, sameRelease, shortRelease } from '../../api/release.ts';
import { shellWord } from '../../api/shell-word.ts';
import { takesTurns } from '../../api/styles.ts';
import { printInstant } from '../../api/time.ts';
import type { UndoIntent } from '../../api/undo-intent.ts';
import { undoRules } from '../../api/undo-limits.ts';
import { type Hold, hold } from '../hold.ts';
import { nowBetween } from '../ladders/traffic-view.ts';
import { highestSerial, type Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { policySaying } from '../texts/sentences.ts';

/**
 * Whether the order is about what the file says now: its release is settled, or the template that it brings back is in the
 * file already, as a request. Once another release was started it is void.
 */
export function undoOrdered(
  { digest, marks }: { readonly digest: string; readonly marks: Marks },
  { release, after, to }: UndoIntent,
): boolean {
  if (marks.step !== undefined || !sameRelease(marks.release, release) || after !== highestSerial(marks)) return false;
  return digest === release.digest || digest === to.digest;
}

/** The order that stands for this workload; undefined: there is none. */
export function undoOrder({ snapshot, digest, state }: Pick<Situation, 'snapshot' | 'digest' | 'state'>) {
  const order = snapshot.rollout?.intents.undo;
  if (order === undefined || (state.kind !== 'settled' && state.kind !== 'requested')) return undefined;
  return undoOrdered({ digest, marks: state.marks }, order) ? order : undefined;
}

/** Why an order that stands is not carried out; undefined: it is, or there is none. */
export function undoRefused(situation: Situation): Hold | undefined {
  const { snapshot } = situation;
  const order = undoOrder(situation);
  if (order === undefined) return undefined;
  const asked = `ordered to go back from ${shortRelease(order.release)} to ${shortRelease(order.to)}`;
  const { undo } = snapshot;
  if (undo?.kind !== 'known') {
    const why = undo?.kind === 'unknown' ? undo.why : 'nobody has read what had settled before it';
    return hold('UndoRefused', {
      seen: `${asked}, and ${why}`,
      action: 'Put the earlier template into the file by hand: it is delivered by its steps',
    });
  }
  const refused = undoUnbuilt(snapshot) ?? undoBeyond(snapshot, undo.value);
  if (refused === undefined) return undefined;
  const again = commandLine('undo', snapshot.key, `--to ${shortRelease(order.to)}`);
  return hold('UndoRefused', {
    seen: `${asked}, and ${refused.why}`,
    action: refused.isNever
      ? 'Put the earlier template into the file by hand: it is delivered by its steps'
      : advice`To request it by its steps: ${again}`,
  });
}

/** Next to what a request waits for: its template had settled before, and an order brings that back without its steps. */
export function earlierTemplate({ snapshot, digest, file }: Situation, marks: Marks): readonly Hold[] {
  const { earlier, key } = snapshot;
  if (earlier === undefined || earlier.digest !== digest) return [];
  const of = { file: file.file, earlier: shortRelease(earlier), now: shortRelease(marks.release) };
  return [
    hold('EarlierTemplate', {
      seen: `${of.file} has the template of ${of.earlier}, a release from before ${of.now}. It is delivered like any other release: by steps, windows and approvals`,
      action: advice`To go back from ${of.now} at once: ${commandLine('undo', key, `--to ${of.earlier}`)}`,
    }),
  ];
}

/** A second colour serves, and the strategy does not know it: no rollback leads from there. */
export function undoUnbuilt({ rollout, workload }: Pick<Snapshot, 'rollout' | 'workload'>): Beyond | undefined {
  if (takesTurns(rollout?.rollout.style) || workload?.workload.marks?.serves !== 'green') return undefined;
  return {
    why: 'the second LeaderWorkerSet serves, and the strategy of the Rollout is not blueGreen any more',
    isNever: false,
  };
}

/** blueGreen: why the rollback of a settled release goes no further; undefined: main bears out what it leads to. */
export function undoNotBorneOut({ snapshot, file }: Situation, { release, restore }: Marks): Hold | undefined {
  const { undo } = snapshot;
  const isTold = undo?.kind === 'known' && sameRelease(undo.value.target.release, release);
  if (isTold) return undefined;
  const why = undo?.kind === 'unknown' ? undo.why : 'nobody has read what had settled before it';
  const undone = inShort(restore?.undone ?? '');
  return hold('UndoRefused', {
    seen: `${file.file}: by its annotations ${undone} is undone, and ${shortRelease(release)} comes back, and ${why}`,
    action: `git log -p ${shellWord(file.file)} shows who has changed them. Put another template into the file: it is delivered from step 1`,
  });
}

type Beyond = { readonly why: string; readonly isNever: boolean };

/** What policies say against it. `isNever`: they want no undo at all. */
export function undoBeyond(
  snapshot: Pick<Snapshot, 'policy' | 'policySources' | 'now' | 'clockOffSeconds'>,
  { back, settledAt }: { readonly back: number; readonly settledAt: number },
): Beyond | undefined {
  const { undo, undoWithinSeconds } = undoRules(snapshot.policy);
  if (undo === 0) return { why: `${policySaying(snapshot, 'undo')} allows no undo`, isNever: true };
  if (back > undo)
    return {
      why: `it settled ${back} releases before the newest one that had settled, those that were undone among them, and ${undo === 1 ? 'one' : undo} may be undone at a time (undo in a RolloutPolicy)`,
      isNever: false,
    };
  // A clock that is behind the one of the commit says nothing of how long ago that was, and one that is ahead of the servers no more.
  if (nowBetween(snapshot).earliest - settledAt <= undoWithinSeconds) return undefined;
  return {
    why: `the release settled at ${printInstant(settledAt)}, and may be undone for ${undoWithinSeconds} s (undoWithinSeconds in a RolloutPolicy)`,
    isNever: false,
  };
}
