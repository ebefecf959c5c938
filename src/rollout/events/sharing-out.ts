/** Commits that share out requests between two versions of one workload: the template's, and each rung of a step. */

import { REVISION_KEY } from '../../api/lws-labels.ts';
import { type Marks, printStep, type RungMark } from '../../api/marks.ts';
import { printRelease, type Release, shortDigest, shortRelease } from '../../api/release.ts';
import { putAside } from '../../api/restore.ts';
import { VERSION, versionIn } from '../../api/version-label.ts';
import { SENTINEL } from '../../api/workload.ts';
import { withBudgetAfter } from '../budget.ts';
import { drafting, type WorkloadMove } from '../edits/workload-change.ts';
import { type Hold, hold } from '../hold.ts';
import type { Commit, Made } from '../ladders/commit.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import type { Delivery, Pin } from '../ladders/delivery.ts';
import { madeBy, type NextCommit, stepEntered } from '../ladders/next-commit.ts';
import { unwritable } from '../ladders/rung-move.ts';
import { NO_SHARE, shareIn, shareOf } from '../ladders/shares.ts';
import { isLabelled, restoreAll } from '../ladders/version-edits.ts';
import { type VersionRung, versionMove } from '../ladders/version-move.ts';
import { wantedOf } from '../ladders/version-step.ts';
import { type Decision, holding, type MoveReason } from '../move.ts';
import type { Group } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import type { Seen } from '../situation.ts';
import { describeStep } from '../steps.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { capital, groupsAre } from '../texts/sentences.ts';
import { firstStep } from './first-step.ts';

/** The label that all groups of the stable version carry and no others, or why there is none. */
export function pinOf({ delivery }: Delivering, seen: Seen): Pin | Hold {
  const { observed, asked, snapshot, file, partition } = seen;
  const { stableKey, releaseKey } = observed;
  const groups = wanted(observed, asked);
  if (stableKey === undefined)
    return hold('StableUnavailable', {
      seen: `${file.file}: no revision in the cluster has the stable template, so a route cannot tell its groups from others${strangers(groups)}`,
      action: advice`To withdraw the release: ${commandLine('abort', snapshot.key)}; to deliver it with no share of the requests, take trafficRoutings out of the Rollout`,
    });
  const others = groups.filter(
    ({ key, leader }) => key === undefined || (leader.key !== stableKey && leader.key !== releaseKey),
  );
  if (others.length > 0)
    return hold('MixedRevisions', {
      seen: `${groupsAre(others.map(({ index }) => index))} on a third version: a route can share requests between two versions alone`,
      waits: 'groups',
    });
  const { leaders } = snapshot.live;
  const uids = groups.filter(({ leader }) => leader.key === stableKey).map(({ uid }) => uid);
  const labels = leaders.kind === 'known' ? leaders.value.filter(({ uid }) => uids.includes(uid)) : [];
  const [label] = labels.map(({ version }) => version);
  const isShared = label !== undefined && labels.every(({ version }) => version === label);
  // Where no group is updated, the label in the file is that of the stable version, and goes with this commit.
  const isBefore = partition === SENTINEL && groupsOnTemplate(seen).length === 0;
  const comes = isBefore ? undefined : versionIn(delivery.own.value);
  const isOld = label !== printRelease(delivery.release) && label !== comes;
  return isShared && isOld ? { key: VERSION, value: label } : { key: REVISION_KEY, value: stableKey };
}

/** Groups on a template that no delivery has given them: somebody lowered the partition. */
function strangers(groups: readonly Group[]): string {
  const others = groups.filter(({ version, key }) => version === 'other' && key !== undefined);
  return others.length === 0
    ? ''
    : `: ${groupsAre(others.map(({ index }) => index))} on neither the stable nor the requested template`;
}

/** Groups that have loaded the requested template already, though no step of it has started: a hand has let them. */
export function groupsOnTemplate({ observed: { releaseKey, ...observed }, asked }: Seen): readonly number[] {
  if (releaseKey === undefined || releaseKey === observed.stableKey) return [];
  return wanted({ ...observed, releaseKey }, asked)
    .filter(({ leader }) => leader.key === releaseKey)
    .map(({ index }) => index);
}

/** The delivery with how the cluster tells its versions apart. */
export function withVersions(on: Delivering, seen: Seen): Delivery {
  const { delivery } = on;
  const pin = pinOf(on, seen);
  const { releaseKey } = seen.observed;
  const isFirst = on.marks.step === undefined;
  const isByLabel = isFirst ? groupsOnTemplate(seen).length === 0 : isLabelled(delivery);
  const others = wanted(seen.observed, seen.replicas).filter(
    ({ leader }) => leader.key !== undefined && leader.version === 'other',
  );
  const versions = {
    stable: 'reason' in pin ? undefined : pin,
    release: isByLabel ? undefined : releaseKey,
    others: others.map(({ index }) => index),
  };
  return { ...delivery, versions };
}

/** The first rung of a release: its label, while nothing can restart, and who selects which version. */
export function firstRung(on: Delivering, seen: Seen, at: { readonly marks: Marks; readonly index: number }): Decision {
  const { steps, digest } = seen;
  const pin = pinOf(on, seen);
  if ('reason' in pin && pin.reason !== 'MixedRevisions') return holding([pin], 'BeforeStepUpgrade');
  if (steps[at.index - 1] === undefined)
    return holding(
      [hold('Stalled', { seen: 'the Rollout has no steps', action: 'Write at least one under steps of its strategy' })],
      'BeforeStepUpgrade',
    );
  const next = stepEntered(withVersions(on, seen), { index: at.index, paused: false });
  if (next.kind === 'unwritable') return unwritable(on, next);
  const restore = putAside(undefined, { floor: SENTINEL, maxUnavailable: undefined });
  const first = firstStep(seen, { marks: at.marks, restore });
  const of = steps.length;
  const updated = groupsOnTemplate(seen);
  const isTold = updated.length === 0;
  const fields: WorkloadMove = {
    reason: at.index === 1 ? 'StepReady' : 'Jumped',
    label: `step ${at.index}/${of}, template`,
    marks: { ...first, step: { kind: 'step', index: at.index, of } },
    why: `Release ${shortDigest(digest)} starts, and no group moves. ${isTold ? labelled(first.release) : unlabelled(updated)}`,
  };
  return versionMove(on, drafting(fields, 'BeforeStepUpgrade'), {
    at: 'template',
    commit: madeBy(next),
    ...(isTold ? { labels: true } : {}),
  });
}

