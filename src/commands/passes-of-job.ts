/** The passes of one job: one, or more of them for as long as something is expected before the job's time is over. */

import type { Clock } from '../ports/clock.ts';
import type { PassResult } from '../reconcile/pass.ts';

type Job = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** 0: one pass. */
  readonly waitSeconds: number;
  readonly once: () => Promise<PassResult>;
};

/** All results, oldest first, each given to `take` as it comes. What a pass throws is thrown on. */
export async function passesOfJob(job: Job, take: (result: PassResult) => void): Promise<void> {
  const end = job.clock.now() + job.waitSeconds;
  for (;;) {
    const result = await job.once();
    take(result);
    const seconds = expectedWithin(result);
    if (seconds === undefined || job.clock.now() + seconds > end || job.signal.aborted) return;
    await job.clock.sleep(seconds, job.signal);
    if (job.signal.aborted) return;
  }
}

/** When the next of what the Rollouts wait for may be there; undefined: people, or nothing at all. */
function expectedWithin({ outcomes, requeueAfterSeconds }: PassResult): number | undefined {
  const waits = outcomes.map(({ plan }) => plan?.requeueAfterSeconds).filter((seconds) => seconds !== undefined);
  return waits.length === 0 ? undefined : requeueAfterSeconds;
}
