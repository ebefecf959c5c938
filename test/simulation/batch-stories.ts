/** Stories in which something happens while the groups of an aborted version go back a batch at a time and keep a share. */

import { type Act, type StorySetup, sharedStory } from './story-setup.ts';

const ACTS: readonly Act[] = [
  'a newer template',
  'the new version dies',
  'the partition by hand',
  'the route is taken out',
  're-created',
  'its Service by hand',
];

/** The rounds of an abort at which too few groups of the stable version serve for all requests. */
const ABORTED: readonly number[] = [8, 10];

/** One, two and three rounds after it. */
export const batchStories: readonly StorySetup[] = ABORTED.flatMap((round) =>
  ACTS.flatMap((act) =>
    [1, 2, 3].map((later): StorySetup => {
      const back = act === 'the route is taken out' ? ([[round + later + 4, 'the files are back']] as const) : [];
      return { ...sharedStory(), acts: [[round, 'abort'], [round + later, act], ...back] };
    }),
  ),
);
