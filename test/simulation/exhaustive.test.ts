/** A crash before, a crash after and a lost reply at every call of a small rollout; `npm run sim -- --calls` does it for all. */

import { describe, expect, test } from 'vitest';
import { bundled } from './bundle.ts';
import { exhaust, singlePlaces, tellBroken } from './exhaust.ts';
import { configurations, smallStory } from './story-setup.ts';

describe.runIf(process.env['SEED'] === undefined)('every call', () => {
  const first = configurations.slice(0, 1);

  test.each(first)('of $strategy with $reconcilers reconciler(s)', async (one) => {
    const done = await exhaust(await bundled(), smallStory(one), ({ calls }) => singlePlaces(calls));
    console.log(`${one.strategy} × ${one.reconcilers}: ${done.calls} calls, ${done.runs} runs`);
    expect(done.broken.length, tellBroken(done)).toBe(0);
    expect(done.runs).toBe(done.calls * 3);
  });
});
