/** Stories in which one thing happens at each round of a delivery that fills a second workload, or shares one: at every rung. */

import type { Hand } from './hands.ts';
import { type Act, type StorySetup, sharedStory } from './story-setup.ts';

/** Rounds of a whole delivery, from its request to its end. */
const ROUNDS = { canary: 9, blueGreen: 12 } as const;

const ACTS: readonly Act[] = ['abort', 'a newer template', 'the new version dies'];

export type Of = Pick<StorySetup, 'groups'> & {
  readonly style: keyof typeof ROUNDS;
  readonly acts: NonNullable<StorySetup['acts']>;
  /** Last requests are given ten minutes, and pods take long to end. */
  readonly slow?: true;
} & Pick<StorySetup, 'scaler' | 'loadSeconds' | 'roundSeconds'>;

export function story({ style, groups, acts, slow, ...more }: Of): StorySetup {
  // A primary that may be down at once takes over only from a canary that carries all.
  const traffic = groups === 1 && style === 'canary' ? 100 : 50;
  return {
    groups,
    steps: [{ replicas: '100%', pause: 0, traffic }],
    reconcilers: 1,
    surge: 0,
    fills: { style, routed: true, requestSeconds: slow === true ? undefined : 30, graceSeconds: undefined },
    acts,
    ...(slow === true ? { terminationSeconds: 300 } : {}),
    ...more,
  };
}

const styles = ['canary', 'blueGreen'] as const;

export function rounds(style: keyof typeof ROUNDS): readonly number[] {
  return Array.from({ length: ROUNDS[style] }, (_, i) => i + 2);
}

/** For what takes two acts. */
function evens(style: keyof typeof ROUNDS): readonly number[] {
  return rounds(style).filter((round) => round % 2 === 0);
}

/** What is taken out is aborted without it, and comes back later. */
function without(style: keyof typeof ROUNDS, [round, hand]: readonly [number, Hand]): StorySetup {
  return story({
    style,
    groups: 2,
    acts: [
      [round, hand],
      [round + 1, 'abort'],
      [round + 5, 'the files are back'],
    ],
  });
}

/** Hands at the files, at rungs that have something to lose. */
const handStories: readonly StorySetup[] = [
  ...([5, 6] as const).map((round) => story({ style: 'canary', groups: 2, acts: [[round, 'paused']] })),
  ...([6, 8] as const).map((round) => story({ style: 'blueGreen', groups: 2, acts: [[round, 'paused']] })),
  ...styles.flatMap((style) =>
    [5, 7, 9].flatMap((round) =>
      (['the route is taken out', 'the Service is taken out'] as const).map((hand) => without(style, [round, hand])),
    ),
  ),
  ...[7, 8].map((round) =>
    story({
      style: 'canary',
      groups: 2,
      acts: [
        [round, 'the primary dies'],
        [round + 1, 'abort'],
      ],
    }),
  ),
  ...styles.flatMap((style) =>
    (['its groups by hand', 'its share by hand', 'its strategy by hand', 'the Rollout is taken out'] as const).map(
      (hand) =>
        story({
          style,
          groups: 2,
          acts: [
            [6, hand],
            [10, hand === 'its groups by hand' || hand === 'its share by hand' ? 'abort' : 'the files are back'],
          ],
        }),
    ),
  ),
  // What the document of the second workload says.
  ...styles.flatMap((style) =>
    [5, 7, 9].flatMap((round) =>
      (['its partition by hand', 'more of its groups by hand'] as const).map((hand) =>
        story({
          style,
          groups: 2,
          acts: [
            [round, hand],
            [round + 2, 'abort'],
          ],
        }),
      ),
    ),
  ),
  ...styles.flatMap((style) =>
    [5, 7, 9].map((round) =>
      story({
        style,
        groups: 2,
        acts: [
          [round, 'its second workload is taken out'],
          [round + 2, 'abort'],
        ],
      }),
    ),
  ),
  ...[40, 5].map((round) => story({ style: 'canary', groups: 2, acts: [[round, 'abort']], scaler: true })),
  // Groups that load for longer than from one look to the next, and looks that are closer than a side is kept.
  story({ style: 'canary', groups: 2, acts: [[14, 'abort']], loadSeconds: 200 }),
  story({ style: 'canary', groups: 1, acts: [[12, 'abort']], loadSeconds: 200, roundSeconds: 40 }),
  story({ style: 'blueGreen', groups: 2, acts: [[40, 'abort']], roundSeconds: 70 }),
  // The text of a second release is not applied before more is written.
  ...styles.map((style) =>
    story({
      style,
      groups: 2,
      acts: [
        [16, 'a newer template'],
        [17, 'the agent rests'],
      ],
    }),
  ),
  // The canary dies that took all requests first, so that the primary could go back.
  story({
    style: 'canary',
    groups: 1,
    acts: [
      [8, 'abort'],
      [9, 'the new version dies'],
    ],
  }),
];

