/** The laws of two workloads can fail: histories made by hand that differ from a true one in one thing each. */

import { beforeAll, describe, expect, test } from 'vitest';
import { lwsFile, withNumber } from './files.ts';
import {
  approvedShare,
  baked,
  ladderCeiling,
  ladderEvidence,
  ladderSteps,
  leavesBehind,
  rollBackServes,
  servingShare,
  stableUntilPromoted,
} from './ladder-laws.ts';
import type { LawName } from './laws.ts';
import { fieldsOf, type OurCommit, planAt } from './our-commit.ts';
import { plainPass } from './rest.ts';
import { routeFile } from './routed-files.ts';
import type { Scene } from './scene.ts';
import { filledStory, setupOfStory } from './story-setup.ts';
import { TrafficLaws } from './traffic-laws.ts';
import { Universe } from './universe.ts';

const setup = setupOfStory(filledStory({ strategy: 'canary', reconcilers: 1 }));
const workload = setup.workloads[0]!;
const universe = new Universe(setup);
/** A delivery whose new version has half of the requests. */
let half: Scene;

async function round(): Promise<void> {
  await plainPass(universe);
  universe.sync('main');
  universe.tick(100);
  universe.observe();
}

beforeAll(async () => {
  universe.sync('main');
  universe.tick(200);
  await round();
  const text = universe.lws('vllm') ?? '';
  universe.commit(lwsFile('vllm'), text.replaceAll('vllm:0', 'vllm:1'), 'version 1');
  universe.sync('main');
  for (let count = 0; count < 3; count++) await round();
  half = universe.scenes.get('vllm')!.at(-1)!;
});

type Moment = {
  readonly what: string;
  readonly law: LawName;
  readonly becomes: (scene: Scene) => Scene;
  readonly seconds?: number;
};

const none = { selects: 'vllm', ready: [], workers: [] };
const sides = (svc: object, canary: object) => (scene: Scene) =>
  new Map([
    ['vllm-svc', { ...scene.services.get('vllm-svc')!, ...svc }],
    ['vllm-svc-canary', { ...scene.services.get('vllm-svc-canary')!, ...canary }],
  ]);
const NO_SHARE: Scene['rules'] = [[{ service: 'vllm-svc', weight: 1 }]];

describe('in a moment', () => {
  test.each<Moment>([
    {
      what: 'a route sends nowhere',
      law: 'T2 not all zero',
      becomes: (scene) => ({ ...scene, rules: [[{ service: 'vllm-svc', weight: 0 }]] }),
    },
    {
      what: 'home, and the primary behind it is empty',
      law: 'T10 never empty',
      becomes: (scene) => ({ ...scene, rules: NO_SHARE, services: sides(none, {})(scene) }),
    },
    {
      what: 'home a second ago, and the gateway still sends to the other side, which is gone',
      law: 'T3 no request lost',
      becomes: (scene) => ({ ...scene, rules: NO_SHARE, services: sides({}, { ready: [] })(scene) }),
      seconds: 1,
    },
    {
      what: 'home, and the groups go before the last requests are answered',
      law: 'T3 no request lost',
      becomes: (scene) => ({ ...scene, rules: NO_SHARE, second: { ...scene.second!, replicas: 0 } }),
      seconds: 20,
    },
    {
      what: 'a Service that reaches workers',
      law: 'T7 leaders only',
      becomes: (scene) => ({ ...scene, services: sides({ workers: ['vllm-0-1'] }, {})(scene) }),
    },
    {
      what: 'more groups than the primary and the step',
      law: 'T8 groups',
      becomes: (scene) => ({ ...scene, second: { ...scene.second!, replicas: 3 } }),
    },
    {
      what: 'another text under groups',
      law: 'T9 one text',
      becomes: (scene) => ({ ...scene, second: { ...scene.second!, version: 2 } }),
    },
    {
      what: 'a version with a share that no commit gave it',
      law: 'T9 approved share',
      becomes: ({ second, ...scene }) => ({
        ...scene,
        second: { ...second!, version: 7, groups: second!.groups.map((group) => ({ ...group, leaderVersion: 7 })) },
      }),
    },
  ])('$what', ({ law, becomes, seconds = 100 }) => {
    const fork = universe.fork();
    fork.scenes.set('vllm', [half]);
    const laws = new TrafficLaws(fork, workload);
    for (const { oid } of fork.repository.log('main')) laws.opened(oid);
    expect(laws.look()).toBeUndefined();
    fork.scenes.get('vllm')!.push({ ...becomes(half), atSeconds: half.atSeconds + seconds });
    expect(laws.look()?.[0]).toBe(law);
  });
});

