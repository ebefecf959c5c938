/** A delivery by shares of one workload that a squash has left without history and record: no group goes while requests may still reach it. */

import { expect, test } from 'vitest';
import { printAbort } from '../../src/api/intents.ts';
import { parseRelease } from '../../src/api/release.ts';
import { LWS, markIn, NEW, OLD, serving, standing } from '../support/forged-share.ts';
import { type Forgery, reasonsOf, saidOf } from '../support/forgery.ts';
import { type Squash, squash } from '../support/squash.ts';
import { failingPercent } from '../support/story/requests.ts';

/** Where the delivery stands when main is squashed: how far it had come, and how far its rollback. */
const PLACES: Readonly<Record<string, (at: Forgery) => Promise<void>>> = {
  'in its first share': async () => {},
  'in a step, and aborted': async (at) => {
    await at.order({ kind: 'abort', keepNewer: false });
  },
  'with its share withdrawn': async (at) => {
    await at.order({ kind: 'abort', keepNewer: false });
    await at.until('rollback, route-restored');
  },
  'a batch at a time': async (at) => {
    await at.until('step 2/3, traffic', 60);
    await at.round();
    await at.order({ kind: 'abort', keepNewer: false });
    await at.until('rollback');
  },
};

const shared = await standing({ style: 'partition with a route', stage: 'in its first share' });
const played = new Map<string, Forgery>();

/** Independent of every other that stands there. */
async function standingAt(place: string): Promise<Forgery> {
  const at = played.get(place) ?? shared.fork();
  if (!played.has(place)) await PLACES[place]?.(at);
  played.set(place, at);
  return at.fork();
}

