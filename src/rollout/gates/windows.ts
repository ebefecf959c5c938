/** The gate of time: no step begins outside of the windows of policies, nor too shortly before they close. */

import { printInstant } from '../../api/time.ts';
import { type Hold, hold } from '../hold.ts';
import { policySaying } from '../sentences.ts';
import type { Situation } from '../situation.ts';

/** A step that is under way finishes, and a way back never asks. */
export function windowClosed({ snapshot }: Situation): Hold | undefined {
  const { windows, now, policy } = snapshot;
  if (windows === undefined) return undefined;
  const { open, changesAt, shutBy } = windows;
  if (!open) {
    const who = shutBy.map(
      ({ policy: name, file, line, field }) => `RolloutPolicy ${name} (${file}:${line}, ${field})`,
    );
    const when =
      changesAt === undefined
        ? 'and no window opens within 400 days'
        : `the next window opens at ${printInstant(changesAt)}`;
    const seen = `${who.join(' and ')} lets no step begin now; ${when}`;
    if (changesAt === undefined) return hold('WindowClosed', { seen, action: 'Change the policy' });
    return hold('WindowClosed', { seen, waits: 'time' }, Math.max(1, changesAt - now));
  }
  const least = policy.leaveAtLeastSeconds;
  if (least === undefined || changesAt === undefined || changesAt - now >= least) return undefined;
  return hold(
    'WindowClosed',
    {
      seen: `the window closes at ${printInstant(changesAt)}, and ${policySaying(snapshot, 'leaveAtLeastSeconds')} wants ${least} s left for a step (leaveAtLeastSeconds)`,
      waits: 'time',
    },
    Math.max(1, changesAt - now),
  );
}
