/** The rollback where the stable version has too few groups for all requests: the version that is aborted keeps a share for those that are left. */

import { REVISION_KEY } from '../../api/lws-labels.ts';
import { type Marks, stableMark } from '../../api/marks.ts';
import { shortRelease } from '../../api/release.ts';
import { withAside } from '../../api/restore.ts';
import { budgetKept, budgetNote, peoplesBudget, withBudget, withBudgetAfter } from '../budget.ts';
import { type Draft, drafting, type WorkloadMove } from '../edits/workload-change.ts';
import { recreated } from '../gates/cluster.ts';
import { unique } from '../hold.ts';
import { LIVE } from '../ladders/condition.ts';
import { waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { primaryGroups, quorumOf } from '../ladders/delivery.ts';
import { pinsElsewhere } from '../ladders/endpoints.ts';
import { inPercent, percentIn, shareIn, sharing } from '../ladders/shares.ts';
import { serving, workloadOf } from '../ladders/traffic-view.ts';
import { isShareWithdrawn, pinned, servicesOnly, withdrawShare } from '../ladders/version-edits.ts';
import { versionMove } from '../ladders/version-move.ts';
import { hasWeight, shareLeft } from '../ladders/version-rollback.ts';
import { toldApart } from '../ladders/version-sides.ts';
import { type Decision, holding, MOVES } from '../move.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { type Aborted, abortOf, remember } from '../orders/aborted-release.ts';
import { lowest, type Seen, unavailableBudget, unreadyOf } from '../situation.ts';
import type { Stable } from '../snapshot.ts';
import { capital } from '../texts/sentences.ts';
import { awayOf, notLive, underWay } from './rollback-progress.ts';
import { stableNotServing } from './stable-lost.ts';

/** Which groups serve now, by what each Service selects. */
type Serving = { readonly stable: readonly Group[]; readonly given: readonly Group[] };

/** Groups that go back together, the highest ordinals first, and what those that stay may be sent meanwhile, in percent. */
type Batch = { readonly partition: number; readonly share: number; readonly left: number; readonly stable: number };

/**
 * The first commit: the stable template with a partition of N, so that it replaces nobody (LWS replaces no group below the
 * partition; one that is made again comes up on the stable template), and the share that suits the first batch. undefined:
 * enough groups of the stable version serve for all requests, or nothing can be kept apart: then requests go first.
 */
export function begunInBatches(
  on: Delivering,
  { given, marks }: { given: Aborted; marks: Marks },
): { readonly draft: Draft; readonly percent: number } | undefined {
  const { situation, delivery } = on;
  const { stable } = situation.snapshot;
  if (situation.view === 'unseen' || stable.kind !== 'known' || !isPaced(on, situation, given)) return undefined;
  const found = servingNow(on);
  if (found === undefined || !isShort(on, found)) return undefined;
  const batch = batchOf(situation, { away: found.given, found });
  if (batch === undefined || batch.left === 0) return undefined;
  const percent = Math.min(percentIn(delivery), batch.share);
  const { set, displaced } = budgetKept(situation);
  const { replicas } = situation;
  const fields: WorkloadMove = {
    reason: given.reason,
    label: MOVES[given.reason].label,
    marks: marksBack(marks, { given, stable: stable.value, displaced, floor: situation.partition }),
    maxUnavailable: set,
    partition: replicas === situation.partition ? undefined : replicas,
    text: stable.value,
    why: `${given.because} ${capital(servedBy(found, replicas))}: too few for all requests. ${keptText(found, percent)} Partition ${replicas} restarts nobody yet.`,
  };
  return { draft: drafting(fields, 'StepUpgrade'), percent };
}

/** It has a weight, its groups can be told from others, and nobody wants its requests away at once. */
function isPaced({ delivery, situation, marks }: Delivering, seen: Seen, given: Aborted): boolean {
  const { state, digest, snapshot } = situation;
  const isStep = state.kind === 'step' && state.row === 'partial' && (marks.restore?.floor ?? 0) > 0;
  const isOrdered = given.reason !== 'Failed' && given.newer === undefined && snapshot.lostMarks === undefined;
  const isKnown =
    digest === marks.release.digest ||
    (snapshot.stable.kind === 'known' && digest === snapshot.stable.value.release.digest);
  const isNow = abortOf(situation, given.release)?.now === true;
  return isStep && isOrdered && isKnown && !isNow && hasWeight(delivery) && recreated(seen) === undefined;
}

function isShort(on: Delivering, { stable, given }: Serving): boolean {
  return given.length > 0 && stable.length > 0 && stable.length < quorumOf(on.delivery) && !pinsElsewhere(on);
}

function marksBack(
  marks: Marks,
  of: {
    readonly given: Aborted;
    readonly stable: Stable;
    readonly displaced: ReturnType<typeof budgetKept>['displaced'];
    readonly floor: number;
  },
): Marks {
  const floor = Math.min(of.floor, marks.restore?.floor ?? of.floor);
  return {
    release: of.stable.release,
    step: { kind: 'rollback' },
    stable: stableMark(of.stable),
    restore: withAside(marks.restore, { floor, maxUnavailable: of.displaced }),
    aborted: remember(of.given, marks),
  };
}

/** undefined: one of both could not be read. */
function servingNow({ delivery, view }: Delivering): Serving | undefined {
  if (view === undefined) return undefined;
  const of = (side: 'stable' | 'canary') => {
    const workload = workloadOf(delivery, view, side);
    const versions = toldApart(delivery, side) ?? workload.versions;
    return serving(delivery, view, side, { ...workload, versions });
  };
  const [stable, given] = [of('stable'), of('canary')];
  return stable.kind === 'known' && given.kind === 'known' ? { stable: stable.value, given: given.value } : undefined;
}

/** The highest of the groups that are away, so that at most the user's maxUnavailable are down; undefined: none is away. */
function batchOf(
  seen: Seen,
  { away, found }: { readonly away: readonly Group[]; readonly found: Serving },
): Batch | undefined {
  const down = unreadyOf(wanted(seen.observed, seen.asked)).length;
  const size = Math.max(1, unavailableBudget(peoplesBudget(seen), seen.asked) - down);
  const highest = [...away].sort((one, other) => other.index - one.index).slice(0, size);
  const partition = lowest(highest);
  if (partition === undefined) return undefined;
  const left = found.given.filter(({ index }) => index < partition).length;
  const stable = found.stable.length;
  return { partition, left, stable, share: shareLeft({ left, stable }) };
}

/** `of 4 groups 2 serve on the stable version and 2 on the one that is aborted`. */
function servedBy({ stable, given }: Serving, replicas: number): string {
  const [one, other] = [stable.length, given.length];
  return `of ${replicas} groups ${one} ${one === 1 ? 'serves' : 'serve'} on the stable version and ${other} on the one that is aborted`;
}

function keptText({ given }: Serving, percent: number): string {
  return `${capital(nameGroups(given.map(({ index }) => index)))} ${given.length === 1 ? 'keeps' : 'keep'} ${inPercent(percent)} % and ${given.length === 1 ? 'goes' : 'go'} back a batch at a time.`;
}

/** How the groups that are left go back: at once, or once no request reaches them. */
type Rest = { readonly atOnce: () => Decision; readonly drained: () => Decision };

/**
 * The rung `back`. First match: nothing of the version that is aborted serves, or nobody wants to wait for it: the rest at
 * once; not live; a batch in progress; the share that suits the next one; the batch; at last what enough groups serve without.
 */
export function nextBatch(on: Delivering, { atOnce, drained }: Rest): Decision {
  const { situation, marks, delivery } = on;
  const [release] = marks.aborted;
  const isNow = release !== undefined && abortOf(situation, release)?.now === true;
  const found = servingNow(on);
  // Without what was aborted nothing tells whose requests are left.
  if (isNow || release === undefined || found?.given.length === 0) {
    // Its share goes first: an agent may apply the groups alone.
    if (!isShareWithdrawn(delivery)) return lessShare(on, { found, percent: 0 });
    const unread = isNow ? [] : unique(waiting(on, [LIVE, { kind: 'accepted' }]));
    return unread.length > 0 ? holding(unread, 'StepUpgrade') : atOnce();
  }
  if (situation.view === 'unseen') return holding([situation.hold], 'StepUpgrade');
  const turned = pinnedAgain(on, situation);
  if (turned !== undefined) return turned;
  const unsure = notLive(situation);
  if (unsure !== undefined) return holding([unsure], 'StepUpgrade');
  const { partition, asked } = situation;
  const groups = wanted(situation.observed, asked);
  const served = found === undefined ? {} : { served: servedBy(found, situation.replicas) };
  const coming = underWay(situation, marks, { groups: groups.filter(({ index }) => index >= partition), ...served });
  if (coming !== undefined) return coming;
  const holds = unique(waiting(on, [LIVE, { kind: 'accepted' }, { kind: 'complete' }]));
  if (holds.length > 0 || found === undefined) return holding(holds, 'StepUpgrade');
  if (found.stable.length === 0)
    return holding(
      [stableNotServing(on)].filter((one) => one !== undefined),
      'StepUpgrade',
    );
  const away = awayOf(situation, groups).filter(({ index }) => index < partition);
  const batch = batchOf(situation, { away, found });
  // What no file has may send a share that nobody can lower: then the Service of the aborted version takes in all leaders.
  const isLost = delivery.missing.length > 0;
  const isEnough = isLost || batch === undefined || batch.left === 0 || found.stable.length >= quorumOf(delivery);
  if (isEnough) return isShareWithdrawn(delivery) ? drained() : lessShare(on, { found, percent: 0 });
  if (percentIn(delivery) > batch.share) return lessShare(on, { found, percent: batch.share });
  return batchGoes(on, situation, { batch, away });
}

type Less = { readonly found: Serving | undefined; readonly percent: number };

/** Before its groups go, so that those that stay are not sent what the others were. */
function lessShare(on: Delivering, { found, percent }: Less): Decision {
  const { delivery, situation, marks } = on;
  const [release = marks.release] = marks.aborted;
  const to = percent === 0 ? '–' : `${inPercent(percent)}%`;
  const served = found === undefined ? '' : `, and ${servedBy(found, primaryGroups(delivery))}`;
  const rest =
    percent === 0 || found === undefined ? 'All requests go to the stable version.' : keptText(found, percent);
  const fields: WorkloadMove = {
    reason: 'RouteRestored',
    label: `rollback, traffic: ${shareIn(delivery)} → ${to}`,
    ...withBudget(marks, budgetKept(situation)),
    why: `Release ${shortRelease(release)} is aborted${served}. ${rest}`,
  };
  const commit = percent === 0 ? withdrawShare(delivery) : sharing(delivery, { kind: 'weight', percent });
  return versionMove(on, drafting(fields, 'StepTrafficRouting'), { at: 'back', commit });
}

/** A hand has turned the user's Service to groups that go back: it takes in those of the stable version alone again. */
function pinnedAgain(on: Delivering, seen: Seen): Decision | undefined {
  const { delivery, marks } = on;
  const { stableKey } = seen.observed;
  if (stableKey === undefined || !pinsElsewhere(on)) return undefined;
  const objects = pinned(delivery, { key: REVISION_KEY, value: stableKey });
  if (objects.length === 0) return undefined;
  const fields: WorkloadMove = {
    reason: 'RouteRestored',
    label: 'rollback, selector',
    ...withBudget(marks, budgetKept(seen)),
    why: `The selector of Service ${delivery.service?.object.name ?? ''} was edited, and took in groups that go back: it takes in those of the stable version alone.`,
  };
  return versionMove(on, drafting(fields, 'StepUpgrade'), { at: 'back', commit: servicesOnly(delivery, objects) });
}

function batchGoes(
  on: Delivering,
  seen: Seen,
  { batch, away }: { readonly batch: Batch; readonly away: readonly Group[] },
): Decision {
  const { marks, delivery } = on;
  const going = away.filter(({ index }) => index >= batch.partition).map(({ index }) => index);
  const floor = marks.restore?.floor ?? batch.partition;
  const fields: WorkloadMove = {
    reason: 'RollbackWidened',
    label: MOVES.RollbackWidened.label,
    ...withBudgetAfter(seen, { marks, floor }),
    partition: batch.partition,
    why: `${capital(nameGroups(going))} ${going.length === 1 ? 'restarts' : 'restart'} on the stable version, where ${batch.stable} ${batch.stable === 1 ? 'group serves' : 'groups serve'}; ${shareIn(delivery)} of the requests stay with ${batch.left === 1 ? 'the one that is left' : `the ${batch.left} that are left`}.${budgetNote(seen)}`,
  };
  return versionMove(on, drafting(fields, 'StepUpgrade'), { at: 'back', commit: servicesOnly(delivery, []) });
}
