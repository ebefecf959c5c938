/** Two marks forged at once in a share: another release, so that nothing seems to be of this delivery, and one more. An abort goes back. */

import { expect, test } from 'vitest';
import { LWS, markIn, NEW, put, restoring, serving, standing, untilRest } from '../../support/forged-share.ts';
import { type Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { failingPercent } from '../../support/story/requests.ts';

const ROUNDS_MOST = 40;
const SHARE = 'in its first share';
const PROMOTION = 'in its promotion';

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string, stage: string): Promise<Forgery> => {
  const key = `${style} ${stage}`;
  const base = bases.get(key) ?? standing({ style, stage });
  bases.set(key, base);
  return base;
};

/** The release in all marks that name it, `D` for its digest. */
const named = (at: Forgery, as: string): void => {
  const release = as.replace('D', markIn(at, 'release').split('.')[0] ?? '');
  const step = markIn(at, 'step');
  at.mark('release', release);
  if (step.includes('@')) at.mark('step', step.replace(/@.*/, `@${release}`));
};

const without = (at: Forgery, mark: string): void => void at.edit(LWS, new RegExp(` +tranche\\.dev/${mark}: .*\n`), '');

const MARKS: Readonly<Record<string, (at: Forgery) => void>> = {
  'no step': (at) => without(at, 'step'),
  'no rung': (at) => without(at, 'rung'),
  'no restore': (at) => without(at, 'restore'),
  'no strategy': restoring(() => ({ style: undefined })),
  'strategy partition': restoring(() => ({ style: 'partition' })),
  'green serves': (at) => put(at, 'serves', 'green'),
  'step rollback': (at) => {
    at.mark('step', 'rollback');
    at.mark('aborted', markIn(at, 'release'));
  },
};

const RELEASES: Readonly<Record<string, (at: Forgery) => void>> = {
  'the release': () => undefined,
  'another serial': (at) => named(at, 'D.9'),
  'a release of nothing': (at) => named(at, `${'e'.repeat(32)}.9`),
  'the stable release': (at) => named(at, `${markIn(at, 'stable').split('@')[1]}.1`),
};

type Row = readonly [what: string, style: string, stage: string, release: string, mark: string];

test.each<Row>([
  ['canary, another serial, no step', 'canary', SHARE, 'another serial', 'no step'],
  ['canary, another serial, step rollback', 'canary', SHARE, 'another serial', 'step rollback'],
  ['canary, a release of nothing, no step', 'canary', SHARE, 'a release of nothing', 'no step'],
  ['canary, the stable release, step rollback', 'canary', SHARE, 'the stable release', 'step rollback'],
  ['canary promoted, another serial, strategy partition', 'canary', PROMOTION, 'another serial', 'strategy partition'],
  ['canary promoted, a release of nothing, no step', 'canary', PROMOTION, 'a release of nothing', 'no step'],
  ['blueGreen, another serial, green serves', 'blueGreen', SHARE, 'another serial', 'green serves'],
  ['blueGreen, the stable release, green serves', 'blueGreen', SHARE, 'the stable release', 'green serves'],
  ['blueGreen, a release of nothing, no step', 'blueGreen', SHARE, 'a release of nothing', 'no step'],
  ['blueGreen promoted, another serial, green serves', 'blueGreen', PROMOTION, 'another serial', 'green serves'],
  ['a routed partition, no step', 'partition with a route', SHARE, 'the release', 'no step'],
  ['a routed partition, another serial, no step', 'partition with a route', SHARE, 'another serial', 'no step'],
  ['a routed partition, another serial, no rung', 'partition with a route', SHARE, 'another serial', 'no rung'],
  [
    'a routed partition, the stable release, no strategy',
    'partition with a route',
    SHARE,
    'the stable release',
    'no strategy',
  ],
  [
    'a routed partition, a release of nothing, no restore',
    'partition with a route',
    SHARE,
    'a release of nothing',
    'no restore',
  ],
])('forged together: %s: an abort goes back, and no request fails', async (_, style, stage, release, mark) => {
  const at = (await baseOf(style, stage)).fork();
  MARKS[mark]?.(at);
  RELEASES[release]?.(at);
  const seen: string[] = [];
  const round = async (): Promise<string> => {
    const result = await at.round();
    seen.push(`${at.world.subject()} | ${at.world.groups()} | ${saidOf(result)}`);
    expect(failingPercent(at.world.cluster), seen.join('\n')).toBe(0);
    return reasonsOf(result).join(' ');
  };
  expect(await round()).toContain('AnnotationsGone');
  const answer = await at.order({ kind: 'abort', keepNewer: false });
  await untilRest(at, ROUNDS_MOST, round);
  const said = `${answer}\n${[...new Set(seen)].join('\n')}\n${at.text(LWS)}`;
  expect(at.text(LWS).split('\n---\n')[0], said).not.toContain(NEW);
  expect(serving(at, '0.10.0'), said).toBe(4);
});

test.each([
  ['canary', 'canary', 'another serial'],
  ['blueGreen', 'blueGreen', 'a release of nothing'],
  ['a routed partition', 'partition with a route', 'another serial'],
])('forged together: %s, and tranche repair: its own marks are back, and it goes on', async (_, style, release) => {
  const at = (await baseOf(style, SHARE)).fork();
  const own = at.text(LWS);
  MARKS['no step']?.(at);
  RELEASES[release]?.(at);
  await at.round();
  expect(await at.repair()).toContain('repair');
  const marks = (text: string): readonly string[] => (text.match(/tranche\.dev\/.*/g) ?? []).toSorted();
  expect(marks(at.text(LWS))).toEqual(marks(own));
  for (let count = 0; count < 4; count += 1) {
    await at.round();
    expect(failingPercent(at.world.cluster)).toBe(0);
  }
});
