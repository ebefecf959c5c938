/** Planted bugs that show where a hand goes back in time: they are looked for in stories in which one does. */

import type { Mutant } from './mutants.ts';

/** Schedules within which a law must be broken: some seeds, and the stories. */
const ALLOWANCE = 200;

export const backMutants: readonly Mutant[] = [
  {
    name: 'back: the stable template without its label, and every group is released for update',
    file: 'src/rollout/events/going-back.ts',
    from: 'text: isBack(situation, stable.value) ? undefined : stable.value,',
    to: '...(situation.digest === stable.value.release.digest ? { partition: 0 } : { text: stable.value }),',
    allowance: ALLOWANCE,
    world: 'back',
  },
];
