/** The same where requests are shared: marks that somebody has changed in the middle of a share, and an abort all the same. */

import { expect, test } from 'vitest';
import {
  filesOf,
  LWS,
  markIn,
  NEW,
  ROUTE,
  restoring,
  SERVICE,
  STYLES,
  serving,
  standing,
  untilRest,
} from '../../support/forged-share.ts';
import { type Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { sampled } from '../../support/sampled.ts';
import { failingPercent } from '../../support/story/requests.ts';

const ROUNDS_MOST = 40;
const STAGE = 'in its first share';

/** Seconds of a drain that a policy asks for: longer than the routes or the groups do. */
const DRAIN = 1800;
const POLICY_FILE = 'policies/drain.yaml';
const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: drain
spec:
  drainSeconds: ${DRAIN}
`;

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string): Promise<Forgery> => {
  const base = bases.get(style) ?? standing({ style, stage: STAGE });
  bases.set(style, base);
  return base;
};

const FORGERIES: Readonly<Record<string, (at: Forgery) => void>> = {
  'step, the last': (at) => at.mark('step', `3/3@${markIn(at, 'release')}`),
  'step, promote': (at) => at.mark('step', 'promote'),
  'step, rollback': (at) => at.mark('step', 'rollback'),
  'rung, route-restored': (at) => at.mark('rung', 'route-restored'),
  'rung, template': (at) => at.mark('rung', 'template'),
  'rung, pods': (at) => at.mark('rung', 'pods'),
  'rung, primary': (at) => at.mark('rung', 'primary'),
  'rung, all': (at) => at.mark('rung', 'all'),
  'rung, switch': (at) => at.mark('rung', 'switch'),
  'serves, green': (at) => at.mark('serves', 'green'),
  'stable, of nothing': (at) => {
    at.lose(['a'.repeat(40)]);
    at.mark('stable', `${'a'.repeat(40)}@${'b'.repeat(32)}`);
  },
  'aborted, of what is delivered': (at) => at.mark('aborted', markIn(at, 'release')),
  'restore, floor': restoring(() => ({ floor: 0 })),
  'restore, groups': restoring(() => ({ groups: 9 })),
  'restore, withdrawn': restoring(() => ({ withdrawn: 9 })),
  'restore, carried': restoring(() => ({ carried: 9 })),
  'restore, drainSeconds': restoring(() => ({ drainSeconds: 2_000_000_000 })),
  'restore, least': restoring(() => ({ least: 1 })),
  'restore, stopped': restoring(() => ({ stopped: true })),
  'restore, plan': restoring(() => ({ plan: 'e'.repeat(32) })),
  'restore, no style': restoring(() => ({ style: undefined })),
  'restore, style of partition': restoring(() => ({ style: 'partition' })),
  'restore, style of canary': restoring(() => ({ style: 'canary' })),
  'restore, style of blueGreen': restoring(() => ({ style: 'blueGreen' })),
  'restore, no routing': restoring(() => ({ routing: undefined })),
  'restore, another route': restoring(() => ({
    routing: { service: 'vllm-svc', routes: [{ kind: 'HTTPRoute', name: 'x' }] },
  })),
  'restore, another Service': restoring(() => ({ routing: { service: 'x', routes: [] } })),
  'restore, no objects': restoring(() => ({ objects: undefined })),
  'restore, replicas': restoring(() => ({ replicas: { was: 1, set: 4 } })),
};

const CASES = Object.keys(STYLES).flatMap((style) => Object.keys(FORGERIES).map((what) => [style, what] as const));

test.each(sampled(CASES, 3))('%s, forged: %s: serving groups stay, and an abort leads back', async (style, what) => {
  const base = await baseOf(style);
  const at = base.fork();
  const before = [ROUTE, SERVICE].map((path) => filesOf(style)[path]);
  FORGERIES[what]?.(at);
  const seen: string[] = [];
  const round = async (): Promise<void> => {
    await at.round();
    seen.push(`${at.world.subject()} | ${at.world.groups()}`);
    expect(serving(at), seen.join('\n')).toBeGreaterThanOrEqual(3);
  };
  await round();
  const answer = await at.order({ kind: 'abort', keepNewer: false });
  await untilRest(at, ROUNDS_MOST, round);
  const told = `${answer}\n${[...new Set(seen)].join('\n')}\n${at.text(LWS)}`;
  expect(at.text(LWS).split('\n---\n')[0], told).not.toContain(NEW);
  // Without the mark nobody knows that the route had no weight: it stays, and is that of all requests.
  const route = what === 'restore, no objects' ? at.text(ROUTE).replace(/^ +weight: \d+\n/gm, '') : at.text(ROUTE);
  expect(route, told).toBe(before[0]);
  expect(at.text(SERVICE).startsWith(before[1]?.trimEnd() ?? ''), told).toBe(true);
  expect(serving(at, '0.10.0'), told).toBe(4);
});

test.each([
  ['canary, step rollback', 'canary', 'step, rollback'],
  ['blueGreen, step rollback', 'blueGreen', 'step, rollback'],
  ['partition with a route, step rollback', 'partition with a route', 'step, rollback'],
  ['blueGreen, serves green', 'blueGreen', 'serves, green'],
  ['canary, style of blueGreen', 'canary', 'restore, style of blueGreen'],
  ['blueGreen, style of canary', 'blueGreen', 'restore, style of canary'],
  ['a routed partition, style of canary', 'partition with a route', 'restore, style of canary'],
  ['canary, a route that nobody has', 'canary', 'restore, another route'],
  ['canary, another Service', 'canary', 'restore, another Service'],
])('forged: %s: nothing is written by it, and the share stays', async (_, style, what) => {
  const at = (await baseOf(style)).fork();
  FORGERIES[what]?.(at);
  const forged = at.text(LWS);
  const shared = at.text(ROUTE);
  const said: string[] = [];
  for (let count = 0; count < 10; count += 1) said.push(reasonsOf(await at.round()).join(' '));
  expect([at.text(LWS), at.text(ROUTE)]).toEqual([forged, shared]);
  expect(said.at(-1)).toContain('AnnotationsGone');
});

test.each([
  ['canary, style of blueGreen', 'canary', 'restore, style of blueGreen'],
  ['canary, no style', 'canary', 'restore, no style'],
  ['blueGreen, style of canary', 'blueGreen', 'restore, style of canary'],
  ['a routed partition, style of canary', 'partition with a route', 'restore, style of canary'],
  ['canary, no routing', 'canary', 'restore, no routing'],
  ['canary, a route that nobody has', 'canary', 'restore, another route'],
])(
  'forged: %s, and its Rollout is gone: serving groups and the share stay, and an abort leads back',
  async (_, style, what) => {
    const at = (await baseOf(style)).fork();
    const route = at.text(ROUTE);
    FORGERIES[what]?.(at);
    const rollout = Object.entries(filesOf(style)).find(([, text]) => text.includes('kind: Rollout'))?.[0] ?? '';
    at.write(rollout, undefined);
    const forged = at.text(LWS);
    const round = async (): Promise<void> => {
      await at.round();
      expect([serving(at) >= 3, failingPercent(at.world.cluster)], at.world.subject()).toEqual([true, 0]);
    };
    for (let count = 0; count < 10; count += 1) await round();
    expect([at.text(LWS), at.text(ROUTE)]).toEqual([forged, route]);
    const answer = await at.order({ kind: 'abort', keepNewer: false });
    await untilRest(at, ROUNDS_MOST, round);
    expect(at.text(LWS).split('\n---\n')[0], `${answer}\n${at.world.subject()}`).not.toContain(NEW);
    expect(serving(at, '0.10.0'), `${answer}\n${at.world.subject()}`).toBe(4);
  },
);

test.each([
  ['canary', 'canary', 0, ''],
  ['canary, 30 days', 'canary', 30 * 86_400, ''],
  ['canary, 30 days, and the mark was out of the file', 'canary', 30 * 86_400, 'taken out'],
  ['blueGreen, 30 days', 'blueGreen', 30 * 86_400, ''],
  ['partition with a route, 30 days', 'partition with a route', 30 * 86_400, ''],
])('drainSeconds: %s: as long as a policy asked for that is gone, and no longer', async (_, style, forged, what) => {
  const at = await standing({ style, stage: STAGE, more: { [POLICY_FILE]: POLICY } });
  expect(at.text(LWS)).toContain(`"drainSeconds":${DRAIN}`);
  at.write(POLICY_FILE, undefined);
  if (what === 'taken out') {
    const written = at.text(LWS);
    at.edit(LWS, /    tranche\.dev\/restore: .*\n/, '');
    await at.round();
    at.write(LWS, written);
  }
  if (forged > 0) restoring(() => ({ drainSeconds: forged }))(at);
  await at.order({ kind: 'abort', keepNewer: false });
  const isOver = (): boolean => markIn(at, 'step') === '';
  let seconds = 0;
  const said: string[] = [];
  for (; seconds < 2 * DRAIN && !isOver(); seconds += 60) said.push(saidOf(await at.round()));
  expect(seconds, said.join('\n')).toBeGreaterThan(DRAIN);
  expect(isOver(), said.at(-1)).toBe(true);
  const why = `says that a policy asked for a drain of ${forged} s, and the policies of main asked for ${DRAIN} s at most`;
  expect(said.join('\n').includes(why)).toBe(forged > 0);
});
