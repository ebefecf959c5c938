/** Stories in which a hand goes back in time at a round of a delivery: with two workloads, and with the versions of one. */

import { rounds, SHARED_ROUNDS, story } from './acts.ts';
import { type BackHand, backHands } from './back-in-time.ts';
import { type Act, baseStory, type StorySetup, sharedStory } from './story-setup.ts';

const RETARGETED = 'the Rollout names another';
const AGAIN = 'the Rollout names it again';
const EXCHANGED = 'two Rollouts are exchanged';
/** Rounds after which the Rollout names its workload again. */
const AWAY = 3;
/** Of the rounds of every hand one in this many is played, a different one for each hand. */
const EVERY = 2;

/** Played last, so that the places of the stories before them stay as they are. */
const RESOLVED = ['an earlier commit reverted, ours kept', 'an earlier commit reverted, theirs taken'] as const;

const played = (Object.keys(backHands) as readonly BackHand[]).filter(
  (hand) => ![AGAIN, EXCHANGED, ...RESOLVED].includes(hand),
);

/** Asked of copies of the world, in each of these rounds. */
const FORGED: NonNullable<StorySetup['acts']> = [4, 5, 6, 7, 8, 9].map((round) => [
  round,
  'its annotations are forged',
]);

function actsOf(round: number, hand: BackHand): readonly (readonly [number, Act])[] {
  return hand === RETARGETED
    ? [
        [round, hand],
        [round + AWAY, AGAIN],
      ]
    : [[round, hand]];
}

/** Every hand at every `EVERY`th of some rounds. */
function each(
  all: readonly number[],
  of: (acts: readonly (readonly [number, Act])[]) => StorySetup,
  those: readonly BackHand[] = played,
) {
  return those.flatMap((hand, shift) =>
    all.filter((_, i) => (i + shift) % EVERY === 0).map((round) => of(actsOf(round, hand))),
  );
}

const SHARED = Array.from({ length: SHARED_ROUNDS }, (_, i) => i + 2);

function exchanged(round: number, of: StorySetup): StorySetup {
  return {
    ...of,
    neighbour: true,
    acts: [
      [round, EXCHANGED],
      [round + AWAY, EXCHANGED],
    ],
  };
}

/** When the first release is over, and rounds of the second. */
const BEGINS = 16;
const SECOND = [18, 19, 20, 21, 22, 23, 24, 25, 26, 27];

export const backStories: readonly StorySetup[] = [
  ...each(SHARED, (acts) => ({ ...sharedStory(), acts })),
  ...each(rounds('canary'), (acts) => story({ style: 'canary', groups: 2, acts })),
  ...each(rounds('blueGreen'), (acts) => story({ style: 'blueGreen', groups: 2, acts })),
  // Of a second release, so that the stable version has a label as well.
  ...SECOND.map((round): StorySetup => {
    const acts: NonNullable<StorySetup['acts']> = [
      [BEGINS, 'a newer template'],
      [round, 'its template as before'],
    ];
    return { ...sharedStory(), acts };
  }),
  // Another Rollout takes the workload over for a while, and this one that of the other.
  ...[4, 7, 10].map((round) => exchanged(round, sharedStory())),
  ...[5, 9].map((round) => exchanged(round, story({ style: 'canary', groups: 2, acts: [] }))),
  ...[6, 10].map((round) => exchanged(round, story({ style: 'blueGreen', groups: 2, acts: [] }))),
  // The file goes back, and people abort the release as well.
  ...SHARED.filter((round) => round % EVERY === 0).map(
    (round): StorySetup => ({
      ...sharedStory(),
      acts: [
        [round, 'its file as before'],
        [round + 1, 'abort'],
      ],
    }),
  ),
  // A person resolves the conflicts of an older commit that is reverted.
  ...each(SHARED, (acts) => ({ ...sharedStory(), acts }), RESOLVED),
  ...each(rounds('canary'), (acts) => story({ style: 'canary', groups: 2, acts }), RESOLVED),
  ...each(rounds('blueGreen'), (acts) => story({ style: 'blueGreen', groups: 2, acts }), RESOLVED),
  // Somebody says in the name of tranche that it has settled, or goes back to what it delivers.
  { ...baseStory({ strategy: 'partition', reconcilers: 1 }), acts: FORGED },
  { ...sharedStory(), acts: FORGED },
  story({ style: 'canary', groups: 2, acts: FORGED }),
];
