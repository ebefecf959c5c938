/** A crash before, a crash after and a lost reply along a small rollout; `npm run sim -- --calls` does it at every call. */

import { describe, expect, test } from 'vitest';
import { bundled } from './bundle.ts';
import { exhaust, singlePlaces, tellBroken } from './exhaust.ts';
import { configurations, smallStory } from './story-setup.ts';

// No multiple of the three faults of a call: each of them comes, at every fourth place.
const STRIDE = 4;

describe.runIf(process.env['SEED'] === undefined)('calls', () => {
  const first = configurations.slice(0, 1);

  test.each(first)('of $strategy with $reconcilers reconciler(s)', async (one) => {
    const done = await exhaust(await bundled(), smallStory(one), ({ calls }) =>
      singlePlaces(calls).filter((_, place) => place % STRIDE === 0),
    );
    console.log(`${one.strategy} × ${one.reconcilers}: ${done.calls} calls, ${done.runs} runs`);
    expect(done.broken.length, tellBroken(done)).toBe(0);
    expect(done.runs).toBe(Math.ceil((done.calls * 3) / STRIDE));
  });
});
