/** All pairs of faults within twenty calls of a small rollout, from the request on; `npm run sim -- --pairs` runs all others. */

import { describe, expect, test } from 'vitest';
import { bundled } from './bundle.ts';
import { exhaust, pairsInWindow, tellBroken, WINDOW } from './exhaust.ts';
import { configurations, smallStory } from './story-setup.ts';

describe.runIf(process.env['SEED'] === undefined)('all pairs', () => {
  const alone = configurations.filter(({ reconcilers }) => reconcilers === 1);

  test.each(alone)('of $strategy', { timeout: 600_000 }, async (one) => {
    const done = await exhaust(await bundled(), smallStory(one), ({ requestedAt }) => pairsInWindow(requestedAt));
    console.log(`${one.strategy}: ${done.runs} pairs`);
    expect(done.broken.length, tellBroken(done)).toBe(0);
    expect(done.runs).toBe(((WINDOW * (WINDOW - 1)) / 2) * 9);
  });
});
