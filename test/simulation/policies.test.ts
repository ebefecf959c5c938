/**
 * Policies that are edited, taken away and broken in mid-delivery, two processes at once, shards, pull requests, and clocks
 * that are wrong for one pass: the laws hold. `POLICY_SEEDS=200` lives more worlds than a test run has time for.
 */

import { expect, test } from 'vitest';
import type { Ports } from '../../src/reconcile/pass.ts';
import { brokenLaws, POLICY_FILE, PolicyWorld, type Setting, underWay } from './policy-world.ts';

const SEEDS = Number(process.env['POLICY_SEEDS'] ?? 1);
const TURNS = 40;

const SETTINGS: readonly (readonly [what: string, setting: Partial<Setting>, stepsLeast: number])[] = [
  ['one or two processes', {}, 5],
  ['a shard each, and pull requests', { processes: 'shards', forge: true }, 2],
  ['a shard each', { processes: 'shards' }, 5],
  ['pull requests', { forge: true }, 2],
];

test.each(SETTINGS.slice(0, SEEDS > 1 ? SETTINGS.length : 2))(
  '%s: no commit of ours breaks what a policy said before it, and what is aborted goes back under any policy',
  async (_what, setting, stepsLeast) => {
    let steps = 0;
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const world = new PolicyWorld(`policies ${seed}`, setting);
      await world.live(TURNS);
      steps += world.world.repository.log('main').filter(({ message }) => message.includes('Rollout-Step: ')).length;
      expect(brokenLaws(world), `seed ${seed}`).toEqual([]);
      await world.giveUp();
      expect(brokenLaws(world), `seed ${seed}`).toEqual([]);
      expect(underWay(world), `seed ${seed}`).toEqual([]);
    }
    expect(steps).toBeGreaterThan(stepsLeast * SEEDS);
  },
);

const BLIND_SEEDS_MOST = 12;
const LAWS = [
  'a policy that cannot be read holds',
  'a stopped line holds',
  'a wrong clock opens no window',
  'no soak is cut short',
  'no step is too large',
  'no step starts outside of the windows',
  'nobody starts out of turn',
];

/** Processes that do not see the policy. */
function blind({ git, ...ports }: Ports): Ports {
  const readAt: typeof git.readAt = async (commit, request) => {
    const tree = await git.readAt(commit, request);
    return { ...tree, files: tree.files.filter(({ path }) => path !== POLICY_FILE) };
  };
  return { ...ports, git: { ...git, readAt } };
}

test('processes that see no policy break each of the laws', async () => {
  const found = new Set<string>();
  for (let seed = 0; seed < BLIND_SEEDS_MOST && found.size < LAWS.length; seed += 1) {
    const world = new PolicyWorld(`policies ${seed}`, { portsOf: blind });
    await world.live(TURNS);
    for (const law of brokenLaws(world)) found.add(law.split(':')[0] ?? '');
  }
  expect([...found].sort()).toEqual(LAWS);
});
