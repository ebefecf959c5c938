/** The program behind `npm run digests`: what is decided, as one line a random world and one a schedule, to be compared by diff. */

import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { plan } from '../../src/rollout/plan.ts';
import { arbitraryWorld } from '../support/arbitrary-world.ts';
import { world } from '../support/snapshot.ts';
import { actStories, sharedActStories } from './acts.ts';
import { backStories } from './back-stories.ts';
import { plansSince } from './remembered/plan.ts';
import { runSchedule } from './schedule.ts';
import { filledSetupOf, setupOf, sharedSetupOf } from './setup.ts';
import { runStory } from './story.ts';

/** Worlds differ by it alone. */
const SEED = 20_261_125;

const { values: options } = parseArgs({
  options: {
    worlds: { type: 'string', default: '5000' },
    schedules: { type: 'string', default: '40' },
    stories: { type: 'string', default: '60' },
  },
});

function say(what: string, found: string): void {
  console.log(`${what} ${createHash('sha256').update(found).digest('hex').slice(0, 16)}`);
}

/** The whole plan of each: its move, its holds, its edits, and the record. */
function worlds(): void {
  const all = fc.sample(arbitraryWorld, { numRuns: Number(options.worlds), seed: SEED });
  for (const [i, one] of all.entries()) say(`world ${i}`, JSON.stringify(plan(world(one))));
  plansSince();
}

/** Every plan that is made while it runs, those of the questions that it asks as well. */
async function schedules(): Promise<void> {
  const kinds = { plain: setupOf, filled: filledSetupOf, shared: sharedSetupOf };
  for (let seed = 0; seed < Number(options.schedules); seed += 1)
    for (const [kind, of] of Object.entries(kinds)) {
      const { hash, broken } = await runSchedule(String(seed), of(String(seed)));
      const { count, digest } = plansSince();
      say(`${kind} ${seed} (${count} plans)`, `${hash} ${broken?.message ?? ''} ${digest}`);
    }
}

/** One thing at every rung: a part of the stories, spread over all of them. */
async function stories(): Promise<void> {
  const all = [...actStories, ...sharedActStories, ...backStories];
  const every = Math.max(1, Math.floor(all.length / Number(options.stories)));
  for (let at = 0; at < all.length; at += every) {
    const story = all[at];
    if (story === undefined) continue;
    const { broken } = await runStory(story, new Map());
    const { count, digest } = plansSince();
    say(`story ${at} (${count} plans)`, `${broken?.message ?? ''} ${digest}`);
  }
}

worlds();
void schedules().then(stories);
