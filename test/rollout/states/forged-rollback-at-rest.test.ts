/** At rest one commit of template, release, strategy and `step: rollback`: it ends as rolled back, no hand-back takes groups on to it, an abort goes back. */

import { expect, test } from 'vitest';
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

test.each([
  ['partition', 'gone', 'canary'],
  ['partition', 'disabled', ''],
  ['canary', 'gone', 'blueGreen'],
  ['canary', 'disabled', 'canary'],
  ['blueGreen', 'gone', 'partition'],
  ['blueGreen', 'disabled', 'blueGreen'],
])('%s, its Rollout %s, forged at rest: rollback and strategy "%s"', async (style, rollout, strategy) => {
  const at = await forged(style, rollout, strategy);
  for (let round = 0, before = ''; round < ROUNDS_MOST; round += 1) {
    const head = at.world.repository.head('main') ?? '';
    if (head !== before) {
      const other = at.fork();
      const answer = await other.eject();
      for (let look = 0; look < 3; look += 1) {
        other.world.sync();
        other.world.tick(600);
      }
      expect(other.world.groups(), answer).toBe(UNTOUCHED);
    }
    before = head;
    await at.round();
  }
  expect(at.world.groups()).toBe(UNTOUCHED);
  const answer = await at.order({ kind: 'abort', keepNewer: false });
  await untilRest(at, ROUNDS_MOST, () => at.round());
  expect(at.text(LWS), answer).not.toMatch(/v0\.10\.7|tranche\.dev\/step/);
  expect(at.world.groups()).toBe(UNTOUCHED);
});
