/** At rest one commit of template, release, strategy and `step: rollback`: it ends as rolled back, no hand-back takes groups on to it, an abort goes back. */

import { expect, test } from 'vitest';
import { oidOf } from '../../../src/adapters/git/objects.ts';
import type { RolloutRecord } from '../../../src/api/record.ts';
import { printRecord } from '../../../src/reconcile/status/status-writes.ts';
import { digestOf } from '../../support/digest-of.ts';
import { filesOf, LWS, untilRest } from '../../support/forged-share.ts';
import { Forgery } from '../../support/forgery.ts';
import { VLLM_FILES } from '../../support/vllm.ts';

const ROUNDS_MOST = 20;
const RELEASE = /tranche\.dev\/release: "?[0-9a-f]+\.(\d+)"?/;
const UNTOUCHED = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';

const filesIn = (style: string): Readonly<Record<string, string>> =>
  style === 'partition' ? VLLM_FILES : filesOf(style);

/** Settled, its Rollout disabled or gone, and then the forged commit. */
async function forged(style: string, rollout: string, strategy: string): Promise<Forgery> {
  const at = new Forgery(filesIn(style));
  for (let round = 0; round < 3; round += 1) await at.round();
  const path = Object.entries(filesIn(style)).find(([, text]) => text.includes('kind: Rollout\n'))?.[0] ?? '';
  if (rollout === 'gone') at.write(path, undefined);
  else at.edit(path, /^spec:\n/m, 'spec:\n  disabled: true\n');
  await at.round();
  const text = at.text(LWS).replaceAll('v0.10.0', 'v0.10.7');
  const marks = [
    `tranche.dev/release: "${digestOf(text)}.${Number(RELEASE.exec(text)?.[1]) + 1}"`,
    'tranche.dev/step: "rollback"',
    ...(strategy === '' ? [] : [`tranche.dev/restore: '${JSON.stringify({ style: strategy })}'`]),
  ];
  at.write(LWS, text.replace(RELEASE, marks.join('\n    ')));
  return at;
}

/** Also where somebody has the record say that a pass has looked. */
async function ejected(at: Forgery): Promise<void> {
  const { repository } = at.world;
  const path = 'rollouts/default/llm/vllm.json';
  const { checksum: _, ...record }: RolloutRecord & { readonly checksum: string } = JSON.parse(
    repository.text('tranche-status', path) ?? '',
  );
  const blobs = { ...record.blobs, [LWS]: oidOf({ type: 'blob', bytes: Buffer.from(at.text(LWS)) }) };
  const text = printRecord({ ...record, blobs, holds: [] });
  repository.commit('tranche-status', { writes: [{ path, text }], message: 'forged' });
  const answer = await at.eject();
  for (let look = 0; look < 3; look += 1) {
    at.world.sync();
    at.world.tick(600);
  }
  expect(at.world.groups(), answer).toBe(UNTOUCHED);
}

test.each([
  ['partition, its Rollout gone, by canary', 'partition', 'gone', 'canary'],
  ['partition, its Rollout disabled, by no strategy', 'partition', 'disabled', ''],
  ['canary, its Rollout gone, by blueGreen', 'canary', 'gone', 'blueGreen'],
  ['canary, its Rollout disabled, by canary', 'canary', 'disabled', 'canary'],
  ['blueGreen, its Rollout gone, by partition', 'blueGreen', 'gone', 'partition'],
  ['blueGreen, its Rollout disabled, by blueGreen', 'blueGreen', 'disabled', 'blueGreen'],
])('a rollback is forged at rest: %s', async (_, style, rollout, strategy) => {
  const at = await forged(style, rollout, strategy);
  for (let round = 0, before = ''; round < ROUNDS_MOST; round += 1) {
    const head = at.world.repository.head('main') ?? '';
    if (head !== before) await ejected(at.fork());
    before = head;
    await at.round();
  }
  expect(at.world.groups()).toBe(UNTOUCHED);
  const answer = await at.order({ kind: 'abort', keepNewer: false });
  await untilRest(at, ROUNDS_MOST, () => at.round());
  expect(at.text(LWS), answer).not.toMatch(/v0\.10\.7|tranche\.dev\/step/);
  expect(at.world.groups()).toBe(UNTOUCHED);
});
