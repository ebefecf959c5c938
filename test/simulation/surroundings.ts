/** What happens around the reconcilers: the agent, the cluster's own troubles, time, and other hands on the branches. */

import type { JsonObject } from '../../src/api/json.ts';
import type { Chance, Weighted } from './chance.ts';
import { hasSides, secondOf } from './routed-files.ts';
import type { FaultKind, WorkloadSetup } from './setup.ts';
import { NAMESPACE } from './truth.ts';
import { nameOf, type Universe } from './universe.ts';
import { isBroken } from './versions.ts';

const STATUS = 'tranche-status';

/** The agent applies something of main, or nothing; it never goes back. */
export function agentStep(universe: Universe, chance: Chance): void {
  const { rates, workloads } = universe.setup;
  const hit = (kind: FaultKind): boolean => rates[kind] > 0 && chance.flip(rates[kind] * 3);
  if (universe.timeline.turn < universe.agentRestsUntil) return;
  const behind = commitsBehind(universe);
  if (behind.length === 0) return;
  if (chance.flip(rates['agent lags'] * 3)) {
    universe.inject('agent lags');
    universe.say('agent', 'late');
    return;
  }
  if (rates['agent stops'] > 0 && chance.flip(rates['agent stops'] / 2)) {
    universe.inject('agent stops');
    universe.agentRestsUntil = universe.timeline.turn + chance.between(10, 60);
    universe.say('agent', 'stops');
    return;
  }
  const [head] = behind;
  const step = chance.flip(0.25) ? behind.at(-1) : chance.flip(0.2) ? chance.pick(behind) : head;
  if (step === undefined) return;
  const skipped = behind.length - 1 - behind.indexOf(step);
  if (skipped > 0) universe.inject('agent skips a commit');
  const fills = workloads.some(hasSides);
  const partial = (workloads.length > 1 || fills) && chance.flip(rates['agent applies a part'] * 3);
  if (partial) universe.inject('agent applies a part');
  const only = chance.pick(workloads).name;
  const isChosen = (document: JsonObject): boolean => (fills ? chance.flip(0.5) : nameOf(document) === only);
  const [prune, backwards] = [hit('agent prunes'), hit('agent in another order')];
  if (prune) universe.inject('agent prunes');
  if (backwards) universe.inject('agent in another order');
  if (workloads.some((workload) => workload.autoscaled)) universe.inject('agent ignores a field');
  universe.sync(step, {
    pick: (all) => {
      const chosen = all.filter((document) => !partial || isChosen(document));
      return backwards ? chosen.reverse() : chosen;
    },
    prune,
  });
  universe.say(
    'agent',
    `applies ${step.slice(0, 7)}${skipped > 0 ? `, skipping ${skipped}` : ''}${partial ? `, only ${fills ? 'some objects' : only}` : ''}`,
  );
  // What was left out is applied with the next commit, or when the agent comes round again.
  if (partial) universe.agentAt = behind[behind.indexOf(step) + 1] ?? universe.agentAt;
}

/** Commits of main that are not applied yet, newest first; where what it applied is gone from main, the head alone. */
function commitsBehind(universe: Universe): readonly string[] {
  const all = universe.repository.log('main').map((commit) => commit.oid);
  const at = universe.agentAt === undefined ? -1 : all.indexOf(universe.agentAt);
  if (at < 0 && universe.rewritten > 0) return all.slice(0, 1);
  return at < 0 ? all : all.slice(0, universe.agentMisses ? at + 1 : at);
}

type Trouble = (universe: Universe, chance: Chance, workload: WorkloadSetup) => void;

/** The cluster misbehaves, or an autoscaler moves. */
export function clusterStep(universe: Universe, chance: Chance): void {
  const picked = chance.pick(universe.healthy());
  // Trouble comes to either side.
  const workload = picked.fills !== undefined && chance.flip(0.4) ? secondOf(picked)! : picked;
  const { trouble, rates } = universe.setup;
  const { lws } = universe.cluster.modes();
  const acts: Weighted<Trouble> = [
    [workload.autoscaled ? 3 : 0, autoscale],
    [2 * trouble, unready],
    [hasSides(picked) ? 2 * trouble : 0, failsWhole],
    [2, heal],
    [1.5 * trouble, kill],
    [0.3 * trouble, controllerDown],
    [0.5 * trouble, deleteSet],
    [0.3 * trouble, deleteLws],
    [rates['node lost'] * 5 * trouble, loseNode],
    [lws === '0.8' ? rates['LWS controller upgraded'] * 8 * trouble : 0, upgrade],
  ];
  chance.weighted(acts)(universe, chance, workload);
}

