/** Groups on what main had before the template of the file, with annotations by which nothing is in progress: nothing takes them on to it. */

import { expect, test } from 'vitest';
import type { RolloutRecord } from '../../../src/api/record.ts';
import { printRecord } from '../../../src/reconcile/status/status-writes.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../../support/vllm.ts';

const HALF = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.1+';
const BACK = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const ON = '0:v0.10.1+ 1:v0.10.1+ 2:v0.10.1+ 3:v0.10.1+';

const ABORT = { kind: 'abort', keepNewer: false } as const;
const ACCEPT = { kind: 'approve', step: undefined, hold: 'GroupsBehind' } as const;

/** A delivery in its first step, of which a squash has left the files of before, if any, and those of now as settled. */
async function squashed(keeps: 'before' | 'nothing'): Promise<Forgery> {
  const at = await new Forgery().stepped();
  const { repository } = at.world;
  const files = repository.files('main');
  const settled = at.line().find(({ message }) => message.includes('adopt'))?.oid ?? '';
  const text = at.text().replace(/\n.*tranche\.dev\/(step|restore|stable): .*/g, '');
  const now = { ...files, [LWS_FILE]: text };
  repository.setHead('tranche-status', undefined);
  at.rewrite(keeps === 'before' ? [repository.files(settled), now] : [now], 'squash');
  return at;
}

/** Its pauses end by themselves. */
const VLLM = { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 60}') };

/** The last of some passes: its reasons, and what it says. */
async function passes(at: Forgery, rounds: number): Promise<{ reasons: readonly string[]; said: string }> {
  let last = await at.round();
  for (let round = 1; round < rounds; round += 1) last = await at.round();
  return { reasons: reasonsOf(last), said: saidOf(last) };
}

test('main had what they run before it: an abort goes back', async () => {
  const at = await squashed('before');
  const held = await passes(at, 2);
  expect(held.reasons).toEqual(['GroupsBehind']);
  expect(held.said).toMatch(/but before it main had \S+\.1, in \S+\. To go back to that: tranche abort vllm;/);
  expect(await at.order(ABORT)).toContain('abort');
  await at.round();
  expect(at.world.subject()).toContain('rollback');
  await passes(at, 6);
  expect([at.text().includes(NEW), at.world.groups()]).toEqual([false, BACK]);
});

test('nobody can tell which is older: an abort waits, and one with a commit goes back', async () => {
  const at = await squashed('nothing');
  expect((await passes(at, 2)).said).toContain('nobody can tell which of both is the older one');
  await at.order(ABORT);
  const held = await passes(at, 3);
  expect([held.reasons, at.world.groups()]).toEqual([['GroupsBehind'], HALF]);
  expect(held.said).toContain('tranche abort vllm --from COMMIT');
  const now = at.text();
  const from = at.write(LWS_FILE, now.replaceAll(NEW, OLD));
  const same = at.write(LWS_FILE, now);
  expect(await at.order({ ...ABORT, from: same })).toContain('has the template that is aborted');
  await at.order({ ...ABORT, from });
  await passes(at, 6);
  expect([at.text().includes(NEW), at.world.groups()]).toEqual([false, BACK]);
});

test('someone accepts it: they follow the file', async () => {
  const at = await squashed('before');
  await passes(at, 2);
  expect(await at.order({ ...ACCEPT, hold: 'GroupsElsewhere' })).toContain('has seen no GroupsElsewhere');
  expect(at.world.groups()).toBe(HALF);
  expect(await at.order(ACCEPT)).toContain('accept GroupsBehind');
  await passes(at, 6);
  expect(at.world.groups()).toBe(ON);
});

test('a rollback that a hand has written is not widened to them', async () => {
  const at = await squashed('before');
  at.edit(LWS_FILE, /( +)(tranche\.dev\/release: .*)/, '$1$2\n$1tranche.dev/step: "rollback"');
  const held = await passes(at, 3);
  expect([held.reasons, at.world.groups()]).toEqual([['GroupsBehind'], HALF]);
  expect(await at.order(ABORT)).toContain('abort');
  await passes(at, 6);
  expect([at.text().includes(NEW), at.world.groups()]).toEqual([false, BACK]);
});

test('handing it back takes no group on to it', async () => {
  const at = await squashed('before');
  await passes(at, 2);
  for (const wish of [{}, { abort: true }]) expect(await at.eject(wish)).toContain('they would be taken on to that');
  expect(await at.eject({ partition: 3 })).toContain('eject, annotations removed');
  await passes(at, 4);
  expect(at.world.groups()).toBe(HALF);
});

/** Somebody who pushes to the status branch takes out what the last pass held. */
function unheld({ world: { repository } }: Forgery): void {
  const path = 'rollouts/default/llm/vllm.json';
  const { checksum: _, ...record }: RolloutRecord & { readonly checksum: string } = JSON.parse(
    repository.text('tranche-status', path) ?? '',
  );
  expect(record.holds.map(({ reason }) => reason)).toEqual(['GroupsBehind']);
  repository.commit('tranche-status', {
    writes: [{ path, text: printRecord({ ...record, holds: [] }) }],
    message: 'forged',
  });
}

