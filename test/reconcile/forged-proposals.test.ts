/** Marks that somebody has changed where each step is a pull request: no step goes without one, and an abort goes back. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order as giveOrder } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, type ForgeWorld, forgeWorld } from '../support/forge-world.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: production
spec:
  promotion: pullRequest
`;

let forge: SimulatedForge;
let count = 0;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());

const groupsOn = (world: ForgeWorld, image: string): number =>
  world.cluster.objects
    .list('pods')
    .filter((pod) => JSON.stringify(pod).includes(`"image":"${image}"`))
    .filter(({ metadata }) => metadata.labels?.['leaderworkerset.sigs.k8s.io/worker-index'] === '0').length;

/** Its first step is merged, and its groups are there; the pull request of the second is open. */
async function stepped(): Promise<ForgeWorld> {
  count += 1;
  const world = await forgeWorld(forge, `gitops-${count}`, VLLM_FILES);
  await world.pass();
  await world.sync();
  const asked = (await world.text(LWS_FILE)).replaceAll(OLD, NEW);
  await world.repository.git.commit('main', { [LWS_FILE]: asked, 'policies/production.yaml': POLICY }, 'v0.10.1');
  await world.sync();
  await world.until('ProposalOpen');
  await world.repository.merge(world.pull.number, ADA, 'merge', 'By someone');
  await world.pass();
  await world.sync();
  await world.until('ProposalOpen');
  expect([groupsOn(world, OLD), groupsOn(world, NEW)]).toEqual([3, 1]);
  return world;
}

const STEP = /tranche\.dev\/step: "1\/3@([0-9a-f]+\.\d+)"/;

const FORGERIES: Readonly<Record<string, (text: string) => string>> = {
  'a step on': (text) => text.replace(STEP, 'tranche.dev/step: "2/3@$1"'),
  'the last step': (text) => text.replace(STEP, 'tranche.dev/step: "3/3@$1"'),
  'a step back': (text) => text.replace(STEP, 'tranche.dev/step: "0/3@$1"'),
  promote: (text) => text.replace(STEP, 'tranche.dev/step: "promote"'),
  'the primary was released for update': (text) => text.replace('{"floor":3', '{"floor":0'),
  'the release is settled': (text) => text.replace(/ +tranche\.dev\/(step|restore): .*\n/g, ''),
  aborted: (text) => text.replace(/(tranche\.dev\/)(release): "(.*)"/, '$1$2: "$3"\n    $1aborted: "$3"'),
  rollback: (text) => text.replace(STEP, 'tranche.dev/step: "rollback"'),
};

test.each(Object.keys(FORGERIES))('forged: %s: no step goes without its pull request', async (what) => {
  const world = await stepped();
  const text = await world.text(LWS_FILE);
  const forged = FORGERIES[what]?.(text) ?? text;
  expect(forged).not.toBe(text);
  await world.repository.git.commit('main', { [LWS_FILE]: forged }, 'forged');
  for (let round = 0; round < 8; round += 1) {
    await world.sync();
    world.tick(60);
    await world.pass();
    expect(groupsOn(world, NEW)).toBeLessThanOrEqual(1);
  }
  const at = { target: { name: 'vllm', namespace: '' }, overrides: NO_OVERRIDES, by: 'ada' };
  const intent = { kind: 'abort', keepNewer: false } as const;
  const done = await giveOrder(world.ports(), at, ({ snapshot }) =>
    planIntent(intent, { snapshot, digestOf: factsDigest }),
  );
  for (let round = 0; round < 12; round += 1) {
    await world.pass();
    await world.sync();
    world.tick(60);
  }
  const told = `${JSON.stringify(done)}\n${(await world.subjects()).join('\n')}\n${await world.text(LWS_FILE)}`;
  expect(await world.text(LWS_FILE), told).not.toContain(NEW);
  expect(groupsOn(world, OLD), told).toBe(4);
});
