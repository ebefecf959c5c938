/** The first release of a workload that is taken over. */

import type { Snapshot } from '../snapshot.ts';

/**
 * Above every release that an intent still names: one meant for an earlier time under management must not apply again.
 * The approval of the adoption of this very text is not one of those.
 */
export function firstSerial({ rollout, workload }: Pick<Snapshot, 'rollout' | 'workload'>, digest: string): number {
  const intents = rollout?.intents;
  const approve = intents?.approve;
  const named = [
    intents?.jump?.release,
    intents?.abort?.release,
    workload?.workload.abort?.release,
    intents?.retry?.release,
    ...(intents?.accept ?? []).map(({ release }) => release),
  ];
  const lowest = 1 + Math.max(0, ...named.map((release) => release?.serial ?? 0));
  const approved = approve?.release.serial ?? 0;
  const isThis = approve?.index === 0 && approve.release.digest === digest && approved >= lowest;
  return isThis ? approved : Math.max(lowest, approved + 1);
}