function group(universe: Universe, chance: Chance, workload: WorkloadSetup): number | undefined {
  const groups = universe.truth(workload.name)?.groups ?? [];
  return groups.length === 0 ? undefined : chance.pick(groups).index;
}

function autoscale(universe: Universe, chance: Chance, { name }: WorkloadSetup): void {
  const replicas = chance.between(chance.flip(0.1) ? 0 : 1, 6);
  const answer = universe.cluster.scale({ namespace: NAMESPACE, name }, replicas);
  if (!answer.ok) return;
  universe.inject('autoscaler moves');
  universe.say('cluster', `${name}: the autoscaler wants ${replicas}`);
}

function unready(universe: Universe, chance: Chance, workload: WorkloadSetup): void {
  const index = group(universe, chance, workload);
  if (index === undefined) return;
  const pods = chance.pick(['leader', 'workers'] as const);
  universe.hurt.get(workload.name)?.add(index);
  universe.inject('group fails');
  universe.cluster.setPods({ namespace: NAMESPACE, name: workload.name, group: index, pods }, { kind: 'unready' });
  universe.say('cluster', `${workload.name}: ${pods} of group ${index} not ready any more`);
}

/** A version that dies of its requests: no group of one side is ready any more. */
function failsWhole(universe: Universe, _chance: Chance, workload: WorkloadSetup): void {
  const { name } = workload;
  const truth = universe.truth(name);
  const isAll = workload.shares === undefined;
  const groups = (truth?.groups ?? []).filter(({ leaderVersion }) => isAll || leaderVersion === truth?.version);
  if (groups.length === 0) return;
  universe.inject('group fails');
  for (const { index } of groups) {
    universe.hurt.get(name)?.add(index);
    universe.cluster.setPods({ namespace: NAMESPACE, name, group: index, pods: 'all' }, { kind: 'unready' });
  }
  universe.say('cluster', `${name}: no group is ready any more`);
}

function heal(universe: Universe, chance: Chance, workload: WorkloadSetup): void {
  const index = group(universe, chance, workload);
  if (index !== undefined && healGroup(universe, workload.name, index))
    universe.say('cluster', `${workload.name}: group ${index} heals`);
}

/** A group whose version works gets ready; tells whether it does. */
export function healGroup(universe: Universe, name: string, index: number): boolean {
  const truth = universe.truth(name)?.groups.find((one) => one.index === index);
  if (truth === undefined || truth.ready || truth.leaderVersion === undefined) return false;
  if (isBroken(universe.setup.seed, truth.leaderVersion, index)) return false;
  universe.cluster.setPods({ namespace: NAMESPACE, name, group: index, pods: 'all' }, { kind: 'ready' });
  return true;
}

/** People do as the hold says: delete the leader of a group that has another number of pods; tells whether there was one. */
export function deleteOdd(universe: Universe, name: string): boolean {
  const resizes = universe.setup.workloads.some((one) => one.name === name && one.resizes === true);
  const odd = universe.truth(name)?.groups.filter((one) => resizes && one.odd) ?? [];
  for (const { index } of odd) {
    universe.kill(name, index, 'leader');
  }
  return odd.length > 0;
}

function kill(universe: Universe, chance: Chance, workload: WorkloadSetup): void {
  const index = group(universe, chance, workload);
  if (index === undefined) return;
  universe.inject('leader killed');
  universe.kill(workload.name, index, 'leader');
  universe.say('cluster', `${workload.name}: the leader of group ${index} is killed`);
}

/** Every pod of one group is gone, with all that it had. */
function loseNode(universe: Universe, chance: Chance, workload: WorkloadSetup): void {
  const index = group(universe, chance, workload);
  if (index === undefined) return;
  universe.inject('node lost');
  universe.kill(workload.name, index, 'all');
  universe.say('cluster', `${workload.name}: the node of group ${index} is lost`);
}

