/** What is not our doing: groups that the cluster has harmed, versions that never work, hands that were at the objects. */

import { isOurs, lastWritten } from './our-commit.ts';
import { requestSecondsOf, secondName, serviceFile } from './routed-files.ts';
import type { Scene } from './scene.ts';
import type { WorkloadSetup } from './setup.ts';
import type { Truth } from './truth.ts';
import type { Universe } from './universe.ts';
import { isBroken } from './versions.ts';

export type Excuses = {
  /** Services that have had a ready endpoint. */
  readonly begun: Set<string>;
  /** Groups that were harmed, by workload, until they are seen ready. */
  readonly harmed: Map<string, Set<number>>;
  readonly forgive: (scene: Scene, before: Scene | undefined) => void;
  /** Whether it is no fault of ours that a Service reaches nobody. */
  readonly isExcused: (service: string, scene: Scene) => boolean;
  /** Other hands have rewritten main: what is live may be older than what Git has. */
  readonly rewritten: () => boolean;
  /** A clock was wrong: what was waited for by it was shorter. */
  readonly clocksDiffer: () => boolean;
};

/** Kruise's, and Kubernetes' grace of pods that do not say; where nothing ends a request, it is given this long. */
const GRACE_SECONDS = 3;
const DRAIN_LEAST_SECONDS = 60;
const ENDLESS_SECONDS = 600;

/** How long gateways may take to follow a route. */
export function graceOf({ fills, shares }: WorkloadSetup): number {
  return (fills ?? shares)?.graceSeconds ?? GRACE_SECONDS;
}

/** How long the last requests of a side may take. */
export function drainOf(workload: WorkloadSetup): number {
  return Math.max(requestSecondsOf(workload) ?? ENDLESS_SECONDS, DRAIN_LEAST_SECONDS);
}

export function excusesOf(universe: Universe, workload: WorkloadSetup, from: Excuses | undefined): Excuses {
  const second = secondName(workload) ?? '';
  const harmed = new Map(
    [workload.name, second].map((name) => [
      name,
      new Set([...(from?.harmed.get(name) ?? []), ...(universe.hurt.get(name) ?? [])]),
    ]),
  );
  const begun = new Set(from?.begun);
  const forgiveSide = (name: string, truth: Truth | undefined, before: Truth | undefined): void => {
    const set = harmed.get(name)!;
    for (const index of universe.hurt.get(name) ?? []) set.add(index);
    if (name === second) universe.hurt.get(name)?.clear();
    const fresh = before !== undefined && (truth?.uid !== before.uid || truth.setUid !== before.setUid);
    const rolls = before !== undefined && before.version !== truth?.version && before.partition < LOCKED;
    if (fresh || (rolls && truth !== undefined && truth.replicas > 0)) set.add(ALL);
    for (const { index, ready } of truth?.groups ?? []) if (ready) set.delete(index);
    const isWhole = truth !== undefined && truth.groups.filter((group) => group.ready).length >= truth.replicas;
    if (isWhole) set.clear();
  };
  const isSick = (name: string, truth: Truth | undefined): boolean => {
    if (truth === undefined || (harmed.get(name)?.size ?? 0) > 0 || universe.emptied.has(name)) return true;
    if (universe.mixed.has(name) && truth.replicas <= truth.maxUnavailable) return true;
    // LWS before 0.9 looks at leaders only (trace 29b), and so goes on while workers still load.
    if (universe.cluster.modes().lws === '0.8' && workload.size > 1) return true;
    return truth.groups.some(
      ({ index, leaderVersion }) => leaderVersion !== undefined && isBroken(universe.setup.seed, leaderVersion, index),
    );
  };
  const rewritten = (): boolean => universe.rewritten > 0;
  return {
    begun,
    harmed,
    forgive: (scene, before) => {
      forgiveSide(workload.name, scene.own, before?.own);
      forgiveSide(second, scene.second, before?.second);
    },
    isExcused: (service, scene) => {
      const selects = scene.services.get(service)?.selects;
      if (!begun.has(service) && service === `${workload.name}-svc`) return true;
      if (rewritten()) return true;
      // Not taken over yet: what people edit restarts all that LWS may take at once.
      if (lastWritten(universe, { name: workload.name, upTo: 'main' }) === undefined) return true;
      // A hand has taken it out, and the agent with it; so has one that reverts the commit which made it.
      const isGone = !scene.services.has(service);
      if (isGone && (workload.fills ?? workload.shares)?.hands === true) return true;
      if (isGone && isTakenOutByHand(universe, { name: workload.name, service })) return true;
      if (selects === undefined) return false;
      const truth = selects === workload.name ? scene.own : scene.second;
      // Groups are ready, and nobody tells of them yet.
      const isLate =
        universe.cluster.loop.standsStill('endpoints') && truth?.groups.some(({ ready }) => ready) === true;
      return isLate || isSick(selects, truth);
    },
    rewritten,
    clocksDiffer: () => {
      const { injected } = universe;
      // A copy of a world has faults of its own, and what was waited for before.
      return CLOCKS.some((kind) => injected[kind] > 0) || from?.clocksDiffer() === true;
    },
  };
}

/** Whether the last commit of main that took this Service out of its file is none of ours. */
export function isTakenOutByHand(
  universe: Pick<Universe, 'repository'>,
  { name, service }: { readonly name: string; readonly service: string },
): boolean {
  const { repository } = universe;
  const line = repository.log('main');
  const had = line.findIndex(({ oid }) => repository.text(oid, serviceFile(name))?.includes(`name: ${service}\n`));
  const taking = had < 1 ? undefined : line[had - 1];
  return taking !== undefined && !isOurs(universe, taking.oid);
}

/** Faults after which what a process has waited for was shorter than it looked. */
export const CLOCKS = ['clock jump', 'clock back', 'clock years off', 'clock ahead once', 'clock behind once'] as const;
const LOCKED = 1_000_000;
/** Stands for every group of a workload. */
const ALL = -1;
