/** A crash before, a crash after and a lost reply at every call of a rollout: it converges all the same. */

import { describe, expect, test } from 'vitest';
import { bundled } from './bundle.ts';
import { exhaust, singlePlaces, tellBroken } from './exhaust.ts';
import { baseStory, configurations } from './story-setup.ts';

describe.runIf(process.env['SEED'] === undefined)('every call', () => {
  test.each(configurations)('of $strategy with $reconcilers reconciler(s)', { timeout: 600_000 }, async (one) => {
    const done = await exhaust(await bundled(), baseStory(one), ({ calls }) => singlePlaces(calls));
    console.log(`${one.strategy} × ${one.reconcilers}: ${done.calls} calls, ${done.runs} runs`);
    expect(done.broken.length, tellBroken(done)).toBe(0);
    expect(done.runs).toBe(done.calls * 3);
  });
});
