/** Annotations of tranche that nobody can read: each order that is refused for them says how they are written back. */

import { expect, test } from 'vitest';
import { Forgery, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, ROLLOUT_FILE } from '../../support/vllm.ts';

const stepped = new Forgery().stepped();
const unquoted = (text: string): string => text.replace(/['"\\]/g, '');

test.each([
  ['step', 'nothing'],
  ['release', 'newest'],
  ['stable', 'yesterday'],
  ['restore', 'yes'],
  ['aborted', 'all of them'],
  ['rung', 'top'],
  ['serves', 'everybody'],
])('%s is "%s": orders name the repair, and after it the abort goes back', async (mark, value) => {
  const at = (await stepped).fork();
  const before = unquoted(at.text());
  at.mark(mark, value);
  const refusals = [
    await at.order({ kind: 'abort', keepNewer: false }),
    await at.order({ kind: 'approve', step: undefined }),
    await at.order({ kind: 'jump', step: 2 }),
    await at.order({ kind: 'retry', release: undefined }),
    await at.order({ kind: 'undo', to: undefined }),
    await at.eject({ abort: true }),
  ];
  for (const said of refusals) {
    expect(said).toContain(`${LWS_FILE}:`);
    expect(said).toContain(`tranche.dev/${mark} is ${JSON.stringify(value)}`);
    expect(said).toContain('tranche repair vllm, then order again');
  }
  expect(await at.repair()).toContain('as tranche wrote them');
  expect(unquoted(at.text())).toBe(before);
  expect(await at.order({ kind: 'abort', keepNewer: false })).toMatch(/^abort /);
  await at.until('rolled back');
  expect(at.world.groups()).not.toContain('0.10.1');
});

test('a step that nobody can read, and no Rollout: abort and eject name the repair', async () => {
  const at = (await stepped).fork();
  at.mark('step', 'nothing');
  at.write(ROLLOUT_FILE, undefined);
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('tranche repair vllm');
  expect(await at.eject({ abort: true })).toContain('tranche repair vllm, then order again');
  expect(await at.repair()).toContain('as tranche wrote them');
  expect(await at.order({ kind: 'abort', keepNewer: false })).toMatch(/^abort /);
  await at.until('rolled back');
  expect(at.world.groups()).not.toContain('0.10.1');
});

test('an order on the Rollout that nobody can read is no annotation of the workload', async () => {
  const at = (await stepped).fork();
  at.write(LWS_FILE, 'kind: LeaderWorkerSet\nx: [');
  at.edit(ROLLOUT_FILE, 'metadata:\n', 'metadata:\n  annotations:\n    tranche.dev/approve: soon\n');
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('Correct the file (tranche lint says where)');
});

test('one of a hundred thousand characters is quoted by its beginning, in a pass and in an order', async () => {
  const at = (await stepped).fork();
  at.mark('aborted', 'ffffffff.1 '.repeat(10_000));
  for (const said of [saidOf(await at.round()), await at.order({ kind: 'abort', keepNewer: false })]) {
    expect(said).toContain('tranche.dev/aborted is "ffffffff.1 ffffffff.1 ');
    expect(said).toContain('…", of 110000 characters, wanted');
    expect(said.length).toBeLessThan(2000);
  }
});
