/** The laws about what a commit rests on: that it was true of the cluster, for long enough, and of the same objects. */

import { bothOf } from './both.ts';
import { isBuilt, LISTING } from './built-files.ts';
import { isWrong } from './hostile-settings.ts';
import { ladderEvidence, ladderProof } from './ladder-laws.ts';
import {
  accepts,
  askedGroups,
  begins,
  CLIMBING,
  emptiesOnly,
  FORWARD,
  indexOf,
  isLocked,
  missingAt,
  type OurCommit,
  SURGING,
} from './our-commit.ts';
import { isLive } from './shared-commit-laws.ts';
import { type Truth, wantedGroups } from './truth.ts';

/** What a step rests on was true of the cluster, at some time since the fields before it were written. */
export function evidence(commit: OurCommit): string | undefined {
  const blind = withoutDocuments(commit) ?? withoutFolder(commit) ?? withoutSettings(commit);
  if (blind !== undefined) return blind;
  if (commit.workload.fills !== undefined) return ladderEvidence(commit);
  const { reason, before, since } = commit;
  const proof = proofOf(commit);
  if (commit.workload.shares !== undefined && reason === 'RungReady' && !commit.scenes.some(isLive(commit)))
    return `${reason} after ${before.marks?.step} ${before.marks?.at}: what it rests on was never live`;
  if (proof === undefined || since.some(proof)) return undefined;
  const step = before.marks?.step ?? 'settled';
  return `${reason} after ${step}: never since partition ${before.partition}, version ${before.version} was so what it rests on`;
}

/** While a hand has a route or a Service out of the files nothing goes forward: what it rests on cannot be read there. */
function withoutDocuments(commit: OurCommit): string | undefined {
  const { reason, before, after } = commit;
  const isForward =
    [...FORWARD, ...CLIMBING].includes(reason) && !['route-restored', 'empty'].includes(after.marks?.at ?? '');
  if (!isForward || isLocked(before)) return undefined;
  const missing = missingAt(commit, commit.parent);
  return missing.length === 0
    ? undefined
    : `${reason} to ${after.marks?.step} ${after.marks?.at} without ${missing.join(' and ')}`;
}

/** Nothing goes forward in a folder that builds the workload without our patch, or not at all, or that another folder lists. */
function withoutFolder({ universe, workload, reason, parent, after }: OurCommit): string | undefined {
  if (!isBuilt(workload) || ![...FORWARD, ...SURGING].includes(reason)) return undefined;
  const where = `${reason} to ${after.marks?.step}`;
  const folder = workload.root.split('/').at(-1) ?? '';
  if (universe.text(parent, LISTING)?.includes(`../${folder}]`) === true)
    return `${where} in ${workload.root}, which another folder lists`;
  return universe.built(workload.name, parent) === universe.lws(workload.name, parent)
    ? undefined
    : `${where}, and ${workload.root} builds it without its patch`;
}

/** While nobody can read the file of settings nothing goes forward: an earlier one says where what goes back is. */
function withoutSettings(commit: OurCommit): string | undefined {
  const { universe, reason, parent, after } = commit;
  // An order, and all groups are on the template by then.
  if (accepts(commit, 'Recreated')) return undefined;
  const isForward = [...FORWARD, ...SURGING, ...CLIMBING].includes(reason);
  if (!isForward || ['route-restored', 'empty'].includes(after.marks?.at ?? '')) return undefined;
  return isWrong(universe, universe.text(parent, 'tranche.yaml'))
    ? `${reason} to ${after.marks?.step} ${after.marks?.at}, and tranche.yaml cannot be read`
    : undefined;
}

