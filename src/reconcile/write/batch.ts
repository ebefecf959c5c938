/** What one push holds: the steps of some rollouts, and what the status branch says with them. */

import type { RolloutRecord } from '../../api/record.ts';
import { printKey } from '../../rollout/messages.ts';
import { recordWritten } from '../../rollout/plan.ts';
import type { Memory, PassResult, Reading } from '../pass.ts';
import type { Reconciled } from '../reconcile.ts';
import { type StatusBranch, type StatusIndex, statusWrites } from '../status/record-store.ts';
import { statusSubject } from '../status/status-page.ts';
import type { Batch, Step } from './execute.ts';

export type Written = {
  readonly reading: Reading;
  readonly reconciled: readonly Reconciled[];
  readonly records: ReadonlyMap<string, RolloutRecord>;
  readonly index: StatusIndex;
  readonly result: PassResult;
  readonly memory: Memory;
};

/**
 * One push of these steps and of the records with them, onto branches that are where `at` says. `at.records` hold what
 * was seen; what a commit adds is added for the steps of this very push.
 */
export function batchOf(
  pass: Written,
  at: {
    readonly main: string;
    readonly status: StatusBranch;
    readonly steps: readonly Reconciled[];
    readonly records: ReadonlyMap<string, RolloutRecord>;
  },
): Batch {
  const { reading } = pass;
  const records = withSteps(at.records, at.steps);
  const changed = [...records].filter(([key, record]) => {
    const stored = reading.status.records.get(key);
    return (
      stored?.kind !== 'read' ||
      stored.record.message !== record.message ||
      stored.record.currentStepIndex !== record.currentStepIndex ||
      stored.record.settled !== record.settled
    );
  });
  const rebuilt = pass.reconciled
    .filter((one) => (one.snapshot?.recordFault ?? '') !== '')
    .map((one) => `Rebuilt ${printKey(one.key)} from main: ${one.snapshot?.recordFault ?? ''}.`);
  return {
    config: reading.desired.config,
    now: reading.at,
    main: at.main,
    status: at.status.head,
    steps: at.steps.map(stepOf),
    statusWrites: statusWrites(at.status, {
      cluster: reading.desired.config.cluster,
      records,
      index: pass.index,
    }),
    statusMessage: [
      statusSubject(changed.map(([, record]) => record)),
      ...(rebuilt.length === 0 ? [] : ['', ...rebuilt]),
      '',
    ].join('\n'),
  };
}

/** The records once these steps are on main. */
export function withSteps(
  records: ReadonlyMap<string, RolloutRecord>,
  steps: readonly Reconciled[],
): ReadonlyMap<string, RolloutRecord> {
  const written = steps.flatMap(({ key, plan }) =>
    plan === undefined ? [] : [[printKey(key), recordWritten(plan)] as const],
  );
  return new Map([...records, ...written]);
}

function stepOf(one: Reconciled): Step {
  return { writes: one.writes, message: one.plan?.commit?.message ?? '' };
}
