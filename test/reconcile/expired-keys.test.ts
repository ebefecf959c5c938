/** `until` of a key and clocks that are wrong: an expired key is not believed by a clock that is behind, and a valid one signs on. */

import { beforeAll, expect, test } from 'vitest';
import { printInstant } from '../../src/api/time.ts';
import { printRecord } from '../../src/reconcile/status/status-writes.ts';
import { BareWorld, type Moment, STATUS } from '../support/bare-world.ts';
import { abortInFile } from '../support/mid-delivery.ts';
import { publicHalf, signaturesOf } from '../support/status-key.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

const RECORD = 'rollouts/default/llm/vllm.json';
const HOUR = 3600;
const own = { signatures: signaturesOf(1) };

let world: BareWorld;
/** In its first step; `statusKeys` names the first key alone, which does not end. */
let moving: Moment;
beforeAll(async () => {
  world = await BareWorld.open({ ...VLLM_FILES, 'tranche.yaml': keys([1, undefined]) });
  await world.rounds(3, own);
  await world.edit(LWS_FILE, OLD, NEW);
  await world.rounds(2, own);
  moving = await world.moment();
});

/** `tranche.yaml` with these keys, each with the time at which it ends. */
function keys(...entries: readonly (readonly [nth: number, until: number | undefined])[]): string {
  const lines = entries.map(([nth, until]) => {
    const ends = until === undefined ? '' : `, until: "${printInstant(until)}"`;
    return `  - {cluster: default, key: ${publicHalf(nth)}${ends}}\n`;
  });
  return `statusKeys:\n${lines.join('')}`;
}

/** The record, with something in it that nobody has seen, as whoever has the second key signs it. */
async function forgeBySecond(): Promise<void> {
  const text = (await world.text(STATUS, RECORD)) ?? '';
  const { signature, checksum: _, ...record } = JSON.parse(text);
  const { own: signer } = signaturesOf(2);
  if (signer === undefined) throw new Error('there is such a key');
  const place = { cluster: 'default', shard: undefined };
  const now = signature.number + 1;
  await world.repository.commit(STATUS, {
    [RECORD]: printRecord(record, { signer, place, path: RECORD, now, numbers: new Map() }),
  });
}

const said = (pass: Awaited<ReturnType<BareWorld['pass']>>): string =>
  [...pass.warnings, ...(pass.outcomes[0]?.plan?.holds ?? [])]
    .map(({ reason, message }) => `${reason}: ${message}`)
    .join('\n');

test.each<readonly [what: string, agreedSeconds: number | undefined, isBelieved: boolean]>([
  ['no server tells the time', undefined, true],
  ['the servers are ahead, past its end', 2 * HOUR, false],
  ['the servers are a little ahead', 60, true],
])('the second key ends in an hour by the clock of the process: %s', async (_, agreedSeconds, isBelieved) => {
  await world.back(moving);
  await world.repository.commit('main', {
    'tranche.yaml': keys([1, undefined], [2, world.cluster.nowSeconds + HOUR]),
  });
  await forgeBySecond();
  const agreed = agreedSeconds === undefined ? {} : { agreedSeconds };
  const pass = await world.pass({ ...own, ...agreed });
  expect(said(pass).includes('it is signed by a key that has expired'), said(pass)).toBe(!isBelieved);
});

test.each<readonly [what: string, agreedSeconds: number | undefined, isMissing: boolean]>([
  ['alone', undefined, true],
  ['and most others are before that', -2 * HOUR, false],
])('the key of the process has ended by its own clock, %s', async (_, agreedSeconds, isMissing) => {
  await world.back(moving);
  await world.repository.commit('main', { 'tranche.yaml': keys([1, world.cluster.nowSeconds - HOUR]) });
  const agreed = agreedSeconds === undefined ? {} : { agreedSeconds };
  await world.goOn();
  const pass = await world.pass({ ...own, ...agreed });
  expect(said(pass).includes('StatusKeyMissing'), said(pass)).toBe(isMissing);
  expect(said(pass).includes('expired'), said(pass)).toBe(isMissing);
});

test('servers whose clocks are wrong end a valid key: no step goes forward, and an abort goes back to its end', async () => {
  await world.back(moving);
  await world.repository.commit('main', { 'tranche.yaml': keys([1, world.cluster.nowSeconds + 30 * 24 * HOUR]) });
  const skewed = { ...own, agreedSeconds: 365 * 24 * HOUR };
  await world.goOn();
  expect(said(await world.pass(skewed))).toContain('StatusKeyMissing');
  await abortInFile(world);
  await world.rounds(6, skewed);
  expect(await world.subject()).toContain('rolled back');
});
