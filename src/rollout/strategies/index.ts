/** The strategies by their Kruise rolling style. A new one is a file and its row here. */

import type { Recreating } from '../../api/recreating.ts';
import type { RollingStyle } from '../../api/styles.ts';
import { recreate } from '../events/create-again.ts';
import { styleInUse } from '../ladders/ladder-files.ts';
import type { Decision } from '../move.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { isLadder } from '../state.ts';
import { decideCanary } from './canary.ts';
import { decidePartition } from './partition.ts';
import { decideRouted, sharesOut } from './routed.ts';

type Strategy = {
  readonly decide: (situation: Situation) => Decision;
  /** While the document is out of its file, to be re-created. */
  readonly decideAbsent: (snapshot: Snapshot, recreating: Recreating) => Decision;
};

/** Its rows are those of one workload; with routes there are rungs between them. */
const partition: Strategy = {
  decide: (situation) => (sharesOut(situation) ? decideRouted(situation) : decidePartition(situation)),
  decideAbsent: recreate,
};

/** Its rows are those of a canary; what differs are its ladders. */
const blueGreen: Strategy = { decide: decideCanary, decideAbsent: recreate };
const canary: Strategy = { decide: decideCanary, decideAbsent: recreate };

const strategies = {
  partition,
  canary,
  blueGreen,
} satisfies Record<RollingStyle, Strategy>;

/** The strategy of a rollout; a delivery goes on as the one that started it, whatever its Rollout asks for since. */
export function strategyOf({
  rollout,
  workload,
  lostMarks,
  ladder,
}: Pick<Snapshot, 'rollout' | 'workload' | 'lostMarks' | 'ladder'>): Strategy {
  const marks = lostMarks ?? workload?.workload.marks;
  if (marks?.step !== undefined && !isLadder(marks)) return partition;
  // Without its Rollout and its documents the annotation alone says it: the rollback of one workload is no end of it.
  const begun = marks?.step === undefined ? undefined : marks.restore?.style;
  return strategies[styleInUse({ ladder, rollout }) ?? begun ?? 'partition'];
}
