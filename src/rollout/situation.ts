/** The facts of a snapshot that every rule asks for, worked out once. No rule of its own. */

import { floorOf, type IntOrPercent } from '../api/int-or-percent.ts';
import type { LiveLws, LiveStatefulSet } from '../api/live.ts';
import type { Marks } from '../api/marks.ts';
import type { Contest } from '../api/record.ts';
import { type Release, serialAfter } from '../api/release.ts';
import type { RolloutStep } from '../api/rollout-steps.ts';
import { DEFAULT_MAX_UNAVAILABLE, type Workload } from '../api/workload.ts';
import { contestOf, waitingOnApply } from './applied.ts';
import { type Hold, hold } from './hold.ts';
import type { DeliveryFound } from './ladders/traffic-view.ts';
import { type Group, groupsOf } from './observed/groups.ts';
import { keyOf } from './observed/revisions.ts';
import { surgeInGit } from './observed/surge.ts';
import type { Snapshot, Stable, WorkloadFile } from './snapshot.ts';
import { type State, stateOf } from './state.ts';

/** What the cluster shows, when all of it could be read. */
export type Observed = {
  readonly lws: LiveLws;
  readonly leaderSet: LiveStatefulSet;
  readonly groups: readonly Group[];
  /** The revision that holds the stable template, where there still is one. */
  readonly stableKey: string | undefined;
  /** The revision that holds Git's text, once LWS has taken it up. */
  readonly releaseKey: string | undefined;
};

/** What Git, the record and the policies say, whether or not the groups are seen. */
type Facts = {
  readonly snapshot: Snapshot;
  readonly file: WorkloadFile;
  readonly workload: Workload;
  readonly marks: Marks | undefined;
  /** The row that the manifest is in. */
  readonly state: State;
  /** F: the digest of the file as it is. */
  readonly digest: string;
  /** P as Git has it; LWS reads a missing one as 0. */
  readonly partition: number;
  readonly maxUnavailable: IntOrPercent;
  readonly steps: readonly RolloutStep[];
  /** Why Git's fields are not known to be live; undefined: they are. */
  readonly notApplied: Hold | undefined;
  /** Who else writes the fields of this file; undefined: nobody, as far as was seen. */
  readonly contest: Contest | undefined;
  /** Filled by `ladders/delivering.ts`, which every rule asks: it lasts as long as this decision. */
  readonly deliveries: DeliveryFound[];
};

/** Everything was read: the groups, and how many of them there are to be. */
export type Seen = Facts & {
  readonly view: 'seen';
  readonly observed: Observed;
  /** N: the groups that people want, without the extra ones of a surge. Steps, partitions and the rollback count these. */
  readonly replicas: number;
  /** N and the extra groups: this many has LWS to run just now. Readiness and the budget count these. */
  readonly asked: number;
};

/** Something was not read: no step goes forward. */
export type Unseen = Facts & {
  readonly view: 'unseen';
  /** What is waited for. */
  readonly hold: Hold;
  /** The objects, where only the number of groups is not known. */
  readonly observed: Observed | undefined;
  /** Both are known from Git alone where no autoscaler owns them. */
  readonly replicas: number | undefined;
  readonly asked: number | undefined;
};

export type Situation = Seen | Unseen;

/** Works out the facts; pure. `file` is the workload of the snapshot. */
export function situationOf(snapshot: Snapshot, file: WorkloadFile): Situation {
  const { workload } = file;
  const asked = askedReplicas(snapshot, workload);
  const notApplied = waitingOnApply(snapshot, file);
  const marks = snapshot.lostMarks ?? workload.marks;
  const partition = workload.partition ?? 0;
  const facts: Facts = {
    snapshot,
    file,
    workload,
    marks,
    state: stateOf({ marks, digest: file.digest, partition }),
    digest: file.digest,
    partition,
    maxUnavailable: workload.maxUnavailable ?? DEFAULT_MAX_UNAVAILABLE,
    steps: snapshot.rollout?.rollout.steps ?? [],
    notApplied,
    contest: contestOf(snapshot, file),
    deliveries: [],
  };
  const observed = observe(snapshot, workload, asked, notApplied === undefined);
  const replicas = asked === undefined ? undefined : asked - surgeOf(workload, asked);
  if (observed !== undefined && replicas !== undefined && asked !== undefined)
    return { ...facts, view: 'seen', observed, replicas, asked };
  const uncounted = asked === undefined ? scalerUnreadable(snapshot) : groupsUnread();
  return { ...facts, view: 'unseen', hold: notApplied ?? uncounted, observed, replicas, asked };
}

/** Asks only where the groups are seen: else there is nothing to find, and the hold of what is unseen says why. */
export function whenSeen<T>(ask: (seen: Seen) => T | undefined): (situation: Situation) => T | undefined {
  return (situation) => (situation.view === 'seen' ? ask(situation) : undefined);
}