function labelled(release: Release): string {
  return `Its leaders carry the label ${VERSION} of ${shortRelease(release)}, by which requests find them; until a step says so, they go to the stable version.`;
}

/** LWS would take the label for another template: the groups that have loaded this one would load it a second time. */
function unlabelled(updated: readonly number[]): string {
  return `${capital(groupsAre(updated))} on its template already. The label ${VERSION} would restart what has loaded it, so the groups of this release are found by their revision.`;
}

/** Where a commit of a step leads. */
export type RungTo = {
  readonly marks: Marks;
  readonly index: number;
  readonly reason: MoveReason;
  readonly evidence: string;
};

/** No route sends to the new version, and the Service takes in all leaders. */
export function restoreWith(on: Delivering, to: RungTo, commit: Commit = restoreAll(on.delivery)): Decision {
  const why = `Requests go to all groups of ${on.delivery.own.object.name} alike from here on, and the routes are as they were before.`;
  return rungMove(on, to, { at: 'route-restored', commit, why });
}

/** One rung of a step, as its ladder has it. */
export function rungWritten(on: Delivering, seen: Seen, { next, to }: { next: NextCommit; to: RungTo }): Decision {
  const commit = madeBy(next);
  if (next.at === 'route-restored') return restoreWith(on, to, commit);
  if (next.at === 'pods') return groupsReleased(on, seen, { commit, to });
  if (next.at === 'template') {
    const why = `From here on ${serviceName(on)} takes in the stable version alone.`;
    return untold(on, seen) ?? rungMove(on, to, { at: 'template', commit, why });
  }
  const step = seen.steps[to.index - 1];
  const share = step === undefined ? NO_SHARE : shareOf(step);
  const text = share.kind === 'weight' ? `${share.percent}%` : share.kind === 'matches' ? 'matches' : '–';
  const why = `The new version is sent ${share.kind === 'weight' ? `${share.percent} %` : 'what the step names'} of the requests.`;
  return rungMove(on, to, { at: 'traffic', commit, why, suffix: `: ${shareIn(on.delivery)} → ${text}` });
}

/** Nothing tells the versions apart. */
function untold(on: Delivering, seen: Seen): Decision | undefined {
  const pin = pinOf(on, seen);
  if ('reason' in pin) return holding([pin], 'StepUpgrade');
  if (isLabelled(on.delivery) || seen.observed.releaseKey !== undefined) return undefined;
  return holding(seen.notApplied === undefined ? [] : [seen.notApplied], 'StepUpgrade');
}

/** The partition of the step, where the rungs below it were commits of their own. */
function groupsReleased(
  on: Delivering,
  seen: Seen,
  { commit, to }: { readonly commit: Made; readonly to: RungTo },
): Decision {
  const { steps, replicas, partition } = seen;
  const step = steps[to.index - 1];
  if (step === undefined) return holding([], 'StepUpgrade');
  const { partition: next } = wantedOf(step, { replicas, partition });
  const moved = wanted(seen.observed, replicas).filter(({ index, version }) => index >= next && version !== 'release');
  const who =
    moved.length === 0
      ? 'No further group moves'
      : `Next: ${groupsAre(moved.map(({ index }) => index))} released for update`;
  const fields: WorkloadMove = {
    reason: to.reason,
    label: labelOf(to, 'pods'),
    ...withBudgetAfter(seen, { marks: stepMarks(to), floor: Math.min(next, to.marks.restore?.floor ?? next) }),
    partition: next,
    why: `${to.evidence}Step ${to.index}: ${describeStep(step, replicas)}. ${who}.`,
  };
  return versionMove(on, drafting(fields, 'StepUpgrade'), { at: 'pods', commit });
}

type Rung = Pick<VersionRung, 'commit'> & {
  readonly at: RungMark;
  readonly why: string;
  readonly suffix?: string;
};

/** A commit that leaves the groups of the workload alone. */
function rungMove(on: Delivering, to: RungTo, rung: Rung): Decision {
  const fields: WorkloadMove = {
    reason: to.reason,
    label: `${labelOf(to, rung.at)}${rung.suffix ?? ''}`,
    ...withBudgetAfter(on.situation, {
      marks: stepMarks(to),
      floor: to.marks.restore?.floor ?? on.situation.partition,
    }),
    why: `${to.evidence}${rung.why}`,
  };
  return versionMove(on, drafting(fields, rung.at === 'traffic' ? 'StepTrafficRouting' : 'StepUpgrade'), rung);
}

/** The step of a delivery that is in progress has another index; what is put aside stays. */
function stepMarks({ marks, index }: RungTo): Marks {
  const of = marks.step?.kind === 'step' ? marks.step.of : index;
  return { ...marks, step: { kind: 'step', index, of } };
}

function labelOf(to: RungTo, at: RungMark): string {
  const { step } = stepMarks(to);
  return `step ${step === undefined ? '' : printStep(step)}, ${at}`;
}

function serviceName({ delivery }: Delivering): string {
  return `Service ${delivery.service?.object.name ?? ''}`;
}
