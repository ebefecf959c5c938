/** Conditions of the two workloads: their edits are live, their groups are ready and serve, their StatefulSets flipped. */

import { absent } from '../../api/known.ts';
import { inShort } from '../../api/release.ts';
import { releaseContent } from '../../api/release-content.ts';
import { printInstant } from '../../api/time.ts';
import { SENTINEL } from '../../api/workload.ts';
import { APPLY_DEADLINE_SECONDS, waitingOnObservation } from '../applied.ts';
import { type Hold, hold, type Next, withFacts } from '../hold.ts';
import { batchReady } from '../observed/batches.ts';
import type { Group } from '../observed/groups.ts';
import { flipped, unreadyOf } from '../situation.ts';
import { advice, commandLine, partitionSet } from '../texts/advice.ts';
import { seeWhy } from '../texts/kubectl-text.ts';
import { countsOf, groupCount, groupsAre, nameFirst, notReady, ofGroupsAre } from '../texts/sentences.ts';
import type { Side } from './condition.ts';
import { canarySide, type Delivery, isUncovered, partitionIn, primaryGroups, replicasOf } from './delivery.ts';
import { differences, type LiveDifference } from './differences.ts';
import { notReached } from './endpoints.ts';
import { fillsBack, isRollback } from './position.ts';
import {
  groupsOn,
  type RememberedView,
  type SideGroups,
  type SideWorkload,
  serving,
  type TrafficView,
  workloadOf,
} from './traffic-view.ts';

/** The hold of what could not be read. */
export function unread(why: string): Hold {
  return hold('ClusterUnreadable', { seen: why, waits: 'reading' });
}

/** What of the files is not live yet, or not observed: the user's own workload first. */
export function unlive(delivery: Delivery, view: RememberedView): Hold | undefined {
  if (view.notApplied !== undefined) return view.notApplied;
  const found = differences(delivery, view);
  if (found.kind !== 'known') return unread(found.kind === 'unknown' ? found.why : 'the cluster was not read');
  const [first] = found.value;
  return first === undefined ? unobserved(delivery, view) : unapplied(first, view);
}

/** The hold of one field that is not live yet. */
export function unapplied({ object, field, git, live }: LiveDifference, view: RememberedView): Hold {
  const what = field === '' ? '' : `${field} of `;
  const seen = `${what}${object.kind} ${object.name} is ${inShort(live)} in the cluster, Git says ${inShort(git)}`;
  const since = view.memory().notAppliedSince ?? view.now;
  if (view.now - since < APPLY_DEADLINE_SECONDS)
    return hold('NotApplied', {
      seen,
      action: 'Waiting for the GitOps agent to apply it; if that takes long, look at its sync errors',
    });
  return hold('AgentNotApplying', {
    seen: `${seen}: so since ${printInstant(since)} at the latest, and the GitOps agent has not changed it`,
    action:
      'Look at its sync errors, and whether it applies all documents of the file and ignores none of these fields',
  });
}

/** LWS has not made the StatefulSet of a workload yet: that is no failure to read it. */
function notMade({ name, live }: Pick<SideWorkload, 'name' | 'live'>): Hold | undefined {
  if (live.lws.kind !== 'known' || live.leaderSet.kind !== 'absent') return undefined;
  return hold('NotObserved', {
    seen: `LWS has not made the leader StatefulSet of ${name} yet`,
    waits: 'controllers',
  });
}

/** LWS has not taken up the other workload yet. */
function unobserved({ second }: Delivery, { traffic, record, blobs, now, unsigned }: TrafficView): Hold | undefined {
  if (second === undefined || traffic.second.lws.kind !== 'known') return undefined;
  const unmade = notMade({ name: second.object.name, live: traffic.second });
  if (unmade !== undefined) return unmade;
  const { appliedSince } = record?.traffic ?? {};
  const observing = {
    blobs,
    now,
    ...(unsigned === undefined ? {} : { unsigned }),
    live: traffic.second,
    stable: absent,
    record: record === undefined ? undefined : { blobs: record.blobs, appliedSince },
  };
  const file = { file: second.file, workload: { content: releaseContent(second.value) } };
  return waitingOnObservation(observing, file, traffic.second.lws.value);
}

