/** Stories of each kind of route: a whole delivery with a share, with clients that a step picks, and one that is aborted. */

import { picksOf, type RouteName, routeTexts } from './route-texts.ts';
import type { Fills, StepSetup } from './setup.ts';
import type { StorySetup } from './story-setup.ts';

const ROUND = { text: 4, pods: 5, traffic: 6 } as const;

/** Each kind, then two together, then none. */
const kinds: readonly (readonly RouteName[])[] = [
  ...Object.keys(routeTexts).map((name) => [name as RouteName]),
  ['HTTPRoute', 'VirtualService'],
  ['MseIngress', 'HTTPProxy'],
];

function stepsOf(of: readonly RouteName[]): readonly StepSetup[] {
  return [
    ...(picksOf(of).length === 0 ? [] : [{ replicas: '1', pause: 0, traffic: 30, matches: picksOf(of) }]),
    { replicas: '1', pause: 0, traffic: 20 },
    { replicas: '100%', pause: 0, traffic: 60 },
  ];
}

function story(of: readonly RouteName[], style: Fills['style'], more: Partial<StorySetup> = {}): StorySetup {
  const fills = { style, routed: true, requestSeconds: 30, graceSeconds: undefined, kinds: of };
  return { groups: 2, steps: stepsOf(of), reconcilers: 1, surge: 0, fills, ...more };
}

/** Without a route steps have no share. */
const alone: StorySetup = { ...story([], 'blueGreen'), steps: [{ replicas: '100%', pause: 0 }] };

export const kindStories: readonly StorySetup[] = [
  alone,
  ...kinds.map((of) => story(of, 'canary')),
  ...kinds.map((of) => story(of, 'canary', { acts: [[ROUND.traffic, 'abort']] })),
  ...[ROUND.pods, ROUND.traffic].map((round) => ({ ...alone, acts: [[round, 'abort'] as const] })),
  ...[4, 5, 6, 7].map((round) => ({ ...alone, acts: [[round, 'the new version dies'] as const] })),
];
