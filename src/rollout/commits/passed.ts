/**
 * What a commit says of policies: gates that it passed though they were shut, by an exception or because it leads back, and
 * which policies are others than when its last step was written.
 */

import { sameRelease } from '../../api/release.ts';
import { printInstant } from '../../api/time.ts';
import { type Gate, holdsOf } from '../gates/gate.ts';
import { disabled, paused } from '../gates/people.ts';
import { policyGone } from '../gates/policy-gone.ts';
import { policyMissing } from '../gates/policy-missing.ts';
import { clockSkewed, windowClosed, windowsFor } from '../gates/windows.ts';
import { MOVES, type Move } from '../move.ts';
import type { Situation } from '../situation.ts';

const OID_SHOWN = 12;

/** Policies and people hold a rollback by none of these. */
const FORWARD_ALONE: readonly Gate[] = [policyMissing, disabled, paused, policyGone, windowClosed, clockSkewed];

/** A sentence with a space before it; empty: every gate was open. */
export function passedText({ reason, way }: Pick<Move, 'reason' | 'way'>, situation: Situation): string {
  if (way === 'back') {
    const names = holdsOf(FORWARD_ALONE, situation).map((held) => held.reason);
    return names.length === 0 ? '' : ` A rollback is not held by ${names.join(', ')}.`;
  }
  if (way !== 'forward' || !('proposed' in MOVES[reason])) return '';
  return `${exceptionText(situation)}${editedText(situation)}`;
}

/**
 * Looser or tighter, it counts from this step on: by the blobs of their files, as the trailer has them, and by the commit
 * that the step was planned from. Which one before it brought them, `git log` says: a pass reads main alone, and not its past.
 */
function editedText({ snapshot, marks }: Situation): string {
  const step = snapshot.record?.step;
  if (step?.policies === undefined || !sameRelease(step.release, marks?.release)) return '';
  const was = new Map(step.policies.map(parted));
  const told = (snapshot.governing ?? []).map(parted).flatMap(([name, blob]) => {
    const before = was.get(name);
    return before === blob
      ? []
      : [before === undefined ? `${name} is new` : `${name} was edited (${before} → ${blob})`];
  });
  return told.length === 0
    ? ''
    : ` RolloutPolicies since the last step, as of ${snapshot.main.slice(0, OID_SHOWN)}: ${told.join(', ')}.`;
}

/** `production@4f1c4f1c4f1c`, which may stand in two files. */
function parted(policy: string): readonly [name: string, blob: string] {
  const end = policy.lastIndexOf('@');
  return [policy.slice(0, end), policy.slice(end + 1)];
}

/**
 * The exceptions that let a step forward pass windows which are shut for other releases: who has approved each, in which
 * policy, and until when. Empty: it needed none.
 */
export function exceptionsPassed(
  { reason, way }: Pick<Move, 'reason' | 'way'>,
  situation: Situation,
): readonly string[] {
  if (way !== 'forward' || !('proposed' in MOVES[reason])) return [];
  return (exceptionsOf(situation)?.by ?? []).map(
    ({ policy, approver, until }) => `${policy} by ${approver.replaceAll(';', ',')} until ${printInstant(until)}`,
  );
}

function exceptionText(situation: Situation): string {
  const found = exceptionsOf(situation);
  if (found === undefined) return '';
  const who = found.by.map(
    ({ policy, file, line, approver, until }) =>
      `RolloutPolicy ${policy} (${file}:${line}), approved by ${approver}, until ${printInstant(until)}`,
  );
  return ` The windows are shut for other releases: ${found.release} has an exception in ${who.join('; ')}.`;
}

/** undefined: there is none, or the windows are open to all. */
function exceptionsOf(
  situation: Situation,
): Extract<ReturnType<typeof windowsFor>, { readonly by: unknown }> | undefined {
  const windows = windowsFor(situation);
  if (windows === undefined || !('by' in windows)) return undefined;
  const others = { ...(situation.snapshot.windows ?? windows), excepted: [] };
  const isShut = windowClosed({ ...situation, snapshot: { ...situation.snapshot, windows: others } }) !== undefined;
  return isShut ? windows : undefined;
}
