/** Deliveries that fill a second workload, by pull requests: one for a step, whose later rungs follow, one for the promotion. */

import { expect, test } from 'vitest';
import { releaseMoves } from '../../src/rollout/edits/release-moves.ts';
import { FakeForge } from '../support/fake-forge.ts';
import { golden } from '../support/golden-pulls.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { LWS_FILE, NEW, OLD } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const ADA = { login: 'ada', isBot: false };
const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: production
spec:
  promotion: pullRequest
`;

type Delivery = { readonly world: World; readonly forge: FakeForge; readonly told: string[] };

async function begun(style: 'canary' | 'blueGreen' | 'partition', pause: string): Promise<Delivery> {
  const last = style === 'partition' ? '' : `, traffic: 50%, pause: ${pause}`;
  const steps = [`replicas: 1, traffic: 5%, pause: ${pause}`, `replicas: 100%${last}`];
  const world = new World({ files: Object.fromEntries(ladderFiles(ladderRollout(style, steps))) });
  const forge = new FakeForge(world.repository, () => world.now);
  const delivery = { world, forge, told: [] };
  world.sync();
  world.tick(60);
  await round(delivery);
  const asked = (world.repository.text('main', LWS_FILE) ?? '').replaceAll(OLD, NEW);
  const writes = [
    { path: LWS_FILE, text: asked },
    { path: 'policies/production.yaml', text: POLICY },
  ];
  world.repository.commit('main', { writes });
  delivery.told.length = 0;
  return delivery;
}

/** A pass, and the agent that follows; what was proposed and what was written. */
async function round({ world, forge, told }: Delivery): Promise<readonly string[]> {
  const [main, pulls] = [world.repository.head('main'), forge.pulls.length];
  const { outcomes } = await world.pass({ forge: forge.port() });
  for (const { title } of forge.pulls.slice(pulls)) told.push(`proposed: ${title}`);
  if (world.repository.head('main') !== main) told.push(world.subject().replace('rollout(llm/vllm): ', ''));
  world.sync();
  world.tick(30);
  return outcomes.flatMap(({ plan, error }) => [
    ...(plan?.holds.map(({ reason }) => reason) ?? []),
    ...(error === undefined ? [] : [error]),
  ]);
}

/** Someone merges whatever is proposed, until nothing is left to do. */
async function delivered(delivery: Delivery): Promise<readonly string[]> {
  const { world, forge, told } = delivery;
  for (let count = 0; count < 200; count += 1) {
    const holds = await round(delivery);
    const [pull] = forge.open;
    if (pull !== undefined) expect(forge.merge(pull, ADA, true)).toBe(true);
    if (pull === undefined && holds.length === 0 && world.subject().endsWith('settled')) return told;
  }
  throw new Error(`not settled: ${told.join(', ')}`);
}

const PAUSES = ['{duration: 60}', '{}'] as const;

test.each(PAUSES)('canary, pause %s', async (pause) => {
  const delivery = await begun('canary', pause);
  expect(await delivered(delivery)).toEqual([
    'proposed: llm/vllm 1/2: 1 of 4 groups, 5% of requests on v0.10.1 (default)',
    'step 1/2, template: vllm-canary',
    'step 1/2, pods: canary 0 → 1',
    'step 1/2, traffic: – → 5%',
    'proposed: llm/vllm 2/2: 4 of 4 groups, 50% of requests on v0.10.1 (default)',
    'step 2/2, pods: canary 1 → 4',
    'step 2/2, traffic: 5% → 50%',
    'proposed: llm/vllm promote: all groups on v0.10.1 (default)',
    'promote, primary',
    'promote, route-restored',
    'settled',
  ]);
  if (pause === '{duration: 60}') await golden('canary', delivery.forge.pulls);
  const log = delivery.world.repository.log('main').toReversed();
  const reasons = log.flatMap(({ message }) => /^Rollout-Reason: (\w+)$/m.exec(message)?.[1] ?? []);
  expect(reasons, 'as many as preflight tells of').toEqual(['Adopted', ...releaseMoves('besides', 2)]);
});

test.each(PAUSES)('blueGreen, pause %s', async (pause) => {
  const delivery = await begun('blueGreen', pause);
  expect(await delivered(delivery)).toEqual([
    'proposed: llm/vllm 1/2: 1 group, 5% of requests on v0.10.1 (default)',
    'step 1/2, template: vllm-green',
    'step 1/2, pods: vllm-green 0 → 1',
    'step 1/2, traffic: – → 5%',
    'proposed: llm/vllm 2/2: 100% of the groups, 50% of requests on v0.10.1 (default)',
    'step 2/2, pods: vllm-green 1 → 4',
    'step 2/2, traffic: 5% → 50%',
    'proposed: llm/vllm promote: all requests on v0.10.1 (default)',
    'promote, all: 50% → 100%',
    'promote, switch: vllm-svc → vllm-green',
    'promote, route-restored',
    'settled',
  ]);
  if (pause === '{duration: 60}') await golden('blue-green', delivery.forge.pulls);
});

test('versions of one workload that share requests: its groups restart, and the pull request says so', async () => {
  const delivery = await begun('partition', '{duration: 60}');
  const { world, forge } = delivery;
  const bodies: string[] = [];
  for (let count = 0; count < 20 && bodies.length < 2; count += 1) {
    await round(delivery);
    const [pull] = forge.open;
    if (pull === undefined) continue;
    bodies.push(`${pull.title}\n${pull.body}`);
    expect(forge.merge(pull, ADA, true)).toBe(true);
    world.sync();
  }
  const then =
    'get the new version: those that do not have it yet restart, as many at a time as maxUnavailable allows.';
  expect(bodies[0]).toContain(`1 of 4 groups ${then} They get 5% of requests.`);
  expect(bodies[0]).not.toContain('beside');
  expect(bodies[1]).toContain(`4 of 4 groups ${then} Requests go to all groups alike.`);
});

test('what dies with a share is withdrawn without asking, and the share comes again with someone alone', async () => {
  const delivery = await begun('canary', '{}');
  const { world, forge, told } = delivery;
  while (!told.includes('step 1/2, traffic: – → 5%')) {
    await round(delivery);
    const [pull] = forge.open;
    if (pull !== undefined) forge.merge(pull, ADA, true);
  }
  await round(delivery);
  expect(forge.open).toHaveLength(0);
  world.cluster.setPods({ namespace: 'llm', name: 'vllm-canary', group: 0, pods: 'leader' }, { kind: 'unready' });
  const proposed = forge.pulls.length;
  await round(delivery);
  expect(told.at(-1)).toBe('step 1/2, traffic withdrawn');
  for (let count = 0; count < 4; count += 1) await round(delivery);
  expect(await round(delivery)).toContain('TrafficWithdrawn');
  expect(forge.pulls).toHaveLength(proposed);
});
