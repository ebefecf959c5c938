/** A crash before, a crash after and a lost reply along a small rollout; `npm run sim -- --calls` does it at every call. */

import { describe, expect, test } from 'vitest';
import { actStories, sharedActStories } from './acts.ts';
import { bundled } from './bundle.ts';
import { exhaust, singlePlaces, tellBroken } from './exhaust.ts';
import { configurations, filledConfigurations, filledStory, sharedStory, smallStory } from './story-setup.ts';

// No multiple of the three faults of a call: each of them comes, at every seventy-third place.
const STRIDE = 73;
/** The same where a second workload is filled, whose stories are longer; and of the stories with an act at every rung. */
const FILLED_STRIDE = 647;
const ACTS_STRIDE = 167;

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

  test.each(filledConfigurations)('of $strategy', async (one) => {
    const done = await exhaust(await bundled(), filledStory(one), ({ calls }) =>
      singlePlaces(calls).filter((_, place) => place % FILLED_STRIDE === 0),
    );
    expect(done.broken.length, tellBroken(done)).toBe(0);
    expect(done.runs).toBe(Math.ceil((done.calls * 3) / FILLED_STRIDE));
  });

  test('of partition with a route', async () => {
    const done = await exhaust(await bundled(), sharedStory(), ({ calls }) =>
      singlePlaces(calls).filter((_, place) => place % FILLED_STRIDE === 0),
    );
    expect(done.broken.length, tellBroken(done)).toBe(0);
    expect(done.runs).toBe(Math.ceil((done.calls * 3) / FILLED_STRIDE));
  });

  test('an act at some of the rungs; `npm run sim -- --acts` does each at every one', async () => {
    const { runStory } = await bundled();
    for (const story of [...actStories, ...sharedActStories].filter((_, place) => place % ACTS_STRIDE === 0)) {
      const { broken, timeline } = await runStory(story, new Map());
      expect(broken, `${JSON.stringify(story.acts)}\n${timeline()}`).toBeUndefined();
    }
  });
});
