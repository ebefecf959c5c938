/** Stories of rollbacks that cost capacity: groups that still load when the order comes, and more than one batch that keeps a share. */

import { story } from './acts.ts';
import { type StorySetup, sharedStory } from './story-setup.ts';

/** Groups that load for up to two minutes, and several looks meanwhile. */
const LOADS = 120;
const LOOKS = { loadSeconds: LOADS, roundSeconds: 40 } as const;

/** One of five groups still loads at the pass that reads the order, and LWS may replace several at once. */
const plain: StorySetup = {
  groups: 5,
  steps: [{ replicas: '100%', pause: 0 }],
  reconcilers: 1,
  surge: 0,
  loadSeconds: LOADS,
  roundSeconds: 80,
  gate: 'on',
  acts: [[4, 'abort']],
};

/** Three of five groups have half of the requests: two go back, one by one, before enough groups of the stable version serve. */
const batches: StorySetup = {
  ...sharedStory(),
  groups: 5,
  steps: [
    { replicas: '3', pause: 0, traffic: 50 },
    { replicas: '5', pause: 0 },
  ],
};

export const rollbackStories: readonly StorySetup[] = [
  plain,
  { ...batches, acts: [[5, 'abort']] },
  // Last requests are given ten minutes.
  { ...batches, shares: { requestSeconds: undefined, graceSeconds: undefined }, acts: [[5, 'abort']] },
  ...[10, 14].map((round) => story({ style: 'canary', groups: 3, acts: [[round, 'abort']], ...LOOKS })),
  story({ style: 'blueGreen', groups: 3, acts: [[10, 'abort']], ...LOOKS }),
  // A settled release is undone; and of two colours something comes in between.
  story({ style: 'blueGreen', groups: 2, acts: [[14, 'undo']] }),
  ...(['paused', 'a newer template', 'the partition by hand'] as const).map((act) =>
    story({
      style: 'blueGreen',
      groups: 2,
      acts: [
        [14, 'undo'],
        [17, act],
      ],
    }),
  ),
  story({ style: 'canary', groups: 2, acts: [[12, 'undo']] }),
  { ...sharedStory(), acts: [[18, 'undo']] },
];
