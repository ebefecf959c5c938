/** At rest in blueGreen, another template forged as settled, and green as the colour that serves: the groups are seen all the same. */

import { expect, test } from 'vitest';
import { digestOf } from '../../support/digest-of.ts';
import { filesOf, LWS } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';

const OTHER = 'v0.10.7';
const groups = (at: Forgery): string => at.world.groups().replaceAll(/\d+:v/g, '');

test.each([
  ['green is forged', true],
  ['no colour is', false],
])('%s: groups on what main had before are named, and an abort goes back to that', async (_, isForged) => {
  const at = new Forgery(filesOf('blueGreen'));
  for (let round = 0; round < 3; round += 1) await at.round();
  const text = at.text(LWS).replaceAll('v0.10.0', OTHER);
  const serves = isForged ? '\n    tranche.dev/serves: "green"' : '';
  at.write(LWS, text.replace(/tranche\.dev\/release: .*/, `tranche.dev/release: "${digestOf(text)}.1"${serves}`));
  let result = await at.round();
  for (let round = 0; round < 2; round += 1) result = await at.round();
  expect(reasonsOf(result)).toContain('GroupsBehind');
  expect(saidOf(result)).toContain('To go back to that: tranche abort vllm');
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
  for (let round = 0; round < 4; round += 1) await at.round();
  expect([at.text(LWS).includes(OTHER), groups(at)]).toEqual([false, '0.10.0+ 0.10.0+ 0.10.0+ 0.10.0+']);
});