/** The groups of a side, or the hold of why they are not seen. */
function groupsOf(workload: SideWorkload): { readonly seen: SideGroups } | { readonly held: Hold } {
  const found = groupsOn(workload);
  if (found.kind === 'known') return { seen: found.value };
  if (found.kind === 'unknown') return { held: notMade(workload) ?? unread(found.why) };
  const seen = `LeaderWorkerSet ${workload.name} is not in the cluster`;
  return { held: hold('WorkloadAbsent', { seen, action: 'Look whether the GitOps agent applies its document' }) };
}

type Few = { readonly side: Side; readonly groups: number };

/** How many groups of a side serve. */
export function unserving({ side, groups }: Few, delivery: Delivery, view: TrafficView): Hold | undefined {
  const found = serving(delivery, view, side);
  if (found.kind === 'unknown') return notMade(workloadOf(delivery, view, side)) ?? unread(found.why);
  const count = found.kind === 'known' ? found.value.length : 0;
  if (count >= groups) return undefined;
  const { name } = workloadOf(delivery, view, side);
  if (side === 'canary' && isTooSmall(delivery, groups))
    return hold('PrimaryNotCovered', {
      seen: `all groups of ${workloadOf(delivery, view, 'stable').name} may be down at once, and ${groupCount(groups)} of ${name} must serve meanwhile: Git asks for ${replicasOf(canarySide(delivery))}`,
      action: 'Let the last step be replicas: 100%, or let fewer groups be down (maxUnavailable)',
    });
  const wanted = `${groups} must be ready, with their leaders among the ready endpoints of their Service`;
  const mend = side === 'stable' ? notReached(delivery, view) : undefined;
  return hold('NotServing', {
    seen: `${groupCount(count)} of ${name} ${count === 1 ? 'serves' : 'serve'}, ${wanted}`,
    ...(mend === undefined ? nextOf(side, groups, delivery, view) : { action: mend }),
  });
}

/** Groups that load are waited for; those that are ready and get no requests are not among the endpoints of their Service. */
function nextOf(side: Side, groups: number, delivery: Delivery, view: TrafficView): Next {
  const found = groupsOf(workloadOf(delivery, view, side));
  const ready = 'held' in found ? 0 : found.seen.groups.filter((group) => group.ready).length;
  // Of the new version, and of a side at no groups, the hold next to this one names what helps; a rollback refuses the order.
  const isSaid = side === 'canary' || primaryGroups(delivery) === 0 || isRollback(delivery);
  if (ready < groups && isSaid) return { waits: 'groups' };
  if (ready < groups)
    return { action: advice`Look at its pods and events. If it stays so: ${commandLine('abort', view.key)}` };
  return {
    action: `They are ready, so look at the selector of their Service, and at its endpoints: kubectl get endpointslices -n ${view.key.namespace}`,
  };
}

/** The primary needs a canary that carries all of it, and the canary does not grow any more: scaled, or of a plan that has no such step. */
function isTooSmall(delivery: Delivery, groups: number): boolean {
  return isUncovered(delivery) && groups === primaryGroups(delivery) && replicasOf(canarySide(delivery)) < groups;
}

/** The same of the stable side, and one of them not on what is requested: that nobody has approved yet. */
export function unservingStable(groups: number, delivery: Delivery, view: TrafficView): Hold | undefined {
  const few = unserving({ side: 'stable', groups }, delivery, view);
  if (few !== undefined) return few;
  const taken = primaryReplaced(delivery, view);
  if (taken === undefined) return undefined;
  const held = hold('PrimaryReplaced', {
    seen: `every group of ${workloadOf(delivery, view, 'stable').name} that serves is on the requested template: requests for the stable version would reach it before step 1`,
    action: advice`Put the stable template back. To accept these groups: ${commandLine('approve', view.key, '--hold PrimaryReplaced')}`,
  });
  return withFacts(held, { groups: taken.map(({ index }) => index) });
}

/** The groups of the user's own workload that serve, where all of them are on what is requested; undefined: one is not. */
export function primaryReplaced(delivery: Delivery, view: TrafficView): readonly Group[] | undefined {
  const workload = workloadOf(delivery, view, 'stable');
  const found = serving(delivery, view, 'stable');
  // The workload that we made has no request of its own: all its groups are on what was delivered.
  if (!workload.isOwn || found.kind !== 'known' || found.value.length === 0) return undefined;
  return found.value.some(({ version }) => version !== 'release') ? undefined : found.value;
}