function upgrade(universe: Universe): void {
  universe.inject('LWS controller upgraded');
  universe.cluster.upgradeController('0.10');
  universe.cluster.settle();
  universe.say('cluster', 'LWS 0.10 takes over');
}

function controllerDown(universe: Universe, chance: Chance): void {
  const up = chance.flip(0.7);
  universe.cluster.setControllerUp(up);
  if (!up) universe.inject('LWS controller down');
  universe.say('cluster', up ? 'LWS is up' : 'LWS is down');
}

/** Some of the controllers other than LWS stand still, or all go on. */
export function controllersStep(universe: Universe, chance: Chance): void {
  const stopped = chance.flip(0.5) ? [] : chance.some(['statefulSets', 'endpoints', 'routes'] as const, 0.5);
  universe.cluster.stopControllers(stopped);
  universe.cluster.settle();
  if (stopped.length > 0) universe.inject('controllers lag');
  universe.say('cluster', stopped.length > 0 ? `stands still: ${stopped.join(', ')}` : 'all controllers go on');
}

function deleteSet(universe: Universe, _chance: Chance, { name }: WorkloadSetup): void {
  universe.mixed.add(name);
  universe.inject('StatefulSet deleted');
  universe.cluster.deleteLeaderSet({ namespace: NAMESPACE, name });
  universe.say('cluster', `${name}: the leader StatefulSet is deleted`);
}

function deleteLws(universe: Universe, _chance: Chance, { name }: WorkloadSetup): void {
  universe.mixed.add(name);
  universe.inject('LWS deleted');
  universe.cluster.deleteLws({ namespace: NAMESPACE, name });
  universe.agentMisses = true;
  universe.say('cluster', `${name}: the LeaderWorkerSet is deleted`);
}

/** Time passes; while a pass is in progress as a rule only seconds. */
export function timeStep(universe: Universe, chance: Chance, idle: boolean): void {
  const short = !idle && chance.flip(0.95);
  const seconds = short
    ? chance.between(0, 2)
    : chance.weighted([
        [4, chance.between(1, 10)],
        [6, chance.between(10, 90)],
        [0.05, 3700],
      ]);
  universe.tick(seconds);
}

/** Other hands on the branches: the status branch deleted or rewound, main rewritten. */
export function branchStep(universe: Universe, chance: Chance): void {
  const { rates, repository } = { rates: universe.setup.rates, repository: universe.repository };
  if (rates['main force-pushed'] > 0 && chance.flip(rates['main force-pushed']))
    return rewrite(universe, chance, false);
  if (rates['main squashed'] > 0 && chance.flip(rates['main squashed'])) return rewrite(universe, chance, true);
  const head = repository.head(STATUS);
  if (head === undefined) return;
  if (chance.flip(rates['status deleted'] * 2)) {
    repository.setHead(STATUS, undefined);
    universe.inject('status deleted');
    universe.say('people', 'the status branch is deleted');
  } else if (chance.flip(rates['status rewound'] * 2)) {
    const line = repository.log(STATUS);
    const back = line[Math.min(line.length - 1, chance.between(1, 4))];
    if (back === undefined || back.oid === head) return;
    repository.setHead(STATUS, back.oid);
    universe.inject('status rewound');
    universe.say('people', 'the status branch is rewound');
  }
}

/** The last commits of main are taken away, or made one. What the files say stays, or is undone with them. */
function rewrite(universe: Universe, chance: Chance, squash: boolean): void {
  const { repository } = universe;
  const line = repository.log('main');
  const back = line[Math.min(line.length - 1, chance.between(1, 4))];
  const [head] = line;
  if (back === undefined || head === undefined || back.oid === head.oid) return;
  const [were, are] = [repository.files(back.oid), repository.files(head.oid)];
  const changed = Object.keys({ ...were, ...are }).filter((path) => were[path] !== are[path]);
  if (squash && changed.length === 0) return;
  repository.setHead('main', back.oid);
  const writes = changed.map((path) => ({ path, text: are[path] }));
  if (squash) repository.commit('main', { writes, message: 'squashed' });
  universe.rewritten += 1;
  for (const { name } of universe.setup.workloads) universe.mixed.add(name);
  universe.inject(squash ? 'main squashed' : 'main force-pushed');
  universe.say('people', `main is ${squash ? 'squashed onto' : 'forced back to'} ${back.oid.slice(0, 7)}`);
}
