/** The gate of time: no step begins outside of the windows of policies, nor too shortly before they close. */

import { printInstant } from '../../api/time.ts';
import { type Hold, hold } from '../hold.ts';
import { policySaying } from '../sentences.ts';
import type { Situation } from '../situation.ts';

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
    seen: `the clock of this machine is ${Math.abs(off)} s ${way} of the servers that it asks: no window of a policy counts as open by it, and no deadline is over`,
    action: 'Set the clock of the machine that runs tranche right',
  });
}

/** A step that is under way finishes, and a way back never asks. */
export function windowClosed({ snapshot }: Situation): Hold | undefined {
  const { windows, now, policy } = snapshot;
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
    const seen = `${who.join(' and ')} lets no step begin now; ${when}`;
    if (until === undefined) return hold('WindowClosed', { seen, action: 'Change the policy' });
    return hold('WindowClosed', { seen, waits: 'time' }, Math.max(1, until - now));
  }
  const least = policy.leaveAtLeastSeconds;
  if (least === undefined || until === undefined || until - now >= least) return undefined;
  const wants = `${policySaying(snapshot, 'leaveAtLeastSeconds')} wants ${least} s left for a step (leaveAtLeastSeconds)`;
  if (changesAt === undefined)
    return hold('WindowClosed', {
      seen: `windows begin so often that the time after ${printInstant(until)} is not looked at, and ${wants}`,
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
