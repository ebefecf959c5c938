/** What people get of a schedule that broke a law: the law, the schedule made small, and how to run it again. */

import type * as Entry from './entry.ts';
import type { Outcome } from './schedule.ts';
import type { Setup } from './setup.ts';

/** Runs the seed again, smaller and smaller. */
export async function report(
  { runSchedule, setupOf, shrink }: Pick<typeof Entry, 'runSchedule' | 'setupOf' | 'shrink'>,
  seed: string,
  setup = setupOf(seed),
): Promise<string> {
  const shrunk = await shrink(runSchedule, seed, setup);
  return [
    failure(seed, shrunk.outcome),
    '',
    `Made small in ${shrunk.tries} tries. To keep it, write this to test/seeds/NAME.json:`,
    JSON.stringify({ seed, setup: shrunk.setup } satisfies { seed: string; setup: Setup }),
  ].join('\n');
}

/** The law, the timeline, and the command that runs the seed again. */
export function failure(seed: string, { broken, timeline }: Outcome): string {
  if (broken === undefined) return '';
  return `seed ${seed} breaks ${broken.law}: ${broken.message}\n\n${timeline()}\n\nReplay: SEED=${seed} npx vitest run test/simulation`;
}
