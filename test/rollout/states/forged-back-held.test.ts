/** A Rollout that is disabled or gone, and marks of a rollback by a hand: an abort goes back all the same, and a rollback that tranche has started ends. */

import { beforeAll, expect, test } from 'vitest';
import { filesOf, LWS, markIn, NEW, OLD, serving, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf } from '../../support/forgery.ts';
import { VLLM_FILES } from '../../support/vllm.ts';

const ROUNDS_MOST = 14;

const filesIn = (style: string): Readonly<Record<string, string>> =>
  style === 'partition' ? VLLM_FILES : filesOf(style);

const bases = new Map<string, Forgery>();

/** In a delivery. */
async function started(style: string): Promise<Forgery> {
  const at = new Forgery(filesIn(style));
  for (let round = 0; round < 3; round += 1) await at.round();
  at.edit(LWS, OLD, NEW);
  for (let round = 0; round < (style === 'partition' ? 3 : 6); round += 1) await at.round();
  expect(markIn(at, 'step')).toMatch(/^\d/);
  return at;
}

beforeAll(async () => {
  for (const style of ['partition', 'canary', 'blueGreen']) bases.set(style, await started(style));
});

function forked(style: string): Forgery {
  const at = bases.get(style)?.fork();
  if (at === undefined) throw new Error(`${style} is not started`);
  return at;
}

function withRollout(at: Forgery, style: string, rollout: string): void {
  const path = Object.entries(filesIn(style)).find(([, text]) => text.includes('kind: Rollout\n'))?.[0] ?? '';
  if (rollout === 'disabled') at.edit(path, /^spec:\n/m, 'spec:\n  disabled: true\n');
  else at.write(path, undefined);
}

test.each([
  ['partition', 'disabled'],
  ['partition', 'gone'],
  ['canary', 'disabled'],
  ['blueGreen', 'disabled'],
  ['blueGreen', 'gone'],
])('%s, its Rollout %s, a rollback by a hand: an abort goes back all the same', async (...row) => {
  const [style, rollout] = row;
  const at = forked(style);
  withRollout(at, style, rollout);
  at.mark('step', 'rollback');
  const head = at.world.repository.head('main');
  let reasons: readonly string[] = [];
  for (let round = 0; round < 2; round += 1) reasons = reasonsOf(await at.round());
  expect([reasons, at.world.repository.head('main')]).toEqual([['AnnotationsGone'], head]);
  const answer = await at.order({ kind: 'abort', keepNewer: false });
  await untilRest(at, ROUNDS_MOST, () => at.round());
  expect([markIn(at, 'step'), at.world.subject()], answer).toEqual(['', expect.stringContaining('rolled back')]);
  expect(serving(at, '0.10.0'), answer).toBe(4);
});

test.each([
  ['partition', 'gone', 'another rung'],
  ['partition', 'disabled', 'another rung'],
  ['canary', 'disabled', 'no strategy'],
  ['canary', 'gone', 'no strategy'],
])('%s, its Rollout %s, %s by a hand in the rollback: it ends', async (style, rollout, what) => {
  const at = forked(style);
  await at.order({ kind: 'abort', keepNewer: false });
  await at.round(5);
  expect(markIn(at, 'step')).toBe('rollback');
  withRollout(at, style, rollout);
  if (what === 'another rung') at.mark('rung', 'empty');
  else at.edit(LWS, /tranche\.dev\/restore: .*/, `tranche.dev/restore: '{"floor":2}'`);
  await untilRest(at, ROUNDS_MOST, () => at.round());
  expect([markIn(at, 'step'), at.world.subject()]).toEqual(['', expect.stringContaining('rolled back')]);
  expect(serving(at, '0.10.0')).toBe(4);
});
