/** A hold names orders that are taken: of a Rollout that is disabled, and of one that is gone, where some need it back first. */

import { expect, test } from 'vitest';
import { digestOf } from '../../support/digest-of.ts';
import { Forgery, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, OLD } from '../../support/vllm.ts';

const ROLLOUT = 'rollouts/vllm.yaml';

test.each([
  ['the step', true, / +tranche\.dev\/step: .*\n/, 'annotations of vllm as tranche wrote them'],
  ['the stable version', false, / +tranche\.dev\/stable: .*\n/, 'annotations of vllm as tranche wrote them'],
  [
    'all, as where it was handed back',
    false,
    / {4}(?:tranche\.dev\/.*\n {4})*tranche\.dev\/.*\n/,
    'the Rollout is disabled',
  ],
])('annotations that are gone, its Rollout disabled: %s', async (_, named, gone, repaired) => {
  const at = await new Forgery().stepped();
  await at.round();
  at.edit(ROLLOUT, /^spec:\n/m, 'spec:\n  disabled: true\n');
  at.edit(LWS_FILE, gone, '');
  if (named) expect(saidOf(await at.round())).toContain('To go on: tranche repair vllm');
  expect(await at.repair()).toContain(repaired);
});

test('GroupsBehind, its Rollout gone: abort is taken without it, and what accepts them names it first', async () => {
  const at = new Forgery();
  for (let round = 0; round < 3; round += 1) await at.round();
  at.write(ROLLOUT, undefined);
  await at.round();
  const text = at.text().replaceAll(OLD, 'v0.10.7');
  at.write(LWS_FILE, text);
  at.mark('release', `${digestOf(text)}.2`);
  const said = saidOf(await at.round());
  expect(said).toContain('put the Rollout back, and then tranche approve vllm --hold GroupsBehind');
  expect(await at.order({ kind: 'approve', step: undefined, hold: 'GroupsBehind' })).toContain('no Rollout');
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort ');
  for (let round = 0; round < 4; round += 1) await at.round();
  expect(at.text()).toContain(OLD);
});