function proofOf({
  universe,
  reason,
  before,
  after,
  plan,
  releaseVersion,
  workload,
}: OurCommit): ((truth: Truth) => boolean) | undefined {
  const applied = (truth: Truth): boolean =>
    truth.partition === before.partition &&
    truth.version === before.version &&
    (workload.autoscaled || truth.replicas === before.replicas);
  // A leader that is there keeps its group on its version, whatever its workers still do.
  const leaders = (truth: Truth): boolean =>
    wantedGroups(truth).length === truth.replicas &&
    wantedGroups(truth).every((group) => group.leaderVersion === releaseVersion);
  const all = (truth: Truth, version: number | undefined): boolean => {
    const groups = wantedGroups(truth);
    return groups.length === truth.replicas && groups.every((group) => group.version === version && group.ready);
  };
  if (reason === 'Superseded' && after.partition < before.partition) return applied;
  if (reason === 'SurgePrepared' || reason === 'Surged') return applied;
  if (reason === 'SurgeReturned')
    return (truth) =>
      // In a rollback LWS would wait for an extra group that has failed.
      (before.marks?.step === 'rollback' &&
        truth.groups.some((group) => group.index >= askedGroups(before) && !group.ready)) ||
      Array.from({ length: askedGroups(before) }, (_, index) => index).every((index) =>
        truth.groups.some((group) => group.index === index && group.version === releaseVersion && group.ready),
      );
  if (FORWARD.includes(reason)) {
    if (begins(before, after)) return applied;
    if (isLocked(before)) return (truth) => all(truth, releaseVersion);
    return (truth) =>
      applied(truth) &&
      Array.from({ length: Math.max(0, truth.replicas - before.partition) }, (_, i) => before.partition + i).every(
        (index) =>
          truth.groups.some((group) => group.index === index && group.version === before.version && group.ready),
      );
  }
  if (reason === 'Locked' && !accepts({ plan, before }, 'Recreated'))
    return (truth) => truth.partition === before.partition && truth.flipped && leaders(truth);
  // A hand at the partition has put groups elsewhere, and someone has gone on with the step all the same.
  const approved =
    plan.annotations['tranche.dev/approve'] === `${indexOf(before.marks?.step) || 1}@${before.marks?.release}`;
  if (reason === 'Settled' && approved && universe.mixed.has(workload.name)) return undefined;
  // Someone has accepted that all groups came up on the newer template of the file.
  if (reason === 'Settled' && accepts({ plan, before }, 'Recreated'))
    return (truth) => all(truth, releaseVersion) || all(truth, before.version);
  if (reason === 'Settled') return (truth) => all(truth, releaseVersion);
  if (reason === 'RolledBack' || reason === 'Adopted') return (truth) => applied(truth) && all(truth, before.version);
  return undefined;
}

/** A pause is served: someone approved, or the time has passed since the groups were there. */
export function pauses(commit: OurCommit): string | undefined {
  const { reason, before, after, plan, universe, since } = commit;
  const index = indexOf(before.marks?.step);
  const leaves = commit.workload.fills === undefined ? ['StepReady', 'Settled'] : ['StepReady', 'Promoted'];
  if (!leaves.includes(reason) || index === 0 || Number.isNaN(index)) return undefined;
  if (reason === 'StepReady' && begins(before, after)) return undefined;
  // The first rungs of the same step, or a step that starts again where all was re-created.
  if (indexOf(after.marks?.step) === index || accepts({ plan, before }, 'Recreated')) return undefined;
  const step = plan.steps[index - 1];
  const { release } = before.marks ?? {};
  if (plan.annotations['tranche.dev/approve'] === `${index}@${release}` || step === undefined) return undefined;
  const jump = /^(\d+)@(.*)$/.exec(plan.annotations['tranche.dev/jump'] ?? '');
  if (jump?.[2] === release && Number(jump?.[1]) > index) return undefined;
  if (step.pause === 'none' && index === plan.steps.length && step.replicas === '100%') return undefined;
  if (typeof step.pause !== 'number') return `${reason} after step ${index}, which waits for someone`;
  const first = provenAt(commit, since) ?? Number.POSITIVE_INFINITY;
  const served = universe.now - first;
  const { injected } = universe;
  // A clock that is behind takes nothing off a pause: the groups' own times count as well.
  const clocksDiffer = injected['clock jump'] + injected['clock years off'] + injected['clock ahead once'] > 0;
  return served >= step.pause - universe.longestPassSeconds || clocksDiffer
    ? undefined
    : `${reason} after step ${index}: ${served} s of ${step.pause}`;
}

/** When what a commit rests on was so for the first time. */
function provenAt(commit: OurCommit, since: OurCommit['since']): number | undefined {
  if (commit.workload.fills !== undefined) {
    const [proof, both] = [ladderProof(commit), bothOf(commit)];
    return commit.scenes.find((scene) => proof?.(scene, both) ?? true)?.atSeconds;
  }
  const proof = proofOf(commit);
  return since.find((truth) => proof?.(truth) ?? true)?.atSeconds;
}

/** Objects that were re-created came up on the new text: no step forward until someone accepts that. */
export function recreated({ reason, before, after, plan, remade, universe }: OurCommit): string | undefined {
  const forgotten = universe.injected['status deleted'] + universe.injected['status rewound'] > 0;
  if (!remade || forgotten || !FORWARD.includes(reason) || begins(before, after) || isLocked(before)) return undefined;
  const { step } = before.marks ?? {};
  return accepts({ plan, before }, 'Recreated')
    ? undefined
    : `${reason} after ${step}, though the objects of the workload were re-created`;
}

/** A main that other hands have rewritten is gone on from only where someone has looked at it. */
export function rewritten({
  universe,
  reason,
  before,
  after,
  parent,
  plan,
  recordedMain,
  workload,
}: OurCommit): string | undefined {
  if (emptiesOnly({ reason, after, workload })) return undefined;
  if (universe.rewritten === 0 || recordedMain === undefined || !FORWARD.includes(reason) || isLocked(before))
    return undefined;
  if (plan.annotations['tranche.dev/acknowledge'] !== undefined) return undefined;
  const there = universe.repository.log(parent).some(({ oid }) => oid === recordedMain);
  return there ? undefined : `${reason} to ${after.marks?.step}, though main has lost ${recordedMain.slice(0, 7)}`;
}
