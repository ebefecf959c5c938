/** What is remembered of pure functions changes nothing. Run without it, as `npm run test:long` is not: by naming this file. */

import { expect, test } from 'vitest';
import { bundled } from './bundle.ts';
import { runSchedule } from './schedule.ts';

test('a seed runs the same way after others, with all that is remembered of them', async () => {
  const remembering = await bundled();
  for (let i = 0; i < 4; i++) await remembering.runSchedule(String(i));
  // What a pass loads only where it needs it comes at once from then on, as it does in the bundle: calls keep their order.
  await runSchedule('0');
  for (const seed of ['7', '21', '33']) {
    const [alone, after] = [await runSchedule(seed), await remembering.runSchedule(seed)];
    expect(after.timeline(), `seed ${seed}`).toBe(alone.timeline());
    expect(after.hash, `seed ${seed}`).toBe(alone.hash);
  }
});
