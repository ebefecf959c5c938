/** The gate of time: no step starts outside of the windows of policies, nor too shortly before they close. */

import { printRelease } from '../../api/release.ts';
import { printInstant } from '../../api/time.ts';
import { type Hold, hold } from '../hold.ts';
import { fillToCome } from '../ladders/fill-to-come.ts';
import { releaseToCome, type Situation, unavailableBudget } from '../situation.ts';
import type { ExceptedWindows, WindowFacts } from '../snapshot.ts';
import { stepToCome } from '../step-to-come.ts';
import { policySaying } from '../texts/sentences.ts';
import { surgeToCome } from './surge.ts';

/** Nobody knows whether a window is open: it counts as shut. */
export function clockSkewed(situation: Situation): Hold | undefined {
  return situation.snapshot.windows === undefined ? undefined : clockIsOff(situation);
}

/** Our clock differs from those of the servers that were asked. */
export function clockIsOff({ snapshot }: Situation): Hold | undefined {
  const off = snapshot.clockOffSeconds;
  if (off === undefined) return undefined;
  const way = off > 0 ? 'behind those' : 'ahead of those';
  return hold('ClockSkew', {
    seen: `the clock of this machine is ${Math.abs(off)} s ${way} of the servers that it asks: until it is right, no window of a policy counts as open and no deadline counts as over`,
    action: 'Set the clock of the machine that runs tranche right',
  });
}

/** What the windows say to the release that is next: one that has exceptions has windows of its own. */
export function windowsFor({ snapshot, ...situation }: Situation): WindowFacts | ExceptedWindows | undefined {
  const { windows } = snapshot;
  const release = printRelease(releaseToCome(situation));
  return windows?.excepted?.find((one) => one.release === release) ?? windows;
}

/** A step that is in progress finishes, and a rollback never asks. */
export function windowClosed(situation: Situation): Hold | undefined {
  const { snapshot } = situation;
  const { now, policy } = snapshot;
  const windows = windowsFor(situation);
  if (windows === undefined) return undefined;
  const { open, changesAt, sameUntil, shutBy } = windows;
  const until = changesAt ?? sameUntil;
  if (!open) {
    const who = shutBy.map(
      ({ policy: name, file, line, field }) => `RolloutPolicy ${name} (${file}:${line}, ${field})`,
    );
    const when =
      until === undefined
        ? 'and no window opens within 400 days'
        : changesAt === undefined
          ? `no window opens before ${printInstant(until)}`
          : `the next window opens at ${printInstant(until)}`;
    const named = printRelease(releaseToCome(situation));
    const seen = `${who.join(' and ')} lets no step of ${named} start now; ${when}`;
    if (until === undefined) return hold('WindowClosed', { seen, action: 'Change the policy' });
    return hold('WindowClosed', { seen, waits: 'time' }, Math.max(1, until - now));
  }
  const least = policy.leaveAtLeastSeconds;
  if (least === undefined || until === undefined) return undefined;
  const takes = longestOf(situation);
  if (until - now >= Math.max(least, takes)) return undefined;
  const who = policySaying(snapshot, 'leaveAtLeastSeconds');
  const wants =
    takes > least
      ? `the step takes ${takes} s if its groups load as long as the longest seen, where ${who} wants it to end inside (leaveAtLeastSeconds)`
      : `${who} wants ${least} s left for a step (leaveAtLeastSeconds)`;
  if (changesAt === undefined)
    return hold('WindowClosed', {
      seen: `windows start so often that the time after ${printInstant(until)} is not looked at, and ${wants}`,
      action: 'Write fewer and longer windows in the policies',
    });
  return hold(
    'WindowClosed',
    {
      seen: `the window closes at ${printInstant(changesAt)}, and ${wants}`,
      waits: 'time',
    },
    Math.max(1, changesAt - now),
  );
}

/**
 * Seconds that the step to come takes where each of its groups loads as long as the longest that was seen; 0: none was.
 * A promotion counts as all groups: what takes over is not to be half-way when the window closes.
 */
function longestOf(situation: Situation): number {
  const { snapshot, observed, asked, maxUnavailable } = situation;
  const loads = snapshot.record?.loads ?? [];
  const filled = fillToCome(situation);
  const step = filled ?? stepToCome(situation);
  if (loads.length === 0 || step === undefined || asked === undefined) return 0;
  const whole = filled?.promotes === true ? filled.primary : undefined;
  const groups = whole ?? (step.index === 0 ? surgeToCome(situation) : step.groups);
  // With the gate of the StatefulSet off, one group follows the other, whatever the budget.
  const atOnce =
    observed?.leaderSet.maxUnavailable === undefined ? 1 : Math.max(1, unavailableBudget(maxUnavailable, asked));
  return Math.ceil(groups / atOnce) * Math.max(...loads);
}