/** Rounds of a whole delivery whose versions share the requests. */
export const SHARED_ROUNDS = 13;

/** The same where versions share the requests of one workload: none, one act at each of its rounds, and some with two. */
export const sharedActStories: readonly StorySetup[] = [
  sharedStory(),
  ...Array.from({ length: SHARED_ROUNDS }, (_, i) => i + 2).flatMap((round) => {
    const all: readonly Of['acts'][] = [
      ...([...ACTS, 'another share', 'the partition by hand'] as const).map((act) => [[round, act]] as const),
      [
        [round, 're-created'],
        [round + 1, 'abort'],
      ],
      [
        [round, 'the new version dies'],
        [round + 1, 'a newer template'],
      ],
    ];
    return all.map((acts) => ({ ...sharedStory(), acts }));
  }),
  // What is taken out is aborted without it, and comes back later.
  ...[6, 7, 8, 9, 10].flatMap((round) =>
    (['the route is taken out', 'the Service is taken out'] as const).map(
      (hand): StorySetup => ({
        ...sharedStory(),
        acts: [
          [round, hand],
          [round + 1, 'abort'],
          [round + 5, 'the files are back'],
        ],
      }),
    ),
  ),
  ...[6, 8, 10].map(
    (round): StorySetup => ({
      ...sharedStory(),
      acts: [
        [round, 'its Service by hand'],
        [round + 1, 'abort'],
      ],
    }),
  ),
  // Last requests are given ten minutes.
  ...[6, 8, 10].map(
    (round): StorySetup => ({
      ...sharedStory(),
      shares: { requestSeconds: undefined, graceSeconds: undefined },
      acts: [[round, 'abort']],
    }),
  ),
];

/** Every act at every round; then those that need two, and a primary of one. */
export const actStories: readonly StorySetup[] = [
  ...styles.flatMap((style) =>
    rounds(style).flatMap((round) => ACTS.map((act) => story({ style, groups: 2, acts: [[round, act]] }))),
  ),
  ...styles.flatMap((style) => rounds(style).map((round) => story({ style, groups: 1, acts: [[round, 'abort']] }))),
  ...styles.flatMap((style) => {
    const all: readonly Of['acts'][] = [
      // Nothing more than a delivery, and one that is overtaken.
      [[40, 'abort']],
      [[5, 'a newer template']],
      [[5, 'abort']],
      // A rollback whose primary a hand releases, and a newer template.
      [
        [5, 'abort'],
        [6, 'the partition by hand'],
        [6, 'a newer template'],
      ],
      [
        [6, 'the new version dies'],
        [7, 'abort'],
      ],
    ];
    return all.map((acts) => story({ style, groups: 2, acts, slow: true }));
  }),
  // A primary that is down at once, slowly: it goes only once it is drained, and its rollback is as long.
  ...[40, 10, 11, 12, 13, 14].map((round) =>
    story({ style: 'canary', groups: 1, acts: [[round, 'abort']], slow: true }),
  ),
  // An edit of the plan, and one of the partition before anybody has looked.
  ...styles.map((style) =>
    story({
      style,
      groups: 2,
      acts: [
        [5, 'another share'],
        [5, 'the partition by hand'],
      ],
    }),
  ),
  // The user's own is gone, and comes up on the text of Git; then it is aborted.
  ...styles.flatMap((style) =>
    evens(style).map((round) =>
      story({
        style,
        groups: 2,
        acts: [
          [round, 're-created'],
          [round + 1, 'abort'],
        ],
      }),
    ),
  ),
  ...handStories,
  // One of two groups breaks under its share, and while the colour before could still take over.
  story({ style: 'canary', groups: 2, acts: [[5, 'one group of it dies']] }),
  story({ style: 'blueGreen', groups: 2, acts: [[11, 'one group of it dies']] }),
];
