/** A newer template that comes before a release has settled, and is given up: what settled comes back, though no commit at rest has it. */

import { expect, test } from 'vitest';
import { filesOf, LWS, markIn, NEW, OLD } from '../support/forged-share.ts';
import { Forgery } from '../support/forgery.ts';
import { VLLM_FILES } from '../support/vllm.ts';

const NEWER = 'v0.10.2';
const ABORT = { kind: 'abort', keepNewer: false } as const;
const APPROVE = { kind: 'approve', step: undefined } as const;

const isThrough = (at: Forgery): boolean => at.world.subject().includes('locked') || markIn(at, 'step') === 'promote';

/** All groups are on the new template, and a newer one is in the file when that settles. */
async function settledUnderNewer(style: string): Promise<Forgery> {
  const isPartition = style === 'partition';
  const at = new Forgery(isPartition ? VLLM_FILES : filesOf(style));
  const flags = isPartition ? 'g' : '';
  for (let round = 0; round < 4; round += 1) await at.round();
  at.edit(LWS, new RegExp(OLD, flags), NEW);
  for (let round = 0; round < 60 && !isThrough(at); round += 1) {
    await at.round();
    if (isPartition && round % 3 === 2) await at.order(APPROVE);
  }
  at.edit(LWS, new RegExp(NEW, flags), NEWER);
  await at.until('settled', 20);
  expect(markIn(at, 'release')).toMatch(/\.2$/);
  return at;
}

const own = (at: Forgery): string => at.text().split('\n---\n')[0] ?? '';

const known = new Map<string, Promise<Forgery>>();
function stand(style: string): Promise<Forgery> {
  const there = known.get(style) ?? settledUnderNewer(style);
  known.set(style, there);
  return there;
}

const WAYS: Readonly<Record<string, (at: Forgery) => Promise<string>>> = {
  'aborted as a request': (at) => at.order(ABORT),
  'aborted in its first step': async (at) => {
    await at.until('step 1/');
    return at.order(ABORT);
  },
  'handed back': (at) => at.eject({ abort: true }),
};
const CASES = [
  ['partition', 'aborted as a request'],
  ['partition', 'aborted in its first step'],
  ['partition', 'handed back'],
  ['blueGreen', 'aborted as a request'],
  ['blueGreen', 'aborted in its first step'],
] as const;

test.each(CASES)('%s: %s', async (style, way) => {
  const at = (await stand(style)).fork();
  expect(await WAYS[way]?.(at)).toMatch(/^abort|stable template back/);
  for (let round = 0; round < 6; round += 1) await at.round();
  expect(own(at)).not.toContain(NEWER);
  if (style === 'partition') {
    expect(own(at)).toContain(NEW);
    expect(own(at)).not.toContain(OLD);
    expect(at.world.groups()).toMatch(/^(\d:v0\.10\.1\+ ?){4}$/);
  } else {
    expect(own(at)).toContain('tranche.dev/serves: "green"');
    expect(own(at)).toContain(NEW);
  }
  const { repository } = at.world;
  const head = repository.head('main');
  await at.round();
  expect(repository.head('main')).toBe(head);
});

test.each(['partition', 'blueGreen'])(
  '%s: delivered as well, an undo goes back to the one before it',
  async (style) => {
    const at = (await stand(style)).fork();
    for (let round = 0; round < 60 && !(markIn(at, 'release') ?? '').endsWith('.3'); round += 1) await at.round();
    for (let round = 0; round < 90 && markIn(at, 'step') !== undefined; round += 1) {
      await at.round();
      if (round % 3 === 2) await at.order(APPROVE);
    }
    expect(at.world.subject()).toContain('settled');
    expect(await at.order({ kind: 'undo', to: undefined })).toMatch(/back to [0-9a-f]{8}\.2/);
    for (let round = 0; round < 12; round += 1) await at.round();
    expect(markIn(at, 'release')).toMatch(/\.2$/);
    if (style === 'partition') expect(at.world.groups()).toMatch(/^(\d:v0\.10\.1\+ ?){4}$/);
  },
);
