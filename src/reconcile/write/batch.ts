/** What one push holds: the steps of some rollouts, and what the status branch says with them. */

import type { Config } from '../../api/config.ts';
import type { RolloutRecord } from '../../api/record.ts';
import type { NewCommit } from '../../ports/git.ts';
import { recordWritten } from '../../rollout/plan.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { Reconciled } from '../outcome.ts';
import type { Memory, PassResult, Reading } from '../pass.ts';
import { type Evidence, evidenceIn } from '../status/evidence.ts';
import type { StatusBranch, StatusIndex } from '../status/record-store.ts';
import { statusSubject } from '../status/status-page.ts';
import { statusWrites } from '../status/status-writes.ts';
import { writerLine } from '../status/writers.ts';
import type { Batch } from './execute.ts';

export type Written = {
  readonly reading: Reading;
  readonly reconciled: readonly Reconciled[];
  readonly records: ReadonlyMap<string, RolloutRecord>;
  readonly index: StatusIndex;
  readonly result: PassResult;
  readonly memory: Memory;
  /** How often the pass has been tried, with this time. */
  readonly attempt: number;
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
  const { config } = reading.desired;
  const { keyMissing, signing } = reading;
  const writes =
    keyMissing === undefined
      ? statusWrites(at.status, {
          cluster: config.cluster,
          records,
          index: pass.index,
          signing,
          brakes: pass.result.brakes ?? [],
          evidence: evidenceOf(pass.reconciled),
        })
      : [];
  const message = statusMessage(
    pass,
    changed.map(([, record]) => record),
  );
  return {
    config,
    main: at.main,
    status: at.status.head,
    steps: at.steps.flatMap((one) => stepOf(one, config)),
    statusCommit:
      writes.length === 0 ? undefined : { writes, message, signature: { ...config.author, atSeconds: reading.at } },
  };
}

/** What metrics counted, by the Rollouts whose record is ours to write. */
function evidenceOf(reconciled: readonly Reconciled[]): ReadonlyMap<string, Evidence> {
  return new Map(
    reconciled.filter(keepsRecord).flatMap(({ key, snapshot }) => {
      const evidence = evidenceIn(snapshot);
      return evidence === undefined ? [] : [[printKey(key), evidence] as const];
    }),
  );
}

/** What changed, which records were made again from main, and which process writes. */
function statusMessage({ reading, reconciled, memory }: Written, changed: readonly RolloutRecord[]): string {
  const { cluster } = reading.desired.config;
  const rebuilt = reconciled
    .filter((one) => (one.snapshot?.recordFault ?? '') !== '')
    .map((one) => `Rebuilt ${printKey(one.key)} from main: ${one.snapshot?.recordFault ?? ''}.`);
  return [
    statusSubject(changed),
    ...(rebuilt.length === 0 ? [] : ['', ...rebuilt]),
    ...(memory.process === undefined ? [] : ['', writerLine(cluster, memory.process)]),
    '',
  ].join('\n');
}

/**
 * Whether the record of this rollout is ours to write: one of a newer tranche stays as it is, whatever was decided, and so
 * does one that this process cannot sign.
 */
export function keepsRecord({ snapshot }: Pick<Reconciled, 'snapshot'>): boolean {
  return snapshot?.newerRecord === undefined && snapshot?.keyMissing === undefined;
}

/** The records once these steps are on main. */
export function withSteps(
  records: ReadonlyMap<string, RolloutRecord>,
  steps: readonly Reconciled[],
): ReadonlyMap<string, RolloutRecord> {
  const written = steps
    .filter(keepsRecord)
    .flatMap(({ key, plan }) => (plan === undefined ? [] : [[printKey(key), recordWritten(plan)] as const]));
  return new Map([...records, ...written]);
}

/** Every byte comes from the plan: the same decision is the same commit, whenever it is sent. */
function stepOf({ plan, writes }: Reconciled, { author }: Config): readonly NewCommit[] {
  if (plan?.commit === undefined) return [];
  const { message, atSeconds } = plan.commit;
  return [{ writes, message, signature: { ...author, atSeconds } }];
}
