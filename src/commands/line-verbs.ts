/** The verbs `stop` and `go`: for all Rollouts of the repository at once. */

import type { Command } from 'commander';
import { type Instant, parseInstant } from '../api/time.ts';
import { type CommonOptions, type Io, UsageError } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import type { LineWish } from '../reconcile/stop-line.ts';
import { type Given, gitFlags, giverFlags, textOf } from './flags.ts';

type Run = (
  verb: (common: CommonOptions, ports: Ports, given: Given) => Promise<number>,
  writes: boolean,
) => (given: Given) => Promise<void>;

/** Adds both. */
export function addLine(program: Command, io: Io, run: Run): void {
  const verb = (name: string, description: string, wish: (given: Given, now: Instant) => LineWish): Command =>
    giverFlags(gitFlags(program.command(name).description(description))).action(
      run(async (common, ports, given) => {
        const wanted = wish(given, ports.clock.now());
        const { giverOf } = await import('../wiring.ts');
        const giver = await giverOf(common, io, textOf(given, 'by'));
        const pullRequest = given['pullRequest'] === true;
        return (await import('./order.ts')).line(wanted, { ...common, ...giver, pullRequest }, ports, io);
      }, true),
    );
  verb('stop', 'no step of any Rollout starts, by a policy in a file; rollbacks go on', (given, now) => ({
    kind: 'stop',
    until: untilOf(textOf(given, 'until'), now),
    why: textOf(given, 'why') ?? '',
  }))
    .option(
      '--until <time>',
      '2h, 3d, a day as 2026-12-20, or a time as 2026-12-20T08:00:00Z, in UTC (default: for a year)',
    )
    .option('--why <text>', 'for status, the page, the file and the commit');
  verb('go', 'steps may start again: the file of stop is deleted', () => ({ kind: 'go' }));
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `2h` from now, the start of a day, or a time; all in UTC. Throws UsageError for anything else. */
function untilOf(text: string | undefined, now: Instant): Instant | undefined {
  if (text === undefined) return undefined;
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,6})([smhd])$/.exec(text) ?? [];
  const seconds = UNIT_SECONDS[unit];
  if (seconds !== undefined) return now + Number(count) * seconds;
  const until = parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (until === undefined)
    throw new UsageError(
      `--until is ${JSON.stringify(text)}, wanted 30m, 2h or 3d from now, a day as 2026-12-20, or a time as 2026-12-20T08:00:00Z, in UTC`,
    );
  return until;
}
