/** The release is taken out, and another annotation stands there that this delivery never has: an abort takes that one out as well. */

import { expect, test } from 'vitest';
import { Forgery, saidOf } from '../../support/forgery.ts';
import { LWS_FILE } from '../../support/vllm.ts';

const BACK = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const stepped = new Forgery().stepped();

test.each([
  ['rung', 'traffic'],
  ['serves', 'green'],
  ['stable', `${'a'.repeat(40)}@${'b'.repeat(32)}`],
  ['aborted', `${'e'.repeat(32)}.9`],
])('without a release, %s: an abort goes back', async (mark, value) => {
  const at = (await stepped).fork();
  at.mark(mark, value);
  at.edit(LWS_FILE, / +tranche\.dev\/release: .*\n/, '');
  const said = [saidOf(await at.round()), await at.order({ kind: 'abort', keepNewer: false })];
  for (let round = 0; round < 8; round += 1) said.push(`${at.world.subject()} ${saidOf(await at.round())}`);
  expect(at.world.groups(), said.join('\n')).toBe(BACK);
  expect(at.text(), said.join('\n')).not.toContain(value);
});
