/** Annotations that a squash lost, and no record: what is said names a way back, which is followed to its end. */

import { expect, test } from 'vitest';
import { LWS, markIn, serving, standing } from '../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../support/forgery.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../support/vllm.ts';

/** Main is one commit by now, this annotation is lost, and so is the status branch. */
async function squashed(gone: RegExp): Promise<Forgery> {
  const at = await new Forgery().stepped();
  const { repository } = at.world;
  const files = repository.files('main');
  const first = repository.files(at.line()[0]?.oid ?? '');
  repository.setHead('tranche-status', undefined);
  at.rewrite([first, { ...files, [LWS_FILE]: (files[LWS_FILE] ?? '').replace(gone, '') }], 'squash');
  return at;
}

test('a squash in a delivery, without the annotation of its step and without a record: repair works it out, and it goes back', async () => {
  const at = await squashed(/\n.*tranche\.dev\/step: .*/);
  expect(reasonsOf(await at.round())).toEqual(['AnnotationsGone']);
  const release = /tranche\.dev\/release: "?([0-9a-f]+\.\d+)/.exec(at.text())?.[1];
  expect(await at.repair()).toContain('repair, annotations of vllm');
  expect(at.text()).toContain(`tranche.dev/step: "1/3@${release}"`);
  expect(reasonsOf(await at.round())).not.toContain('AnnotationsGone');
  const first = at.line()[0]?.oid ?? '';
  await at.order({ kind: 'abort', keepNewer: false });
  expect(reasonsOf(await at.round())).toContain('StableUnavailable');
  await at.order({ kind: 'abort', keepNewer: false, from: first });
  await at.round();
  expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.1+');
  for (let round = 0; round < 8; round += 1) await at.round();
  expect([at.text().includes(NEW), at.world.groups()]).toEqual([false, '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+']);
});

test('the same where no step of the plan lets as many groups go: by hand, with no group on a template that no step let it have', async () => {
  const at = await squashed(/\n.*tranche\.dev\/step: .*/);
  at.edit(ROLLOUT_FILE, 'replicas: 25%', 'replicas: 40%');
  const result = await at.round();
  expect(reasonsOf(result)).toEqual(['AnnotationsGone']);
  expect(saidOf(result)).toContain('tranche eject vllm --partition 3, and then the earlier template into the file');
  expect(await at.repair()).toContain('nothing to repair');
  for (const wish of [{}, { abort: true }]) expect(await at.eject(wish)).toMatch(/step is gone.* Say --partition N/);
  expect(await at.eject({ partition: 3 })).toContain('eject, annotations removed');
  for (let round = 0; round < 3; round += 1) await at.round();
  expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.1+');
  at.edit(LWS_FILE, new RegExp(NEW, 'g'), OLD);
  for (let round = 0; round < 3; round += 1) await at.round();
  expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
});

test.each([
  ['of the stable version', /\n.*tranche\.dev\/(stable|restore): .*/g],
  ['of the release', /\n.*tranche\.dev\/release: .*/],
  ['all of them', /\n *annotations:(?=\n)|\n.*tranche\.dev\/.*/g],
])('the same without the annotation %s: by the earlier template in the file', async (_, gone) => {
  const at = await squashed(gone);
  const said = saidOf(await at.round());
  expect(said).toMatch(/the template to go back to into the file|put the one back that worked/);
  at.edit(LWS_FILE, new RegExp(NEW, 'g'), OLD);
  for (let round = 0; round < 8; round += 1) await at.round();
  expect(at.text()).not.toContain(NEW);
  expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
});

test.each(['canary', 'blueGreen'].flatMap((style) => [[style, 'kept'] as const, [style, 'lost'] as const]))(
  'a squash of the delivery and its rollback, without a message of tranche: %s, its record %s, the rollback goes to its end',
  async (style, record) => {
    const at = await standing({ style, stage: 'in its promotion' });
    await at.order({ kind: 'abort', keepNewer: false });
    await at.until('rollback');
    const { repository } = at.world;
    const asked = at.line().findLastIndex(({ message }) => message === `edit ${LWS}`);
    const before = Object.entries(repository.files('main'));
    repository.setHead('main', at.line()[asked]?.parents[0]);
    const now = repository.files('main');
    const writes = before.flatMap(([path, text]) => (now[path] === text ? [] : [{ path, text }]));
    repository.commit('main', { writes, message: 'squash (#12)' });
    if (record === 'lost') repository.setHead('tranche-status', undefined);
    const said: string[] = [];
    for (let round = 0; round < 14; round += 1) {
      const result = await at.round();
      said.push(`${at.world.subject()} ${reasonsOf(result).join(' ')}`);
    }
    expect([markIn(at, 'step'), serving(at, '0.10.0'), serving(at, '0.10.1')], said.join('\n')).toEqual(['', 4, 0]);
    expect(said.join('\n')).not.toContain('AnnotationsGone');
  },
);
