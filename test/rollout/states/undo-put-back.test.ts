/** A file that was put back in the middle of a delivery whose groups are all back: an undo goes back from what the file has. */

import { expect, test } from 'vitest';
import { Forgery, reasonsOf } from '../../support/forgery.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../../support/vllm.ts';

const UNDO = { kind: 'undo', to: undefined } as const;
const ALL_NEW = '0:v0.10.1+ 1:v0.10.1+ 2:v0.10.1+ 3:v0.10.1+';
const ALL_OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
/** Its pauses end by themselves. */
const VLLM = { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 60}') };

/** A release has settled, and the step of the one after it was put back before any group had it. */
async function putBack(signed: boolean): Promise<Forgery> {
  const at = new Forgery(VLLM, { signed });
  await at.until('adopt');
  await at.round();
  at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  await at.until('settled', 40);
  await at.round();
  const before = at.text();
  at.edit(LWS_FILE, new RegExp(NEW, 'g'), 'v0.10.2');
  await at.until('step 1/');
  at.write(LWS_FILE, before);
  return at;
}

test.each([
  ['a key signs', true],
  ['no key signs, and the release before is named', false],
])('an undo after passes that saw all groups back undoes what has settled: %s', async (_, signed) => {
  const at = await putBack(signed);
  const held = [await at.round(), await at.round()].map(reasonsOf);
  expect([held, at.world.groups()]).toEqual([[[], []], ALL_NEW]);
  if (!signed) {
    expect(await at.order(UNDO)).toContain('which was on its way when the file was put back to');
    expect(at.next).toContain('To go back from what the file has as well: tranche undo vllm --to e7c114e9.1');
  }
  const said = await at.order(signed ? UNDO : { kind: 'undo', to: 'e7c114e9.1' });
  expect(said).toMatch(/^undo \S+\.2, back to \S+\.1$/);
  for (let round = 0; round < 8; round += 1) await at.round();
  expect([at.text().includes(NEW), at.world.groups()]).toEqual([false, ALL_OLD]);
});

test('an undo before any pass has seen that is an abort', async () => {
  const at = await putBack(true);
  expect(await at.order(UNDO)).toContain('which was on its way when the file was put back to');
});
