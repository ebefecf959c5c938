/** Runs schedules by their seeds, and says how often each fault was injected and each kind of commit was written. */

import { describe, expect, test } from 'vitest';
import { bundled } from './bundle.ts';
import type { Outcome } from './schedule.ts';
import { faultKinds } from './setup.ts';

/** `SEED=n` replays one schedule and prints it; the others are left out. */
export const ONE = process.env['SEED'];

/** How many schedules run, over all files. */
export const SCHEDULES = Number(process.env['SEEDS'] ?? (process.env['CI'] === undefined ? '2000' : '10000'));

export function failure(outcome: Outcome): string {
  const { seed, broken } = outcome;
  if (broken === undefined) return '';
  return `seed ${seed} breaks ${broken.law}: ${broken.message}\n\n${outcome.timeline()}\n\nReplay: SEED=${seed} npx vitest run test/simulation`;
}

/** The share of one test file: every `of`th seed from `first` on. */
export function checkSeeds(share: { readonly first: number; readonly of: number }): void {
  describe.runIf(ONE === undefined)('schedules', () => {
    const seeds = Array.from({ length: Math.ceil(SCHEDULES / share.of) }, (_, i) => String(share.first + i * share.of));
    const injected = new Map<string, number>(faultKinds.map((kind) => [kind, 0]));
    const reasons = new Map<string, number>();

    test(`${seeds.length} schedules break no law`, { timeout: 1_200_000 }, async () => {
      const { runSchedule } = await bundled();
      for (const seed of seeds) {
        const outcome = await runSchedule(seed);
        expect(outcome.broken, failure(outcome)).toBeUndefined();
        for (const kind of faultKinds) add(injected, kind, outcome.injected[kind]);
        for (const [reason, times] of outcome.reasons) add(reasons, reason, times);
      }
    });

    test('every kind of fault was there', () => {
      console.log(['injected', ...rows(injected), '', 'commits', ...rows(reasons)].join('\n'));
      expect([...injected].filter(([, times]) => times === 0)).toEqual([]);
    });
  });
}

function add(counts: Map<string, number>, key: string, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}

function rows(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].map(([key, times]) => `  ${key.padEnd(28)} ${String(times).padStart(6)}`);
}