type Written = {
  readonly what: string;
  readonly law: (commit: OurCommit) => string | undefined;
  readonly reason: string;
  readonly at?: readonly [from: string | RegExp, to: string];
  /** What people's own document becomes. */
  readonly own?: (text: string) => string;
  readonly weights?: readonly [stable: number, canary: number];
  readonly scene?: (scene: Scene) => Scene;
  readonly style?: 'blueGreen';
};

const dead = (scene: Scene): Scene => ({ ...scene, services: sides({}, { ready: [] })(scene) });
const alone = (scene: Scene): Scene => ({ ...scene, services: sides({ ready: [] }, {})(scene) });
const toPromote = [/tranche.dev\/step: "1\/1@/, 'tranche.dev/step: "promote@'] as const;
const toRest = [/ *tranche.dev\/(step|at): .*\n/g, ''] as const;

const atRest = (text: string): string =>
  text.replace(toRest[0], '').replace(/(name: vllm-canary[^]*?replicas: )2/, '$10');

describe('in a commit', () => {
  test.each([
    {
      what: 'groups that are added to the green side may come while the other takes its text',
      at: 'template',
      isFound: false,
    },
    { what: 'none of the other start before they are there', at: 'pods', isFound: true },
  ])('S3: $what', ({ at, isFound }) => {
    const fork = universe.fork();
    const text = (fork.lws('vllm') ?? '').replace(
      /^( *)(tranche.dev\/release: .*\n)/m,
      '$1$2$1tranche.dev/serves: green\n',
    );
    fork.repository.commit('main', {
      writes: [{ path: lwsFile('vllm'), text: text.replace(toRest[0], '') }],
      message: 'rest',
    });
    fork.scenes.set('vllm', [{ ...half, second: { ...half.second!, replicas: 1 } }]);
    const files = { [lwsFile('vllm')]: text.replace(/(tranche.dev\/rung: ).*/, `$1${at}`) };
    expect(ladderEvidence(commitOf(fork, 'StepReady', files)) !== undefined).toBe(isFound);
  });

  test.each([
    {
      what: 'a route that we take out is not as before',
      hand: false,
      found: 'Settled: apps/vllm/route.yaml is not as before',
    },
    { what: 'a route that a hand has taken out is not ours to put back', hand: true, found: undefined },
  ])('T5: $what', ({ hand, found }) => {
    const fork = universe.fork();
    if (hand)
      fork.repository.commit('main', { writes: [{ path: routeFile('vllm'), text: undefined }], message: 'out' });
    const files = { [lwsFile('vllm')]: atRest(fork.lws('vllm') ?? ''), [routeFile('vllm')]: undefined };
    expect(leavesBehind(commitOf(fork, 'Settled', files))).toBe(found);
  });

  test.each([
    { what: 'all requests while all of the primary is down', budget: 2, own: 'down', share: 100, found: false },
    { what: 'all requests before LWS takes all of the primary down', budget: 2, own: 'old', share: 100, found: false },
    { what: 'all requests of a primary that serves', budget: 2, own: 'new', share: 100, found: true },
    { what: 'all requests while a part of the primary is down', budget: 1, own: 'down', share: 100, found: true },
    { what: 'its part of the last step, once that is over', budget: 2, own: 'new', from: 100, share: 50, found: false },
    { what: 'another part, once that is over', budget: 2, own: 'new', from: 100, share: 30, found: true },
  ] as const)('T9: the canary gets $what', ({ budget, own, share, found, ...at }) => {
    const fork = universe.fork();
    const text = withNumber(fork.lws('vllm') ?? '', 'maxUnavailable', budget).replace(...toPromote);
    const route = fork.text('main', routeFile('vllm')) ?? '';
    const sending = (percent: number): string => withWeights(route, [100 - percent, percent]);
    const before = 'from' in at ? sending(at.from) : route;
    const writes = [
      { path: lwsFile('vllm'), text },
      { path: routeFile('vllm'), text: before },
    ];
    fork.repository.commit('main', { writes, message: 'promoted' });
    const groups = half.own!.groups.map((group) => ({ ...group, version: own === 'old' ? 0 : 1 }));
    const primary = { ...half.own!, groups: own === 'down' ? groups.slice(1) : groups };
    fork.scenes.set('vllm', [{ ...half, own: primary }]);
    const commit = commitOf(fork, 'PrimaryCovered', { [routeFile('vllm')]: sending(share) });
    expect(approvedShare(commit) !== undefined).toBe(found);
  });

  test.each<Written>([
    {
      what: 'T1: a share for what serves nothing',
      law: servingShare,
      reason: 'RungReady',
      weights: [40, 60],
      scene: dead,
    },
    {
      what: 'T4: home to a primary that serves nothing',
      law: rollBackServes,
      reason: 'Aborted',
      weights: [1, 0],
      scene: alone,
    },
    {
      what: 'T4: groups go while they have a share',
      law: rollBackServes,
      reason: 'CanaryEmptied',
      at: [/(name: vllm-canary[^]*?replicas: )2/, '$10'],
    },
    { what: 'T5: settled with a share', law: leavesBehind, reason: 'Settled', at: toRest },
    { what: 'T6: the colour before goes at once', law: baked, reason: 'Settled', at: toRest, style: 'blueGreen' },
    { what: 'T9: another share than that of the step', law: approvedShare, reason: 'RungReady', weights: [40, 60] },
    {
      what: 'T11: a step lets the primary go',
      law: stableUntilPromoted,
      reason: 'RungReady',
      own: (text) => withNumber(text, 'partition', 0),
    },
    { what: 'S1: settled out of a step', law: ladderSteps, reason: 'Settled', at: toRest },
    {
      what: 'S2: more groups than the step says',
      law: ladderCeiling,
      reason: 'RungReady',
      at: [/(name: vllm-canary[^]*?replicas: )2/, '$15'],
    },
    {
      what: 'S3: promoted though a group is not ready',
      law: ladderEvidence,
      reason: 'Promoted',
      at: toPromote,
      scene: ({ second, ...rest }) => ({ ...rest, second: { ...second!, groups: second!.groups.slice(1) } }),
    },
  ])('$what', ({ law, reason, at, own, weights, scene = (one) => one, style }) => {
    const fork = universe.fork();
    const text = fork.lws('vllm') ?? '';
    const edited = at === undefined ? text : text.replace(at[0], at[1]);
    const route = fork.text('main', routeFile('vllm')) ?? '';
    const shared = weights === undefined ? route : withWeights(route, weights);
    const files = { [lwsFile('vllm')]: own === undefined ? edited : own(edited), [routeFile('vllm')]: shared };
    expect(law(commitOf(fork, 'RungReady', { [lwsFile('vllm')]: `${text}\n` }, style))).toBeUndefined();
    fork.scenes.set('vllm', [scene(half)]);
    expect(law(commitOf(fork, reason, files, style))).toContain(reason);
  });
});

function withWeights(route: string, [stable, canary]: readonly [number, number]): string {
  let place = 0;
  return route.replace(/weight: \d+/g, () => `weight: ${[stable, canary][place++]}`);
}

function commitOf(
  fork: Universe,
  reason: string,
  files: Readonly<Record<string, string | undefined>>,
  style?: 'blueGreen',
): OurCommit {
  const parent = fork.repository.head('main')!;
  const writes = Object.entries(files).map(([path, text]) => ({ path, text }));
  fork.repository.commit('main', { writes, message: 'by hand' });
  const oid = fork.repository.head('main')!;
  const fills = { ...workload.fills!, ...(style === undefined ? {} : { style }) };
  return {
    universe: fork,
    workload: { ...workload, fills },
    oid,
    parent,
    plannedFrom: parent,
    reason,
    subject: 'by hand',
    before: fieldsOf(fork.lws('vllm', parent) ?? ''),
    after: fieldsOf(fork.lws('vllm', oid) ?? ''),
    plan: planAt(fork, 'vllm', parent),
    since: [],
    scenes: fork.scenes.get('vllm') ?? [],
    releaseVersion: 1,
    remade: false,
    recordedMain: undefined,
    clusterLaws: () => [],
  };
}