type Wanted = {
  readonly side: Side;
  /** undefined: all that there are to be. */
  readonly groups: number | undefined;
  /** A step may do without those that failureThreshold lets fail; who takes over, or goes back, may not. */
  readonly tolerant?: true;
};

/** How many groups of a side are on the template of its document, and ready. */
export function unready({ side, groups, tolerant }: Wanted, delivery: Delivery, view: TrafficView): Hold | undefined {
  const workload = workloadOf(delivery, view, side);
  const found = groupsOf(workload);
  if ('held' in found) return found.held;
  const { lws, groups: all } = found.seen;
  const desired = groups ?? lws.replicas;
  const updated = all.filter(({ version }) => version === 'release');
  const ready = updated.filter((group) => group.ready);
  const failureThreshold = tolerant === true ? view.rollout?.rollout.failureThreshold : undefined;
  const counts = { desired, updated: updated.length, updatedReady: ready.length, failureThreshold };
  if (batchReady(counts)) return undefined;
  const [{ name }, others] = [workload, unreadyOf(updated)];
  if (updated.length < desired) {
    const old = all.filter(({ version }) => version !== 'release').map(({ index }) => index);
    const rest = old.length === 0 ? '' : `: ${groupsAre(old)} on another, or not there yet`;
    const seen = `${ofGroupsAre(updated.length, desired)} on the template of ${name} in Git${rest}`;
    return hold('GroupsNotUpdated', { seen, waits: 'groups' });
  }
  return hold('GroupsNotReady', {
    seen: `${ofGroupsAre(ready.length, desired)} ready in ${name}: ${notReady(others)}`,
    ...unreadyNext(delivery, seeWhy(view.key, others), view),
  });
}

/** Groups of a rollback are waited for, and nobody has another way; those of a colour that is filled may be left for a newer template. */
function unreadyNext(delivery: Delivery, why: string, { key }: TrafficView): Next {
  if (fillsBack(delivery))
    return { action: advice`${why}If it stays so, another template in the file is taken from step 1` };
  return isRollback(delivery)
    ? { waits: 'groups' }
    : { action: advice`${why}If it stays so: ${commandLine('abort', key)}` };
}

/** The StatefulSet of a side has its template as current and as update revision: it grows, and is made again, on that. */
export function unflipped(side: Side, delivery: Delivery, view: TrafficView): Hold | undefined {
  const workload = workloadOf(delivery, view, side);
  const found = groupsOf(workload);
  if ('held' in found) return found.held;
  const { leaderSet, groups } = found.seen;
  if (flipped(leaderSet)) return undefined;
  const seen = `StatefulSet ${workload.name} has ${leaderSet.currentRevision} as its current revision, and ${leaderSet.updateRevision} as the one to update to`;
  const { document } = workload;
  const isLocked = side === 'stable' && document !== undefined && partitionIn(document) === SENTINEL;
  // Locked, it never flips to a newer template, which waits for this delivery to end and replaces every group then.
  if (isLocked && view.queued === true) return undefined;
  return isLocked && groups.some(({ version }) => version !== 'release')
    ? hold('StatefulSetNotFlipped', {
        seen: `${seen}; partition ${SENTINEL} keeps groups on the stable version`,
        action: advice`Put ${partitionSet('partition 0', document, 0)} back into ${document.file}; to go back: ${commandLine('abort', view.key)}`,
      })
    : hold('StatefulSetNotFlipped', { seen, waits: 'controllers' });
}

/** Nothing is left of the groups of the side that is filled: neither leaders, nor StatefulSets of workers, nor workers. */
export function podsLeft(delivery: Delivery, view: TrafficView): Hold | undefined {
  const { name, live } = workloadOf(delivery, view, 'canary');
  const { leaders, workerSets, workerPods } = live;
  for (const part of [leaders, workerSets, workerPods]) if (part?.kind === 'unknown') return unread(part.why);
  const counts = [leaders, workerSets, workerPods].map((part) => (part?.kind === 'known' ? part.value.length : 0));
  const [leading = 0, sets = 0, working = 0] = counts;
  if (leading + sets + working === 0) return undefined;
  return hold('CanaryNotEmpty', {
    seen: `${nameFirst(name)} still has ${countsOf({ 'leader pod': leading, 'worker pod': working, StatefulSet: sets })}: it gets another template once they are gone`,
    waits: 'controllers',
  });
}
