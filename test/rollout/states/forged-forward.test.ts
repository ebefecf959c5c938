/** Marks that somebody has changed on the way forward, with a share and in the promotion: no request fails, and an abort ends it. */

import { expect, test } from 'vitest';
import { LWS, markIn, NEW, put, restoring, STAGES, standing, untilRest } from '../../support/forged-share.ts';
import { type Forgery, saidOf } from '../../support/forgery.ts';
import { sampled } from '../../support/sampled.ts';
import { failingPercent } from '../../support/story/requests.ts';

const ROUNDS_MOST = 60;

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string, stage: string): Promise<Forgery> => {
  const key = `${style} ${stage}`;
  const base = bases.get(key) ?? standing({ style, stage });
  bases.set(key, base);
  return base;
};

const FORGERIES: Readonly<Record<string, (at: Forgery) => void>> = {
  'step, promote at the primary': (at) => {
    put(at, 'step', 'promote');
    put(at, 'rung', 'primary');
  },
  'step, promote at its end': (at) => {
    put(at, 'step', 'promote');
    put(at, 'rung', 'all');
  },
  'step, rollback with everything that it says': (at) => {
    at.mark('step', 'rollback');
    at.mark('aborted', markIn(at, 'release'));
    at.mark('rung', 'route-restored');
  },
  'step, the last, with its share': (at) => at.mark('step', `2/2@${markIn(at, 'release')}`),
  'settled on the release, nothing in progress': (at) => {
    for (const mark of ['step', 'rung', 'restore']) at.edit(LWS, new RegExp(` +tranche\\.dev/${mark}: .*\n`), '');
  },
  'settled on the release before': (at) => {
    for (const mark of ['step', 'rung', 'restore']) at.edit(LWS, new RegExp(` +tranche\\.dev/${mark}: .*\n`), '');
    at.mark('release', `${markIn(at, 'stable').split('@')[1]}.1`);
  },
  'another serial of the release': (at) => {
    const [digest] = markIn(at, 'release').split('.');
    at.write(LWS, at.text(LWS).replaceAll(markIn(at, 'release'), `${digest}.9`));
  },
  'stable, the release itself': (at) => {
    const [digest] = markIn(at, 'release').split('.');
    at.mark('stable', `${at.world.repository.head('main')}@${digest}`);
  },
  'the colour that serves': (at) => at.mark('serves', 'green'),
  'restore, no groups': restoring(() => ({ groups: 0 })),
  'restore, the primary was released for update': restoring(() => ({ floor: 0 })),
  'restore, the new version has all requests': restoring(({ objects }) => ({
    objects: JSON.parse(JSON.stringify(objects ?? []).replaceAll('"set":', '"was":0,"set":')),
  })),
  'restore, three groups of four were added': restoring(() => ({ replicas: { was: 1, set: 4 } })),
};

const CASES = ['canary', 'blueGreen'].flatMap((style) =>
  Object.keys(STAGES).flatMap((stage) => Object.keys(FORGERIES).map((what) => [style, stage, what] as const)),
);

test.each(sampled(CASES, 3))('%s, %s, forged: %s', async (style, stage, what) => {
  const at = (await baseOf(style, stage)).fork();
  FORGERIES[what]?.(at);
  const seen: string[] = [];
  const round = async (seconds: number): Promise<void> => {
    const result = await at.round(seconds);
    seen.push(`${at.world.subject()} | ${at.world.groups()} | ${saidOf(result)}`);
    expect(failingPercent(at.world.cluster), [...new Set(seen)].join('\n')).toBe(0);
  };
  for (let count = 0; count < 20; count += 1) await round(30);
  const isThrough = markIn(at, 'step') === '' && !at.text(LWS).includes('"promote"');
  const answer = await at.order({ kind: 'abort', keepNewer: false });
  await untilRest(at, ROUNDS_MOST, () => round(60));
  const told = `${answer}\n${[...new Set(seen)].join('\n')}\n${at.text(LWS)}`;
  if (isThrough && !answer.startsWith('abort')) return;
  expect(at.text(LWS).split('\n---\n')[0], told).not.toContain(NEW);
  expect(at.world.groups().match(/0\.10\.0\+/g), told).toHaveLength(4);
});

/** The group that has the first share. */
const FILLED: Readonly<Record<string, readonly [name: string, group: number]>> = {
  canary: ['vllm-canary', 0],
  blueGreen: ['vllm-green', 0],
};

test.each([
  ['canary, step rollback', 'canary', 'step, rollback with everything that it says'],
  ['blueGreen, step rollback', 'blueGreen', 'step, rollback with everything that it says'],
  ['blueGreen, serves green', 'blueGreen', 'the colour that serves'],
  ['partition with a route, step rollback', 'partition with a route', 'step, rollback with everything that it says'],
])('forged: %s, and the new version dies: its share is withdrawn at once', async (_, style, what) => {
  const at = (await baseOf(style, 'in its first share')).fork();
  FORGERIES[what]?.(at);
  await at.round(30);
  const [name, group] = FILLED[style] ?? ['vllm', 3];
  at.world.cluster.setPods({ namespace: 'llm', name, group, pods: 'leader' }, { kind: 'unready' });
  await at.round(30);
  await at.round(30);
  expect(failingPercent(at.world.cluster), at.world.subject()).toBe(0);
  await at.order({ kind: 'abort', keepNewer: false });
  await untilRest(at, ROUNDS_MOST, () => at.round(60));
  expect(at.text(LWS).split('\n---\n')[0], at.world.subject()).not.toContain(NEW);
});
