/** What many schedules have seen together: faults and commits by kind, laws judged, and what must not be missing. */

import type { MoveReason } from '../../src/rollout/move.ts';
import { type Assumed, assumed } from './cluster-laws.ts';
import type { Outcome } from './schedule.ts';
import { faultKinds } from './setup.ts';

export type Tallies = {
  schedules: number;
  readonly injected: Record<string, number>;
  readonly reasons: Record<string, number>;
  readonly judged: Record<Assumed, number>;
};

/**
 * Every reason of a move, and where it is played: in the worlds of the seeds, or where those have no such thing.
 * `MoveReason` says which there are, so that a new one does not compile without a line here.
 */
export const reasonPlaces = {
  Adopted: 'seeds',
  SurgePrepared: 'seeds',
  Surged: 'seeds',
  SurgeReturned: 'seeds',
  StepReady: 'seeds',
  Jumped: 'seeds',
  StepsEdited: 'seeds',
  Superseded: 'seeds',
  Locked: 'seeds',
  Settled: 'seeds',
  Relocked: 'seeds',
  Aborted: 'seeds',
  Reverted: 'seeds',
  BudgetRaised: 'seeds',
  BudgetLowered: 'seeds',
  RollbackWidened: 'seeds',
  RolledBack: 'seeds',
  RequestWithdrawn: 'seeds',
  AbortedTemplateRemoved: 'seeds',
  RollStopped: 'seeds',
  PartitionRestored: 'seeds',
  // Nor does anybody merge steps there.
  MergeAccepted: 'test/rollout/states/merged.test.ts',
  Retried: 'seeds',
  // No world of a seed is built by kustomize.
  Unpinned: 'test/reconcile/built/rollback.test.ts',
  // Nor is a chart rendered in one.
  InputsWritten: 'test/reconcile/helm/delivery.test.ts',
  SizeChanged: 'seeds',
  // No world of a seed has policies.
  Failed: 'fixtures/scenarios/failed-by-itself',
  // Nobody undoes there either.
  Undone: 'fixtures/scenarios/undo',
  // Nor changes the claims, or edits what LWS takes for the same.
  NoNewRevision: 'fixtures/scenarios/change-without-a-difference',
  RecreateRemoved: 'fixtures/scenarios/recreate-and-back',
  RecreateCreated: 'fixtures/scenarios/recreate-and-back',
  RecreateEnded: 'test/rollout/states/recreating.test.ts',
  RungReady: 'seeds',
  Promoted: 'seeds',
  RouteRestored: 'seeds',
  CanaryEmptied: 'seeds',
  // Of one that was scaled down to what may be down at once, while it restarts.
  PrimaryCovered: 'fixtures/scenarios/canary-scaled-to-one-in-the-promotion',
  TrafficWithdrawn: 'seeds',
  // Of a primary that may all be down at once, in its rollback.
  ShareAccepted: 'test/rollout/states/one-group.test.ts',
  AnnotationsRestored: 'test/rollout/states/hand-marks.test.ts',
} as const satisfies Record<MoveReason, string>;

/** At least this part of all schedules is judged by each law that assumes something. */
const JUDGED_LEAST = 0.25;
const inSeeds = Object.entries(reasonPlaces).flatMap(([reason, place]) => (place === 'seeds' ? [reason] : []));
/** What is there with `--hostile` alone, or with `--kustomize`. */
const askedFor: readonly string[] = [
  'status forged',
  'folder of others',
  'build fails',
  'build stopped',
  'kustomize missing',
  'settings of others',
];

/** Fewer schedules say nothing about what is seldom. */
const SCHEDULES_LEAST = 900;

export function newTallies(): Tallies {
  return {
    schedules: 0,
    injected: Object.fromEntries(faultKinds.map((kind) => [kind, 0])),
    reasons: {},
    judged: { 'C1 capacity': 0, 'C3 revision mix': 0 },
  };
}

export function count(tallies: Tallies, { injected, reasons, judged }: Outcome): void {
  tallies.schedules += 1;
  for (const [kind, times] of Object.entries(injected)) add(tallies.injected, kind, times);
  for (const [reason, times] of reasons) add(tallies.reasons, reason, times);
  for (const law of judged) tallies.judged[law] += 1;
}

/** Adds what another process has counted. */
export function merge(tallies: Tallies, other: Tallies): void {
  tallies.schedules += other.schedules;
  for (const part of ['injected', 'reasons', 'judged'] as const)
    for (const [key, times] of Object.entries(other[part])) add(tallies[part], key, times);
}

/** Kinds of faults and of moves that never happened, and laws that were judged too seldom: then the run proves little. */
export function missing({ schedules, injected, reasons, judged }: Tallies): readonly string[] {
  if (schedules < SCHEDULES_LEAST) return [];
  return [
    ...Object.keys(injected).filter((kind) => injected[kind] === 0 && !askedFor.includes(kind)),
    ...inSeeds.filter((reason) => (reasons[reason] ?? 0) === 0),
    ...assumed.filter((law) => judged[law] < schedules * JUDGED_LEAST),
  ];
}

export function tell({ schedules, injected, reasons, judged }: Tallies): string {
  return [
    `${schedules} schedules; faults injected`,
    ...rows(injected),
    'commits',
    ...rows(reasons),
    'judged over the whole schedule, because the assumptions held',
    ...rows(judged),
  ].join('\n');
}

function add(counts: Record<string, number>, key: string, times: number): void {
  counts[key] = (counts[key] ?? 0) + times;
}

function rows(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(counts).map(([key, times]) => `  ${key.padEnd(28)} ${String(times).padStart(7)}`);
}