/** N decides how many groups a step means; without it nothing is written. */
export function scalerUnreadable({ live: { scaler } }: Pick<Snapshot, 'live'>): Hold {
  const why = scaler.kind === 'unknown' ? scaler.why : 'an autoscaler owns it and the cluster cannot be read';
  return hold('ScalerUnreadable', { seen: `the number of groups is not known: ${why}`, waits: 'reading' });
}

/** The groups are not seen, whatever the reason. */
export function groupsUnread(): Hold {
  return hold('ClusterUnreadable', { seen: 'the groups could not be read', waits: 'reading' });
}

function askedReplicas(snapshot: Snapshot, workload: Workload): number | undefined {
  const { scaler, isScalerInFileAlone, lws } = snapshot.live;
  if (scaler.kind === 'absent' || isScalerInFileAlone === true) return workload.replicas;
  if (lws.kind !== 'known') return undefined;
  // With the scalers unread, a live value that equals Git's is the same answer either way.
  return scaler.kind === 'known' || workload.replicas === lws.value.replicas ? lws.value.replicas : undefined;
}

/** The extra groups, where the number that LWS has is still the one that our commit set: else it is somebody's own. */
function surgeOf(workload: Workload, asked: number): number {
  const surge = surgeInGit(workload);
  return surge === undefined || surge.set !== asked ? 0 : surge.set - surge.was;
}

function observe(
  snapshot: Snapshot,
  workload: Workload,
  asked: number | undefined,
  applied: boolean,
): Observed | undefined {
  const { lws, leaderSet, leaders, workerSets, revisions } = snapshot.live;
  if (lws.kind !== 'known' || leaderSet.kind !== 'known' || leaders.kind !== 'known') return undefined;
  if (workerSets.kind !== 'known' || revisions.kind !== 'known') return undefined;
  const stable = snapshot.stable.kind === 'known' ? snapshot.stable.value : undefined;
  const key = leaderSet.value.revisionKey;
  const known = revisions.value;
  // What is applied is on the leader StatefulSet: that was looked at.
  const releaseKey = applied ? key : undefined;
  const inUse = leaders.value.map((leader) => leader.revisionKey);
  const stableKey = stable === undefined ? undefined : stableKeyOf(stable);
  const groups = groupsOf(asked ?? lws.value.replicas, {
    leaders: leaders.value,
    workerSets: workerSets.value,
    workerPods: snapshot.live.workerPods?.kind === 'known' ? snapshot.live.workerPods.value : [],
    size: lws.value.size,
    keys: { release: releaseKey, stable: stableKey },
  });
  return { lws: lws.value, leaderSet: leaderSet.value, groups, stableKey, releaseKey };

  function stableKeyOf(one: Stable): string | undefined {
    // Of what is rendered elsewhere no file has the template.
    return one.rendered === undefined ? keyOf(one, workload.content, known, inUse) : one.rendered.revision;
  }
}

/** U in groups: LWS rounds a percentage down. */
export function unavailableBudget(value: IntOrPercent, replicas: number): number {
  return floorOf(value, replicas);
}

/**
 * The serial of the next release: one more than any that the workload remembers. Who takes the commit of step 1 back by
 * hand, and does not abort, takes the memory of that release back as well: the same template is asked for under the same
 * serial, and an approval of its step 1 that the Rollout still has counts again. The record knows better and is not
 * asked, because the next commit must be the same without it.
 */
export function nextRelease(digest: string, marks: Pick<Marks, 'release' | 'aborted'> | undefined): Release {
  return { digest, serial: serialAfter(highestSerial(marks)) };
}

/** The release whose step is next: that of the marks, or the one that the template in the file is going to be. */
export function releaseToCome({ state, digest, marks }: Pick<Facts, 'state' | 'digest' | 'marks'>): Release {
  const begun = state.kind === 'step' && state.marks.release.digest === digest;
  return begun ? state.marks.release : nextRelease(digest, marks);
}

/** The highest serial that the workload remembers: of the newest release that was ever started, or aborted. */
export function highestSerial(marks: Pick<Marks, 'release' | 'aborted'> | undefined): number {
  const serials = marks === undefined ? [] : [marks.release.serial, ...marks.aborted.map((release) => release.serial)];
  return Math.max(0, ...serials);
}

/** The groups that do not serve. */
export function unreadyOf(groups: readonly Group[]): readonly Group[] {
  return groups.filter((group) => !group.ready);
}

/** Those of them that spend LWS's budget: one without the workers that its template wants counts as ready (trace 17). */
export function spendingOf(groups: readonly Group[]): readonly Group[] {
  return unreadyOf(groups).filter((group) => group.sizeFault === undefined);
}

/** The lowest ordinal among them, or undefined for none. */
export function lowest(groups: readonly Group[]): number | undefined {
  return groups.length === 0 ? undefined : Math.min(...groups.map((group) => group.index));
}

/** The StatefulSet has taken every leader over: recreated groups come up on the update revision whatever the partition. */
export function flipped(leaderSet: LiveStatefulSet): boolean {
  return leaderSet.observedGeneration >= leaderSet.generation && leaderSet.currentRevision === leaderSet.updateRevision;
}
