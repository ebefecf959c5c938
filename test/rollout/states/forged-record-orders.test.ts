/** Orders that go back, and a record that nobody has signed, forged once right before the order: it takes no order away. */

import { expect, test } from 'vitest';
import type { RolloutRecord } from '../../../src/api/record.ts';
import { printRecord } from '../../../src/reconcile/status/status-writes.ts';
import { digestOf } from '../../support/digest-of.ts';
import { LWS, standing } from '../../support/forged-share.ts';
import { Forgery } from '../../support/forgery.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

const RECORD = 'rollouts/default/llm/vllm.json';
const ABORT = { kind: 'abort', keepNewer: false } as const;
const BACK = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';

function forge({ world: { repository } }: Forgery, change: (record: RolloutRecord) => object): void {
  const { checksum: _, ...record }: RolloutRecord & { readonly checksum: string } = JSON.parse(
    repository.text('tranche-status', RECORD) ?? '',
  );
  const text = printRecord({ ...record, ...change(record) });
  repository.commit('tranche-status', { writes: [{ path: RECORD, text }], message: 'forged' });
}

/** The user's own document. */
const first = (at: Forgery): string => at.text(LWS).split('\n---\n')[0] ?? '';

async function passes(at: Forgery, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await at.round();
}

const ELSEWHERE = { holds: [{ reason: 'GroupsElsewhere', message: 'x', facts: { groups: '0' } }] };

test.each([
  ['control: no forged record', undefined],
  ['a record that says GroupsElsewhere', ELSEWHERE],
] as const)('step taken out of the marks in a delivery: an abort goes back: %s', async (_, record) => {
  const at = await new Forgery().stepped();
  await at.round();
  at.write(LWS_FILE, at.text().replace(/\n.*tranche\.dev\/(step|restore|stable): .*/g, ''));
  await passes(at, 2);
  if (record !== undefined) forge(at, () => record);
  const answer = await at.order(ABORT);
  await passes(at, 20);
  expect([at.text().includes(NEW), at.world.groups()], answer).toEqual([false, BACK]);
});

test.each([
  ['before any pass has seen it', 0, undefined, ''],
  ['control: no forged record', 2, undefined, ''],
  ['a record without holds', 2, { holds: [] }, ''],
  ['a record that names other groups', 2, ELSEWHERE, ''],
  ['a record without holds, and the Rollout is gone', 2, { holds: [] }, ROLLOUT_FILE],
] as const)(
  'the file is put back in a delivery: an abort has its groups follow: %s',
  async (_, rounds, record, gone) => {
    const at = new Forgery();
    await at.until('adopt');
    await at.round();
    const before = at.text();
    at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
    await at.until('step 1/');
    await at.round();
    at.write(LWS_FILE, before);
    if (gone !== '') at.write(gone, undefined);
    await passes(at, rounds);
    if (record !== undefined) forge(at, () => record);
    const answer = await at.order(ABORT);
    expect(answer).toContain('which was on its way when the file was put back');
    await passes(at, 20);
    expect([at.text().includes(NEW), at.world.groups()]).toEqual([false, BACK]);
    expect(await at.order(ABORT)).toContain(gone === '' ? 'nothing is being delivered' : 'there is no Rollout');
  },
);

test.each([
  ['control: no forged record, no name', undefined, false, ''],
  ['a record without holds', { holds: [] }, true, ''],
  ['a record without holds, and the Rollout is gone', { holds: [] }, true, ROLLOUT_FILE],
] as const)('groups are behind the release of the file: its abort goes back: %s', async (_, record, isNamed, gone) => {
  const at = new Forgery();
  await at.until('adopt');
  await at.round();
  const text = at.text().replaceAll(OLD, NEW);
  const digest = digestOf(text);
  at.write(LWS_FILE, text.replace(/tranche.dev\/release: .*/, `tranche.dev/release: "${digest}.2"`));
  if (gone !== '') at.write(gone, undefined);
  await passes(at, 2);
  if (record !== undefined) forge(at, () => record);
  if (isNamed) {
    const refused = await at.order(ABORT);
    expect(refused).toContain(`tranche abort vllm --release ${digest.slice(0, 8)}.2`);
  }
  const answer = await at.order({ ...ABORT, release: isNamed ? `${digest.slice(0, 8)}.2` : undefined });
  await passes(at, 20);
  expect([at.text().includes(NEW), at.world.groups()], answer).toEqual([false, BACK]);
});

test.each([
  ['control: no forged record', undefined],
  ['a record that says GroupsBehind', { holds: [{ reason: 'GroupsBehind', message: 'x' }] }],
] as const)('a canary in its first share, no forged mark: eject --abort goes back: %s', async (_, record) => {
  const at = await standing({ style: 'canary', stage: 'in its first share' });
  await at.round();
  if (record !== undefined) forge(at, () => record);
  const answer = await at.eject({ abort: true });
  await passes(at, 20);
  expect([first(at).includes('v0.10.1'), answer]).toEqual([false, expect.stringContaining('abort')]);
});
