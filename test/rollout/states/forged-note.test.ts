/** A note of a workload that is out of its file, changed by hand meanwhile: no groups are there, and what our commit wrote counts. */

import { describe, expect, test } from 'vitest';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, LWS_TEXT, ROLLOUT_FILE, ROLLOUT_TEXT } from '../../support/vllm.ts';

const FILES = {
  'tranche.yaml': 'paths: [apps, rollouts, policies]\n',
  [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 60}'),
  [LWS_FILE]: LWS_TEXT,
  'policies/recreate.yaml': `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: recreate
spec:
  recreate: Allow
`,
};
const NOTE = /tranche\.dev\/recreating: '(.*)'\n/;
const ROUNDS_MOST = 10;

/** Passes until the document is out of its file, or back in it. */
async function until(at: Forgery, isThere: boolean): Promise<void> {
  for (let round = 0; round < ROUNDS_MOST; round += 1) {
    if (/^kind: LeaderWorkerSet$/m.test(at.text()) === isThere) return;
    await at.round();
  }
  throw new Error(`the document is${isThere ? ' not' : ''} there: ${at.world.subject()}`);
}

/** A change that no object takes that is there: its document is out of its file. */
async function forward(): Promise<Forgery> {
  const at = new Forgery(FILES);
  await at.until('adopt');
  await at.round();
  at.edit(
    LWS_FILE,
    /^( *)leaderWorkerTemplate:\n( *)/m,
    '$1leaderWorkerTemplate:\n$2subGroupPolicy:\n$2  subGroupSize: 2\n$2',
  );
  await until(at, false);
  return at;
}

/** The same in the rollback. */
async function back(): Promise<Forgery> {
  const at = await forward();
  await until(at, true);
  await at.order({ kind: 'abort', keepNewer: false });
  await until(at, false);
  return at;
}

type Note = Readonly<Record<string, unknown>> & { readonly release: string; readonly stable: string };
const noteIn = (at: Forgery): Note => JSON.parse(NOTE.exec(at.text(ROLLOUT_FILE))?.[1] ?? '{}');
const first = (at: Forgery): string => at.line()[0]?.oid ?? '';
const newest = (at: Forgery): string => at.line().at(-1)?.oid ?? '';
const FORGED: Readonly<Record<string, (note: Note, at: Forgery) => object>> = {
  'another commit of main': (_, at) => ({ text: first(at) }),
  'another release to go back to': (_, at) => ({ stable: `${first(at)}@${'0'.repeat(32)}` }),
  'another commit to go back to': ({ stable }, at) => ({ stable: `${newest(at)}@${stable.split('@')[1]}` }),
  'another serial': ({ release }) => ({ release: `${release.split('.')[0]}.9` }),
  'a release that was aborted': ({ release }) => ({ aborted: [release, `${'0'.repeat(32)}.7`] }),
  'the other way': ({ way }) => ({ way: way === 'back' ? 'forward' : 'back' }),
  'another file': () => ({ file: 'apps/vllm/other.yaml' }),
  'a file that nothing may be written to': () => ({ file: '.github/workflows/deploy.yaml' }),
};

const forge = (at: Forgery, changed: object): void =>
  void at.edit(ROLLOUT_FILE, NOTE, `tranche.dev/recreating: '${JSON.stringify({ ...noteIn(at), ...changed })}'\n`);

describe.each([
  ['delivery', forward],
  ['rollback', back],
] as const)('in the %s', async (_, start) => {
  const base = await start();
  const plain = base.fork();
  for (let round = 0; round < ROUNDS_MOST; round += 1) await plain.round();

  test('without a hand it is there again', () => {
    expect(plain.text()).toMatch(/^kind: LeaderWorkerSet$/m);
    expect(plain.world.groups()).toMatch(/^0:\S+\+ 1:\S+\+ 2:\S+\+ 3:\S+\+$/);
  });

  test.each(Object.entries(FORGED))('with %s it comes back all the same', async (__, change) => {
    const at = base.fork();
    forge(at, change(noteIn(at), at));
    const result = await at.round();
    expect(saidOf(result)).toMatch(/tranche\.dev\/recreating names \S+ and .* so the annotation does not count/);
    expect(reasonsOf(result)).not.toContain('MarkNotBorneOut');
    for (let round = 1; round < ROUNDS_MOST; round += 1) await at.round();
    const commit = /"[0-9a-f]{40}@/g;
    expect(at.text().replace(commit, '')).toBe(plain.text().replace(commit, ''));
    expect(at.text(ROLLOUT_FILE)).toBe(plain.text(ROLLOUT_FILE));
    expect(at.world.groups()).toBe(plain.world.groups());
  });
});

test('an abort meanwhile goes by what our commit wrote as well', async () => {
  const at = await forward();
  const { release } = noteIn(at);
  forge(at, { text: first(at), release: `${'0'.repeat(32)}.7` });
  expect(await at.order({ kind: 'abort', keepNewer: false })).toBe(`abort ${release.slice(0, 8)}.2`);
});

test('a note of a workload that has come back since counts for nothing, whatever a commit wrote', async () => {
  const at = await forward();
  const note = NOTE.exec(at.text(ROLLOUT_FILE))?.[0] ?? '';
  await until(at, true);
  await at.until('settled');
  at.edit(ROLLOUT_FILE, '  namespace: llm\n', `  namespace: llm\n  annotations:\n    ${note}`);
  expect(reasonsOf(await at.round())).toContain('MarkNotBorneOut');
  at.write(LWS_FILE, undefined);
  expect(reasonsOf(await at.round())).toContain('MarkNotBorneOut');
  expect(at.text()).toBe('');
});

describe.each([
  ['delivery', forward],
  ['rollback', back],
] as const)('lost in the %s', async (_, start) => {
  const base = await start();
  const plain = base.fork();
  for (let round = 0; round < ROUNDS_MOST; round += 1) await plain.round();

  test.each<readonly [what: string, said: string, lose: (at: Forgery) => void]>([
    ['its line is gone', 'WorkloadMissing', (at) => void at.edit(ROLLOUT_FILE, /\n.*tranche\.dev\/recreating: .*/, '')],
    [
      'nobody can read it',
      'BadAnnotation',
      (at) => void at.edit(ROLLOUT_FILE, NOTE, "tranche.dev/recreating: 'soon'\n"),
    ],
  ])('%s: the hold names tranche repair, which writes it back', async (__, said, lose) => {
    const at = base.fork();
    lose(at);
    const held = await at.round();
    expect(reasonsOf(held)).toContain(said);
    expect(JSON.stringify(held.outcomes[0]?.plan?.issues)).toMatch(/tranche repair of the Rollout/);
    expect(await at.repair()).toBe('repair, tranche.dev/recreating of vllm as tranche wrote it');
    for (let round = 1; round < ROUNDS_MOST; round += 1) await at.round();
    const commit = /"[0-9a-f]{40}@/g;
    expect(at.text().replace(commit, '')).toBe(plain.text().replace(commit, ''));
    expect(at.text(ROLLOUT_FILE)).toBe(plain.text(ROLLOUT_FILE));
    expect(at.world.groups()).toBe(plain.world.groups());
  });
});

test('a document that somebody else took out of its file is none that repair brings back', async () => {
  const at = await forward();
  await until(at, true);
  await at.until('settled');
  at.write(LWS_FILE, undefined);
  await at.round();
  expect(await at.repair()).toContain('Put its manifest back first');
});
