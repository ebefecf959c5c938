/** Whether the clock of this machine is right, as far as the servers that it asks tell: each dates its answers. */

import type { Clock } from '../../ports/clock.ts';

type DatedClock = Required<Clock> & { readonly heard: Heard };

/** The header `Date` of an answer that has just started to come; `server` names who sent it. */
export type Heard = (server: string, date: string | undefined) => void;

/** This clock with what the newest answer of each server says of it. A date that cannot be read says nothing. */
export function datedClock(clock: Clock): DatedClock {
  const off = new Map<string, number>();
  return {
    now: () => clock.now(),
    sleep: (seconds, signal) => clock.sleep(seconds, signal),
    heard: (server, date) => {
      const at = Date.parse(date ?? '');
      if (!Number.isNaN(at)) off.set(server, Math.floor(at / 1000) - clock.now());
    },
    offSeconds: () => [...off.values()].sort((left, right) => Math.abs(right) - Math.abs(left))[0],
    agreed: () => clock.now() + ([0, ...off.values()].sort((a, b) => a - b).at((off.size + 1) / 2) ?? 0),
  };
}
