/** Schedules by their seeds: no law may be broken, and no kind of fault may be missing. `SEED=n` replays one. */

import { describe, expect, test } from 'vitest';
import { type Outcome, runSchedule } from './schedule.ts';
import { faultKinds } from './setup.ts';

const SCHEDULES = Number(process.env['SEEDS'] ?? '300');
const ONE = process.env['SEED'];

function describeFailure(outcome: Outcome): string {
  return `seed ${outcome.seed} breaks ${outcome.broken?.law}: ${outcome.broken?.message}\n\n${outcome.timeline()}\n\nReplay: SEED=${outcome.seed} npx vitest run test/simulation`;
}

describe.runIf(ONE !== undefined)('one seed', () => {
  test(`seed ${ONE}`, async () => {
    const outcome = await runSchedule(ONE ?? '');
    console.log(outcome.timeline());
    expect(outcome.broken, describeFailure(outcome)).toBeUndefined();
  });
});

describe.runIf(ONE === undefined)('schedules', () => {
  test('the same seed runs the same way', async () => {
    for (const seed of ['7', '21', '33']) {
      const [left, right] = [await runSchedule(seed), await runSchedule(seed)];
      expect(left.timeline()).toBe(right.timeline());
      expect(left.hash).toBe(right.hash);
    }
  });

  test(`${SCHEDULES} schedules break no law`, { timeout: 600_000 }, async () => {
    const injected = new Map<string, number>(faultKinds.map((kind) => [kind, 0]));
    for (let seed = 0; seed < SCHEDULES; seed++) {
      const outcome = await runSchedule(String(seed));
      expect(outcome.broken, outcome.broken === undefined ? '' : describeFailure(outcome)).toBeUndefined();
      for (const kind of faultKinds) injected.set(kind, (injected.get(kind) ?? 0) + outcome.injected[kind]);
    }
    console.log([...injected].map(([kind, times]) => `${kind.padEnd(26)} ${times}`).join('\n'));
    expect([...injected].filter(([, times]) => times === 0)).toEqual([]);
  });
});
