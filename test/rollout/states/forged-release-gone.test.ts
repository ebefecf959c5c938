/** Annotations taken out in the middle of a share, which is withdrawn: that commit writes none, and an abort after it goes back all the same. */

import { expect, test } from 'vitest';
import { LWS, markIn, NEW, serving, standing, untilRest } from '../../support/forged-share.ts';
import { reasonsOf, saidOf } from '../../support/forgery.ts';
import { failingPercent } from '../../support/story/requests.ts';

const ROUNDS_MOST = 40;
const RELEASE = / +tranche\.dev\/release: .*\n/;
const ALL = / +annotations:\n( +tranche\.dev\/.*\n)+/;

test.each([
  ['canary, release', 'canary', RELEASE],
  ['canary, all of them', 'canary', ALL],
  ['blueGreen, release', 'blueGreen', RELEASE],
  ['blueGreen, all of them', 'blueGreen', ALL],
  ['a routed partition, release', 'partition with a route', RELEASE],
  ['a routed partition, all of them', 'partition with a route', ALL],
])('%s: the share goes, and an abort goes back', async (_, style, from) => {
  const at = await standing({ style, stage: 'in its first share' });
  at.edit(LWS, from, '');
  const seen: string[] = [];
  const round = async (): Promise<void> => {
    const result = await at.round();
    seen.push(`${at.world.subject()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
    expect(failingPercent(at.world.cluster), seen.join('\n')).toBe(0);
  };
  for (let count = 0; count < 3; count += 1) await round();
  expect(at.world.subject()).toContain('traffic withdrawn');
  const answer = await at.order({ kind: 'abort', keepNewer: false });
  await untilRest(at, ROUNDS_MOST, round);
  const told = `${answer}\n${[...new Set(seen)].join('\n')}`;
  expect(answer).toMatch(/^abort /);
  expect(at.text(LWS).split('\n---\n')[0], told).not.toContain(NEW);
  expect([markIn(at, 'step'), serving(at, '0.10.0')], told).toEqual(['', 4]);
});
