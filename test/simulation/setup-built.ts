/** Worlds that kustomize builds: two folders over one base and one component, each with a Rollout of its own. */

import { Chance } from './chance.ts';
import { type Setup, type WorkloadSetup, workload, worldOf } from './setup.ts';

/** Of all bases those that say what `tranche lint` asks for. */
const LOCKED_SHARE = 0.5;

/** Of all these worlds those whose status branch is signed. */
const KEYED_SHARE = 0.4;

export function kustomizeSetupOf(seed: string): Setup {
  const chance = new Chance(seed).fork('kustomize');
  const setup = worldOf(seed, true);
  const { size } = setup.workloads[0]!;
  const folder = (name: string): WorkloadSetup => {
    const { resizes: _resizes, scaler: _scaler, ...plain } = workload(chance.fork(name), `${name}-vllm`, 'none');
    const labels = chance.fork(`labels ${name}`).flip(0.3) ? ({ labels: true } as const) : {};
    return { ...plain, ...labels, size, autoscaled: false, root: `apps/vllm/${name}` };
  };
  return {
    ...setup,
    // A signed record keeps what a folder at rest builds.
    ...(chance.fork('key').flip(KEYED_SHARE) ? { keyed: true } : {}),
    base: chance.flip(LOCKED_SHARE) ? 'locked' : chance.pick(['open', 'silent'] as const),
    workloads: [folder('prod'), folder('stage')],
    rounds: chance.between(1, 10),
    swift: chance.pick([0, 0.7, 0.9]),
    turns: chance.between(20, 60),
    questions: 1 / 25,
  };
}
