/** Annotations changed in the middle of a rollback: it goes on by what the last commit of tranche wrote, and nobody has to order anything. */

import { expect, test } from 'vitest';
import { LWS, markIn, NEW, put, serving, standing, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { failingPercent } from '../../support/story/requests.ts';

const ROUNDS_MOST = 40;
const SECOND = ['vllm-canary', 'vllm-green'];
const DIGEST = 'e'.repeat(32);

/** One that is not over yet. */
async function goingBack(style: string): Promise<Forgery> {
  const at = style === 'partition' ? await stepped() : await standing({ style, stage: 'in its first share' });
  await at.order({ kind: 'abort', keepNewer: false });
  for (let round = 0; round < 4 && markIn(at, 'step') !== 'rollback'; round += 1) await at.round(10);
  expect(markIn(at, 'step')).toBe('rollback');
  return at;
}

async function stepped(): Promise<Forgery> {
  const at = await new Forgery().stepped();
  await at.round();
  return at;
}

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string): Promise<Forgery> => {
  const base = bases.get(style) ?? goingBack(style);
  bases.set(style, base);
  return base;
};

const without =
  (...marks: readonly string[]) =>
  (at: Forgery): void => {
    for (const mark of marks) at.edit(LWS, new RegExp(` +tranche\\.dev/${mark}: .*\n`), '');
  };

const FORGERIES: Readonly<Record<string, (at: Forgery) => void>> = {
  'no step': without('step'),
  'no restore': without('restore'),
  'no release': without('release'),
  'the first step of what is served': (at) => at.mark('step', `1/3@${markIn(at, 'release')}`),
  promote: (at) => at.mark('step', 'promote'),
  'an earlier rung': (at) => put(at, 'rung', 'pods'),
  'another release': (at) => at.mark('release', `${DIGEST}.9`),
  'green serves': (at) => at.mark('serves', 'green'),
  'the strategy blueGreen': (at) =>
    at.write(LWS, at.text(LWS).replace(/"style":"(canary|partition)"/, '"style":"blueGreen"')),
};

type Row = readonly [what: string, style: string, forged: string];

test.each<Row>([
  ['a partition, the first step of what is served', 'partition', 'the first step of what is served'],
  ['a partition, promote', 'partition', 'promote'],
  ['a partition, no step', 'partition', 'no step'],
  ['a partition, no release', 'partition', 'no release'],
  ['a partition, another release', 'partition', 'another release'],
  [
    'a routed partition, the first step of what is served',
    'partition with a route',
    'the first step of what is served',
  ],
  ['a routed partition, an earlier rung', 'partition with a route', 'an earlier rung'],
  ['a routed partition, no restore', 'partition with a route', 'no restore'],
  ['a routed partition, green serves', 'partition with a route', 'green serves'],
  ['a routed partition, the strategy blueGreen', 'partition with a route', 'the strategy blueGreen'],
  ['canary, no step', 'canary', 'no step'],
  ['canary, no restore', 'canary', 'no restore'],
  ['canary, the first step of what is served', 'canary', 'the first step of what is served'],
  ['canary, another release', 'canary', 'another release'],
  ['canary, the strategy blueGreen', 'canary', 'the strategy blueGreen'],
  ['blueGreen, no step', 'blueGreen', 'no step'],
  ['blueGreen, promote', 'blueGreen', 'promote'],
  ['blueGreen, green serves', 'blueGreen', 'green serves'],
])('in a rollback: %s: it goes on by itself', async (_, style, forged) => {
  const at = (await baseOf(style)).fork();
  FORGERIES[forged]?.(at);
  const seen: string[] = [];
  await untilRest(at, ROUNDS_MOST, async () => {
    const result = await at.round();
    seen.push(`${at.world.subject()} | ${at.world.groups()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
    expect(failingPercent(at.world.cluster), seen.join('\n')).toBe(0);
  });
  const told = [...new Set(seen)].join('\n');
  expect([markIn(at, 'step'), serving(at, '0.10.0')], told).toEqual(['', 4]);
  expect(at.text(LWS).split('\n---\n')[0], told).not.toContain(NEW);
  expect(SECOND.map((name) => at.world.groups(name)).join(''), told).not.toContain('0.10.1');
});

test('a rollback of versions that share requests, another stable version: no group goes before its requests', async () => {
  const at = await standing({ style: 'partition with a route', stage: 'in its first share' });
  for (let count = 0; count < 30 && !markIn(at, 'step').startsWith('2/'); count += 1) await at.round(30);
  for (let count = 0; count < 12 && markIn(at, 'rung') !== 'traffic'; count += 1) await at.round(30);
  const delivered = at.world.repository.head('main');
  await at.order({ kind: 'abort', keepNewer: false });
  for (let count = 0; count < 12 && markIn(at, 'rung') !== 'back'; count += 1) await at.round(10);
  const [own] = markIn(at, 'aborted').split('.');
  at.mark('stable', `${delivered}@${own}`);
  await untilRest(at, ROUNDS_MOST, async () => {
    await at.round(30);
    expect(failingPercent(at.world.cluster), at.world.subject()).toBe(0);
  });
  expect([markIn(at, 'step'), serving(at, '0.10.0')]).toEqual(['', 4]);
});
