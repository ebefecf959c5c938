/** What many schedules have seen together: faults and commits by kind, laws judged, and what must not be missing. */

import { type Assumed, assumed } from './cluster-laws.ts';
import type { Outcome } from './schedule.ts';
import { faultKinds } from './setup.ts';

export type Tallies = {
  schedules: number;
  readonly injected: Record<string, number>;
  readonly reasons: Record<string, number>;
  readonly judged: Record<Assumed, number>;
};

/** At least this part of all schedules is judged by each law that assumes something. */
const JUDGED_LEAST = 0.25;
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

/** Kinds of faults that never happened, and laws that were judged too seldom: then the run proves little. */
export function missing({ schedules, injected, judged }: Tallies): readonly string[] {
  if (schedules < SCHEDULES_LEAST) return [];
  return [
    ...Object.keys(injected).filter((kind) => injected[kind] === 0),
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
