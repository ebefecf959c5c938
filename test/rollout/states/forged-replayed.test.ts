/** Annotations that main had once, or that another workload has, put next to a template that they never belonged to: an abort puts back no template older than what serves. */

import { expect, test } from 'vitest';
import { filesOf, LWS, markIn, NEW, OLD, put, STAGES, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { failingPercent } from '../../support/story/requests.ts';
import { LWS_TEXT, ROLLOUT_TEXT } from '../../support/vllm.ts';

const NEWER = 'v0.10.2';
const ROUNDS_MOST = 80;
const CUT = '\n---\n';
const OWN = /^ +tranche\.dev\/(release|step|rung|stable|restore|aborted|serves): /;

const files = (style: string): Record<string, string> =>
  style === 'partition'
    ? { [LWS]: LWS_TEXT, 'rollouts/vllm.yaml': ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 60}') }
    : filesOf(style);

const request = (at: Forgery, from: string, to: string): void => {
  const [own = '', ...others] = at.text(LWS).split(CUT);
  at.write(LWS, [own.replaceAll(from, to), ...others].join(CUT));
};

type Past = { readonly shared: Forgery; readonly settled: Forgery; readonly sets: readonly (readonly string[])[] };

/** Two releases have settled one after the other, and a third is delivered: in its first share, and settled. */
async function delivered(style: string): Promise<Past> {
  const at = new Forgery(files(style));
  for (let round = 0; round < 3; round += 1) await at.round();
  request(at, OLD, NEW);
  await at.round();
  await untilRest(at, ROUNDS_MOST, () => at.round());
  request(at, NEW, NEWER);
  for (let round = 0; round < ROUNDS_MOST && !isStepped(at, style); round += 1) await at.round();
  const shared = at.fork();
  await at.until('settled', ROUNDS_MOST);
  const sets = at.world.repository
    .log('main')
    .map(({ oid }) => at.world.repository.files(oid)[LWS] ?? '')
    .map((text) => (text.split(CUT)[0] ?? '').split('\n').filter((line) => OWN.test(line)))
    .toReversed();
  return { shared, settled: at, sets };
}

const isStepped = (at: Forgery, style: string): boolean =>
  style === 'partition' ? markIn(at, 'step').startsWith('1/') : STAGES['in its first share']?.(at) === true;

const pasts = new Map<string, Promise<Past>>();
const pastOf = (style: string): Promise<Past> => {
  const past = pasts.get(style) ?? delivered(style);
  pasts.set(style, past);
  return past;
};

/** These annotations and no others, next to the template of now. */
function replace(at: Forgery, lines: readonly string[]): void {
  const [own = '', ...others] = at.text(LWS).split(CUT);
  const bare = own.split('\n').filter((line) => !OWN.test(line));
  const place = bare.findIndex((line) => line.startsWith('  annotations:'));
  at.write(LWS, [bare.toSpliced(place + 1, 0, ...lines).join('\n'), ...others].join(CUT));
}

const first = ({ sets }: Past): readonly string[] => sets.find((lines) => lines.length > 0) ?? [];
const stepOfSecond = ({ sets }: Past): readonly string[] =>
  sets.find((lines) => lines.some((line) => line.includes('/step: "1/'))) ?? [];
const routing = { service: 'vllm-svc', routes: [{ kind: 'HTTPRoute', name: 'chat' }] };

const FORGERIES: Readonly<Record<string, (at: Forgery, past: Past) => void>> = {
  'the release that was taken over': (at, past) => {
    const [, release = ''] = /release: "(.*)"/.exec(first(past).join('\n')) ?? [];
    put(at, 'release', release);
  },
  'all of the release that was taken over': (at, past) => replace(at, first(past)),
  'all of a step of the release before': (at, past) => replace(at, stepOfSecond(past)),
  'a step of a neighbour that shares requests': (at) => {
    const restore = JSON.stringify({ style: 'blueGreen', routing, plan: 'e'.repeat(32), groups: 1 });
    const step = `    tranche.dev/step: "1/3@${markIn(at, 'release')}"\n    tranche.dev/restore: '${restore}'`;
    at.edit(LWS, /^ +tranche\.dev\/release: .*/m, `$&\n${step}`);
  },
};

const groupsIn = (at: Forgery): string =>
  ['vllm', 'vllm-canary', 'vllm-green'].map((name) => at.world.groups(name)).join(' ');

type Row = readonly [what: string, style: string, forged: string];

test.each<Row>([
  ['partition, the release that was taken over', 'partition', 'the release that was taken over'],
  ['partition, all of it', 'partition', 'all of the release that was taken over'],
  ['partition, a step of the release before', 'partition', 'all of a step of the release before'],
  ['partition, a step of a neighbour', 'partition', 'a step of a neighbour that shares requests'],
  ['a routed partition, the release', 'partition with a route', 'the release that was taken over'],
  ['a routed partition, a step of the release before', 'partition with a route', 'all of a step of the release before'],
  ['canary, the release that was taken over', 'canary', 'the release that was taken over'],
  ['canary, a step of the release before', 'canary', 'all of a step of the release before'],
  ['blueGreen, the release that was taken over', 'blueGreen', 'the release that was taken over'],
  ['blueGreen, a step of the release before', 'blueGreen', 'all of a step of the release before'],
])('replayed at rest: %s: an abort puts nothing back, and repair ends it', async (_, style, forged) => {
  const past = await pastOf(style);
  const at = past.settled.fork();
  FORGERIES[forged]?.(at, past);
  const head = at.text(LWS);
  const said: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const result = await at.round();
    said.push(`${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
  }
  expect(said.at(-1)).toContain('AnnotationsGone');
  said.push(await at.order({ kind: 'abort', keepNewer: false }));
  for (let round = 0; round < 4; round += 1) {
    await at.round();
    expect(failingPercent(at.world.cluster)).toBe(0);
  }
  expect(at.text(LWS), said.join('\n')).toBe(head);
  expect(await at.repair()).toContain('repair');
  for (let round = 0; round < 3; round += 1) said.push(reasonsOf(await at.round()).join(' '));
  expect([markIn(at, 'step'), said.at(-1), groupsIn(at).includes(OLD)]).toEqual(['', '', false]);
});

test.each<Row>([
  ['partition, all of the release that was taken over', 'partition', 'all of the release that was taken over'],
  ['a routed partition, all of it', 'partition with a route', 'all of the release that was taken over'],
  ['canary, all of it', 'canary', 'all of the release that was taken over'],
  ['blueGreen, all of it', 'blueGreen', 'all of the release that was taken over'],
  ['canary, a step of the release before', 'canary', 'all of a step of the release before'],
  ['blueGreen, a step of the release before', 'blueGreen', 'all of a step of the release before'],
])('replayed in a delivery: %s: an abort goes back to the release before', async (_, style, forged) => {
  const past = await pastOf(style);
  const at = past.shared.fork();
  FORGERIES[forged]?.(at, past);
  const said: string[] = [];
  const round = async (): Promise<void> => {
    const result = await at.round();
    said.push(`${at.world.subject()} | ${groupsIn(at)} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
    const told = said.join('\n');
    expect([failingPercent(at.world.cluster), groupsIn(at).includes(OLD)], told).toEqual([0, false]);
  };
  for (let count = 0; count < 3; count += 1) await round();
  said.push(await at.order({ kind: 'abort', keepNewer: false }));
  await untilRest(at, ROUNDS_MOST, round);
  const told = said.join('\n');
  expect(markIn(at, 'step'), told).toBe('');
  expect(at.text(LWS).split(CUT)[0], told).toContain(NEW);
  expect(groupsIn(at), told).not.toContain(NEWER);
});