/** Rounds until nothing of a delivery is left in the file, at most; the largest part of the requests that found nobody in one of them. */
async function play(at: Forgery, file: string): Promise<{ failing: number; said: string }> {
  let failing = 0;
  const said: string[] = [];
  for (let round = 0; round < 12 && (round < 2 || at.text(file).includes('tranche.dev/step')); round += 1) {
    const result = await at.round(30);
    failing = Math.max(failing, failingPercent(at.world.cluster));
    said.push(`${at.world.subject()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
  }
  return { failing, said: said.join('\n') };
}

const rows = (places: readonly string[], lost: readonly string[], squashes: readonly Squash[]) =>
  places.flatMap((place) => squashes.flatMap((how) => lost.map((names) => [place, how, names] as const)));

test.each([
  ...rows(['in a step, and aborted', 'with its share withdrawn'], ['', 'rung', 'rung restore'], ['settled and now']),
  ...rows(['with its share withdrawn'], ['rung'], ['another folder']),
  ...rows(['a batch at a time'], ['', 'rung', 'rung restore', 'stable', 'aborted'], ['one commit']),
  ...rows(['a batch at a time'], ['', 'rung'], ['settled and now', 'another folder']),
])('%s, %s, without "%s": it goes back, and every request finds a group', async (place, how, lost) => {
  const at = await standingAt(place);
  const file = squash(at, how, lost.split(' '));
  const { failing, said } = await play(at, file);
  expect([failing, serving(at, OLD)], said).toEqual([0, 4]);
  expect(at.text(file)).not.toContain('tranche.dev/step');
});

test.each(
  rows(
    ['in a step, and aborted', 'with its share withdrawn'],
    ['', 'rung', 'rung restore', 'aborted rung'],
    ['one commit'],
  ),
)(
  '%s, %s, without "%s": no group goes before the stable template is put back by hand, and then they go back',
  async (place, how, lost) => {
    const at = await standingAt(place);
    const groups = at.world.groups();
    const file = squash(at, how, lost.split(' '));
    const before = await play(at, file);
    expect([before.failing, at.world.groups()], before.said).toEqual([0, groups]);
    expect(before.said).toContain('Put the earlier template into the file by hand');
    at.edit(file, new RegExp(NEW, 'g'), OLD);
    const { failing, said } = await play(at, file);
    expect([failing, serving(at, OLD)], said).toEqual([0, 4]);
  },
);

test.each(rows(['in its first share', 'with its share withdrawn', 'a batch at a time'], ['step'], ['settled and now']))(
  '%s, %s, without "%s": its share goes, repair works the step out, and an abort or the rollback goes to its end',
  async (place, how, lost) => {
    const at = await standingAt(place);
    const file = squash(at, how, [lost]);
    for (let round = 0; round < 3; round += 1) await at.round();
    const held = await at.round();
    expect(reasonsOf(held)).toEqual(['AnnotationsGone']);
    expect(saidOf(held)).toContain('To go on: tranche repair vllm');
    expect(await at.repair()).toContain('repair, annotations of vllm');
    const isStep = place === 'in its first share';
    expect(markIn(at, 'step').split('@')[0]).toBe(isStep ? '1/3' : 'rollback');
    if (isStep) expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
    const { failing, said } = await play(at, file);
    expect([failing, serving(at, OLD)], said).toEqual([0, 4]);
  },
);

test.each(rows(['in its first share'], ['restore', 'restore stable'], ['settled and now', 'one commit']))(
  '%s, %s, without "%s": an abort goes back, by the template of main or one that is put back by hand',
  async (place, how, lost) => {
    const at = await standingAt(place);
    const file = squash(at, how, lost.split(' '));
    expect(reasonsOf(await at.round())).not.toContain('FrozenFieldChanged');
    await at.order({ kind: 'abort', keepNewer: false });
    const first = await play(at, file);
    if (how === 'one commit') {
      expect(first.said).toContain('Put the earlier template into the file by hand');
      at.edit(file, new RegExp(NEW, 'g'), OLD);
    }
    const { failing, said } = await play(at, file);
    expect([first.failing, failing, serving(at, OLD)], `${first.said}\n${said}`).toEqual([0, 0, 4]);
  },
);

test('in its first share, without "restore", and its Rollout without its routes: what it says is true, and leads back', async () => {
  const at = await standingAt('in its first share');
  squash(at, 'settled and now', ['restore']);
  const [file, whole] = Object.entries(at.world.repository.files('main')).find(([, text]) =>
    /kind: Rollout$/m.test(text),
  )!;
  at.write(file, whole.replace(/ +trafficRoutings:\n.*\n.*\n/, '').replace(/ +traffic: .*\n/g, ''));
  expect(at.text(file)).not.toContain('HTTPRoute');
  const held = await at.round();
  expect(reasonsOf(held)).toContain('FrozenFieldChanged');
  expect(saidOf(held)).not.toContain('second workload');
  expect(saidOf(held)).toMatch(
    /vllm is in 1\/3\S* with tranche\.dev\/rung traffic, .*the Rollout is partition, without trafficRoutings/,
  );
  const groups = at.world.groups();
  await at.round();
  expect(at.world.groups()).toBe(groups);
  at.write(file, whole);
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
  const { failing, said } = await play(at, LWS);
  expect([failing, serving(at, OLD)], said).toEqual([0, 4]);
});

test('--from a commit that has nothing but the aborted template is refused, and an annotation that says so takes no group there', async () => {
  const at = await standingAt('in its first share');
  squash(at, 'one commit');
  const groups = at.world.groups();
  const only = at.line().at(-1)?.oid ?? '';
  expect(await at.order({ kind: 'abort', keepNewer: false, from: only })).toContain('has the template that is aborted');
  const release = markIn(at, 'release');
  const order = printAbort({ release: parseRelease(release)!, newer: undefined, from: only });
  at.edit(
    'rollouts/vllm.yaml',
    /metadata:\n( +)name/,
    `metadata:\n$1annotations: {tranche.dev/abort: '${order}'}\n$1name`,
  );
  const { failing, said } = await play(at, LWS);
  expect([failing, at.world.groups()], said).toEqual([0, groups]);
  expect(said).toContain('has the template that is aborted');
});
