/** Annotations that a squash lost, and no record: what is said names a way back, which is followed to its end. */

import { expect, test } from 'vitest';
import { Forgery, reasonsOf, saidOf } from '../support/forgery.ts';
import { LWS_FILE, NEW, OLD } from '../support/vllm.ts';

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

test('a squash in a delivery, without the annotation of its step and without a record: by hand, with no group on a template that no step let it have', async () => {
  const at = await squashed(/\n.*tranche\.dev\/step: .*/);
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
