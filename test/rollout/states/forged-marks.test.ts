/** Marks of a delivery that somebody who may merge has changed: how far one gets with it, and that an abort still leads route restored. */

import { expect, test } from 'vitest';
import { Forgery, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, NEW } from '../../support/vllm.ts';

const releaseOf = (at: Forgery): string => /tranche\.dev\/release: "?([0-9a-f]+\.\d+)/.exec(at.text())?.[1] ?? '';

const groupsOn = (at: Forgery, version: string): number =>
  at.world
    .groups()
    .split(' ')
    .filter((group) => group.includes(version)).length;

/** What `restore` has, and these fields as well. */
const restoring =
  (fields: object) =>
  (at: Forgery): void => {
    const there: unknown = JSON.parse(/tranche\.dev\/restore: '(.*)'/.exec(at.text())?.[1] ?? '{}');
    at.edit(
      LWS_FILE,
      /tranche\.dev\/restore: .*/,
      `tranche.dev/restore: '${JSON.stringify(Object.assign({}, there, fields))}'`,
    );
  };

/** Rounds in which at least three of four groups serve, and what they end with. */
async function goingBack(at: Forgery): Promise<readonly [said: string, back: number, isNew: boolean, isOwn: boolean]> {
  const said = [await at.order({ kind: 'abort', keepNewer: false })];
  for (let round = 0; round < 10; round += 1) {
    said.push(saidOf(await at.round()));
    const serving = at.world
      .groups()
      .split(' ')
      .filter((group) => group.endsWith('+'));
    expect(serving.length).toBeGreaterThanOrEqual(3);
  }
  return [said.join(' / '), groupsOn(at, '0.10.0'), at.text().includes(NEW), /maxUnavailable: 1 /.test(at.text())];
}

const BACK = [expect.any(String), 4, false, true];

type Row = readonly [what: string, forge: (at: Forgery) => void, most: number];

test.each<Row>([
  ['step, one on', (at) => void at.mark('step', `2/3@${releaseOf(at)}`), 1],
  ['step, the last', (at) => void at.mark('step', `3/3@${releaseOf(at)}`), 1],
  ['step, one back', (at) => void at.mark('step', `0/3@${releaseOf(at)}`), 2],
  ['step, rollback', (at) => void at.mark('step', 'rollback'), 1],
  ['step, promote', (at) => void at.mark('step', 'promote'), 1],
  ['rung, where no second workload is filled', (at) => void at.mark('rung', 'traffic'), 1],
  ['serves, where no second workload is filled', (at) => void at.mark('serves', 'green'), 2],
  ['aborted, of what is delivered', (at) => void at.mark('aborted', releaseOf(at)), 2],
  ['aborted, of nothing that there was', (at) => void at.mark('aborted', `${'e'.repeat(32)}.1`), 2],
  ['restore, floor', restoring({ floor: 0 }), 2],
  ['restore, maxUnavailable', restoring({ maxUnavailable: { was: 4, set: 1 } }), 2],
  ['restore, maxUnavailable of all', restoring({ maxUnavailable: { was: '100%', set: 1 } }), 2],
  ['restore, replicas', restoring({ replicas: { was: 1, set: 4 } }), 2],
  ['restore, plan', restoring({ plan: 'e'.repeat(32) }), 2],
  ['restore, style of canary', restoring({ style: 'canary' }), 2],
  ['restore, style of a routed partition', restoring({ style: 'partition' }), 2],
  ['restore, groups', restoring({ groups: 4 }), 2],
  ['restore, withdrawn', restoring({ withdrawn: 9 }), 2],
  ['restore, carried', restoring({ carried: 9 }), 2],
  ['restore, least', restoring({ least: 1 }), 2],
  ['restore, stopped', restoring({ stopped: true }), 2],
])('forged: %s: at most one step, and an abort goes back', async (_, forge, most) => {
  const forward = await new Forgery().stepped();
  forge(forward);
  for (let round = 0; round < 8; round += 1) {
    await forward.round();
    expect(groupsOn(forward, '0.10.1')).toBeLessThanOrEqual(most);
    expect(forward.world.groups().split(' ')).toHaveLength(4);
  }
  const back = await new Forgery().stepped();
  await back.round();
  forge(back);
  expect(await goingBack(back)).toEqual(BACK);
});

test('a mark that nobody can read holds, and tranche repair ends that', async () => {
  const at = await new Forgery().stepped();
  await at.round();
  at.mark('step', `2/3@${'e'.repeat(32)}.9`);
  expect(saidOf(await at.round())).toContain('tranche.dev/step');
  expect(await at.repair()).toContain('repair');
  expect(await goingBack(at)).toEqual(BACK);
});
