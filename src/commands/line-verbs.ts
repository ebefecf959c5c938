/** The verbs `stop` and `go`: for all Rollouts of the repository at once. */

import type { Command } from 'commander';
import { parseInstant } from '../api/time.ts';
import { type CommonOptions, type Io, UsageError } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import type { LineWish } from '../reconcile/stop-line.ts';
import { type Given, gitFlags, textOf } from './flags.ts';

type Run = (
  verb: (common: CommonOptions, ports: Ports, given: Given) => Promise<number>,
  writes: boolean,
) => (given: Given) => Promise<void>;

/** Adds both. */
export function addLine(program: Command, io: Io, run: Run): void {
  const verb = (name: string, description: string, wish: (given: Given) => LineWish): Command =>
    gitFlags(program.command(name).description(description))
      .option('--by <who>', 'who orders it, for the commit (default: GITHUB_ACTOR, else the user of git)')
      .action(
        run(async (common, ports, given) => {
          const wanted = wish(given);
          const { personOf } = await import('../wiring.ts');
          const by = textOf(given, 'by') ?? (await personOf(common, io));
          return (await import('./order.ts')).line(wanted, { ...common, by }, ports, io);
        }, true),
      );
  verb('stop', 'no step of any Rollout starts, by a policy in a file; rollbacks go on', (given) => ({
    kind: 'stop',
    until: untilOf(textOf(given, 'until')),
    why: textOf(given, 'why') ?? '',
  }))
    .option('--until <time>', 'in UTC, as 2026-12-20T00:00:00Z (default: for a year)')
    .option('--why <text>', 'for the file and the commit');
  verb('go', 'steps may start again: the file of stop is deleted', () => ({ kind: 'go' }));
}

function untilOf(text: string | undefined): number | undefined {
  const until = text === undefined ? undefined : parseInstant(text);
  if (text !== undefined && until === undefined)
    throw new UsageError(`--until is ${JSON.stringify(text)}, wanted a time in UTC, as 2026-12-20T00:00:00Z`);
  return until;
}