test.each(['before', 'nothing'] as const)(
  'a squash that keeps %s, and a record by which nothing was held: handing it back takes no group on to it',
  async (keeps) => {
    const at = await squashed(keeps);
    await passes(at, 2);
    unheld(at);
    for (const wish of [{}, { abort: true }]) expect(await at.eject(wish)).toContain('nobody knows whether all groups');
    expect(await at.eject({ partition: 3 })).toContain('eject, annotations removed');
    await passes(at, 4);
    expect(at.world.groups()).toBe(HALF);
  },
);

test('a file put back in the middle of a delivery is older than its groups: they follow, as by any abort', async () => {
  const at = new Forgery();
  await at.until('adopt');
  const before = at.text();
  await at.round();
  at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  await at.until('step 1/');
  await at.round();
  at.write(LWS_FILE, before);
  expect((await passes(at, 2)).reasons).toEqual(['GroupsElsewhere']);
  expect(await at.order(ABORT)).toContain('which was on its way when the file was put back');
  await passes(at, 6);
  expect([at.text().includes(NEW), at.world.groups()]).toEqual([false, BACK]);
});

test('a file of two releases ago, put back in the middle of a third: older than its groups all the same', async () => {
  const at = new Forgery(VLLM);
  await at.until('adopt');
  const before = at.text();
  await at.round();
  at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  await at.until('settled', 40);
  at.edit(LWS_FILE, new RegExp(NEW, 'g'), 'v0.10.2');
  await at.until('step 1/');
  await at.round();
  at.write(LWS_FILE, before);
  expect((await passes(at, 2)).reasons).toEqual(['GroupsElsewhere']);
  expect(await at.order(ABORT)).toContain('which was on its way when the file was put back');
  await passes(at, 8);
  expect([at.text().includes(NEW), at.world.groups()]).toEqual([false, BACK]);
});

test.each([
  ['before any pass has seen it', 0],
  ['after passes', 2],
])(
  'a file put back in the middle of a delivery, and an undo: what has not settled goes back, and nothing further: %s',
  async (_, rounds) => {
    const at = new Forgery(VLLM);
    await at.until('adopt');
    await at.round();
    at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
    await at.until('settled', 40);
    const before = at.text();
    at.edit(LWS_FILE, new RegExp(NEW, 'g'), 'v0.10.2');
    await at.until('step 1/');
    await at.round();
    at.write(LWS_FILE, before);
    for (let round = 0; round < rounds; round += 1) await at.round();
    expect(await at.order({ kind: 'undo', to: undefined })).toContain(
      'which was on its way when the file was put back to',
    );
    await passes(at, 8);
    expect([at.text(), at.world.groups()]).toEqual([expect.stringContaining(NEW), ON]);
  },
);

test.each([[ABORT], [ACCEPT]] as const)('a forged colour that serves keeps no way out waiting: %j', async (order) => {
  const at = await squashed('before');
  at.mark('serves', 'green');
  const held = await passes(at, 2);
  expect([held.reasons, at.world.groups()]).toEqual([['GroupsBehind'], HALF]);
  await at.order(order);
  const last = await passes(at, 8);
  const isOn = order.kind === 'approve';
  expect([at.text().includes(NEW), at.world.groups()], last.said).toEqual([isOn, isOn ? ON : BACK]);
});

test('a file put back in the middle of a delivery, with a forged colour that serves: they follow', async () => {
  const at = new Forgery();
  await at.until('adopt');
  const before = at.text();
  await at.round();
  at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  await at.until('step 1/');
  await at.round();
  at.write(LWS_FILE, before);
  at.mark('serves', 'green');
  expect((await passes(at, 2)).reasons).toEqual(['GroupsElsewhere']);
  expect(await at.order(ABORT)).toContain('which was on its way when the file was put back');
  await passes(at, 6);
  expect([at.text().includes(NEW), at.world.groups()]).toEqual([false, BACK]);
});

/** To a newer release and back to the first one by a delivery, in whose first step the file of the newer one is put back. */
async function thereAndBack(): Promise<Forgery> {
  const at = await new Forgery(VLLM).stepped();
  await at.until('settled', 40);
  const newer = at.text();
  await at.round();
  at.edit(LWS_FILE, new RegExp(NEW, 'g'), OLD);
  await at.until('step 1/');
  await at.round();
  at.write(LWS_FILE, newer);
  return at;
}

test.each([
  ['tranche abort vllm;', ABORT, OLD, BACK],
  ['tranche approve vllm --hold GroupsBehind', ACCEPT, NEW, ON],
] as const)('there, back, and there by a hand in the middle of it: %s', async (way, order, tag, groups) => {
  const at = await thereAndBack();
  const held = await passes(at, 2);
  expect([held.reasons, held.said]).toEqual([['GroupsBehind'], expect.stringContaining(way)]);
  expect(await at.order(order)).not.toContain('refused');
  const last = await passes(at, 10);
  expect([at.text().includes(tag), at.world.groups()], last.said).toEqual([true, groups]);
});
