/** The gate of time: no step begins outside of the windows of policies, nor too shortly before they close. */

import { printInstant } from '../../api/time.ts';
import { type Hold, hold } from '../hold.ts';
import { policySaying } from '../sentences.ts';
import type { Situation } from '../situation.ts';

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
