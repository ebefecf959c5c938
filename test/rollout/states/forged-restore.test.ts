/** What a delivery puts aside comes back as main's own line had it: the mark `restore` may say anything. */

import { expect, test } from 'vitest';
import { Forgery, saidOf } from '../../support/forgery.ts';
import { ladderRollout } from '../../support/ladder.ts';
import { ROUTE_FILE, TRAFFIC_FILES } from '../../support/traffic-files.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';

const ROLLOUT = ladderRollout('canary', ['replicas: 1, traffic: 5%, pause: {}', 'replicas: 100%']);
const ROUTE = `${TRAFFIC_FILES[ROUTE_FILE]}          weight: 7\n`;

/** A canary with a share of the requests, so that the route's own weight is put aside. */
async function sharing(): Promise<Forgery> {
  const at = new Forgery({ ...TRAFFIC_FILES, [ROUTE_FILE]: ROUTE, [ROLLOUT_FILE]: ROLLOUT });
  await at.stepped();
  for (let round = 0; round < 30 && !/"was":7/.test(at.text()); round += 1) await at.round();
  expect(at.text()).toMatch(/"was":7/);
  return at;
}

test('forged: another value than the route had: the one of main comes back', async () => {
  const at = await sharing();
  at.edit('apps/vllm/lws.yaml', '"was":7', '"was":0');
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
  const said: string[] = [];
  for (let round = 0; round < 20; round += 1) said.push(saidOf(await at.round()));
  expect(at.text(ROUTE_FILE)).toMatch(/weight: 7$/m);
  expect(said.join('\n')).toMatch(
    /was 0, and main's own line had 7 before this delivery, so the annotation does not count/,
  );
});

test('as it was written: the route comes back byte for byte, and nothing is said', async () => {
  const at = await sharing();
  await at.order({ kind: 'abort', keepNewer: false });
  const said: string[] = [];
  for (let round = 0; round < 20; round += 1) said.push(saidOf(await at.round()));
  expect(at.text(ROUTE_FILE)).toBe(ROUTE);
  expect(said.join('\n')).not.toContain('does not count');
});
