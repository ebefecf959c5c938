/** The laws that every commit of the product on main keeps, whatever the cluster does. Each answers what is wrong. */

import { templateStart } from './files.ts';
import { type Fields, type OurCommit, planned, SENTINEL } from './our-commit.ts';
import { type Truth, wantedGroups } from './truth.ts';

export type Law = (commit: OurCommit) => string | undefined;

/** By the names of the invariants. */
export const commitLaws: Readonly<Record<string, Law>> = {
  'S1 steps': steps,
  'S2 ceiling': ceiling,
  'S2 budget': budget,
  'S3 one in flight': evidence,
  'S5 parent as planned': parentAsPlanned,
  'S6 diff confined': confined,
  'S11 pauses': pauses,
  'S11 people': people,
  'F17 recreated': recreated,
};

const GOING_BACK = ['Aborted', 'Reverted', 'AbortedTextRemoved'];
const FORWARD = ['StepReady', 'Jumped', 'StepsEdited'];

function indexOf(step: string | undefined): number {
  return step === undefined ? 0 : Number(/^\d+/.exec(step)?.[0] ?? Number.NaN);
}

/** A step of another release than before: its first. */
function begins(before: Fields, after: Fields): boolean {
  return before.marks?.step === undefined || before.marks.release !== after.marks?.release;
}

/** A whole step after its roll: only pauses are left. */
function isArmed({ partition, marks }: Fields): boolean {
  return partition === SENTINEL && marks?.step !== undefined && marks.floor === 0;
}

/** Which marks may follow which. */
function steps({ before, after, reason, plan }: OurCommit): string | undefined {
  const [from, to] = [before.marks?.step, after.marks?.step];
  const [a, b] = [indexOf(from), indexOf(to)];
  const release = after.marks?.release;
  const same = from === to && before.marks?.release === release;
  const legal: Readonly<Record<string, boolean>> = {
    Adopted: before.marks === undefined && to === undefined,
    StepReady: begins(before, after) ? b === 1 : from !== 'rollback' && b === a + 1,
    Jumped: (b > a || begins(before, after)) && plan.annotations['tranche.dev/jump'] === `${b}@${release}`,
    StepsEdited: b >= a && a > 0,
    Superseded: b === 1 && before.marks?.release !== release,
    Armed: (same || from === undefined) && after.partition === SENTINEL,
    Settled: to === undefined && from !== undefined && from !== 'rollback',
    NoNewRevision: from === undefined && to === undefined,
    Rearmed: same && from === undefined,
    Aborted: to === 'rollback' && from !== 'rollback',
    Reverted: to === 'rollback' && from !== 'rollback',
    AbortedTextRemoved: to === 'rollback' && from === 'rollback',
    BudgetRaised: same && from === 'rollback',
    RollbackWidened: same && from === 'rollback',
    RolledBack: from === 'rollback' && to === undefined,
    RequestWithdrawn: from === undefined && to === undefined,
    RollStopped: same,
    PartitionRestored: same,
    Retried: from === undefined && to === undefined,
  };
  if (legal[reason] === true) return undefined;
  return `${reason} from ${before.marks?.release} ${from ?? 'settled'} to ${release} ${to ?? 'settled'}`;
}

/** No more groups are let onto the new version than the step says for N as read; never raised going back. */
function ceiling({ before, after, reason, plan, workload, since }: OurCommit): string | undefined {
  const [was, is] = [before.partition, after.partition];
  const tell = (what: string): string => `${reason}: partition ${was} → ${is}, ${what}`;
  // A newer request stops the roll, or takes its own first step where there is nothing to stop.
  if (FORWARD.includes(reason) || (reason === 'Superseded' && is < was)) {
    const step = plan.steps[indexOf(after.marks?.step) - 1];
    if (step === undefined) return tell(`the plan has no step ${after.marks?.step}`);
    // Armed with the step kept: nothing may move any more.
    if (isArmed(before) && !begins(before, after)) return is === was ? undefined : tell('armed');
    const counts = workload.autoscaled ? since.map((truth) => truth.replicas) : [before.replicas];
    const wanted = new Set(counts.map((n) => Math.min(was, n - planned(step.replicas, n), n)));
    return wanted.has(is) ? undefined : tell(`wanted ${[...wanted].join(' or ')} for step ${step.replicas}`);
  }
  if (GOING_BACK.includes(reason)) return is <= was ? undefined : tell('raised while going back');
  if (reason === 'RollbackWidened') return is < was ? undefined : tell('not widened');
  if (['Armed', 'Adopted', 'Rearmed', 'RolledBack'].includes(reason))
    return is === SENTINEL ? undefined : tell('not armed');
  if (['Superseded', 'RollStopped', 'PartitionRestored'].includes(reason))
    return is >= was ? undefined : tell('lowered');
  return is === was ? undefined : tell('nothing asked for that');
}

/** maxUnavailable rises only to get a fleet back, never above N + 1, and comes back in the end. */
function budget({ universe, before, after, reason, since, workload }: OurCommit): string | undefined {
  const [was, is] = [before.maxUnavailable, after.maxUnavailable];
  if (was === is) return undefined;
  const raises = [...GOING_BACK, 'Superseded', 'BudgetRaised'].includes(reason);
  // Its own value and the number of groups that are not ready, at most N, or N + 1 where none is. A group that
  // changes while it is read may look unready once: what was so around that time counts together.
  const fits = (truth: Truth): boolean => {
    const from = truth.atSeconds - universe.longestPassSeconds;
    const around = since.filter(({ atSeconds }) => atSeconds >= from && atSeconds <= truth.atSeconds);
    const wanted = Math.max(truth.replicas, workload.autoscaled ? 0 : before.replicas);
    const isReady = (index: number): boolean =>
      around.every(({ groups }) => groups.some((group) => group.index === index && group.ready));
    const unready = Array.from({ length: wanted }, (_, index) => index).filter((index) => !isReady(index)).length;
    return unready > 0 && is <= Math.max(Math.min(wanted, was + unready), unready + 1);
  };
  if (raises && is > was && since.some(fits) && after.marks?.setBudget === is) return undefined;
  if (['Settled', 'RolledBack'].includes(reason) && before.marks?.setBudget === was) return undefined;
  return `${reason}: maxUnavailable ${was} → ${is}`;
}

/** What a step rests on was true of the cluster, at some time since the fields before it were written. */
function evidence(commit: OurCommit): string | undefined {
  const { reason, before, since } = commit;
  const proof = proofOf(commit);
  if (proof === undefined || since.some(proof)) return undefined;
  const step = before.marks?.step ?? 'settled';
  return `${reason} after ${step}: never since partition ${before.partition}, version ${before.version} was so what it rests on`;
}

function proofOf({
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
  if (FORWARD.includes(reason)) {
    if (begins(before, after)) return applied;
    if (isArmed(before)) return (truth) => all(truth, releaseVersion);
    return (truth) =>
      applied(truth) &&
      Array.from({ length: Math.max(0, truth.replicas - before.partition) }, (_, i) => before.partition + i).every(
        (index) =>
          truth.groups.some((group) => group.index === index && group.version === before.version && group.ready),
      );
  }
  const accepted =
    plan.annotations['tranche.dev/approve'] === `${indexOf(before.marks?.step) || 1}@${before.marks?.release}`;
  if (reason === 'Armed' && !accepted)
    return (truth) => truth.partition === before.partition && truth.flipped && leaders(truth);
  if (reason === 'Settled') return (truth) => all(truth, releaseVersion);
  if (reason === 'RolledBack' || reason === 'Adopted') return (truth) => applied(truth) && all(truth, before.version);
  return undefined;
}

/** The texts that the plan was made from are those that the commit stands on. */
function parentAsPlanned({ universe, workload, plannedFrom, parent, before }: OurCommit): string | undefined {
  if (plannedFrom === parent) return undefined;
  const was = universe.lws(workload.name, plannedFrom);
  return was === before.text
    ? undefined
    : `planned from ${plannedFrom.slice(0, 7)}, where the file is another than in ${parent.slice(0, 7)}`;
}

const OURS = /^\s+(tranche\.dev\/\w+:|annotations:|partition:|maxUnavailable:)/;

/** Only our lines change; the template only by putting another commit's text in its place, byte for byte. */
function confined({ universe, workload, before, after, reason, oid, parent }: OurCommit): string | undefined {
  const [was, is] = [universe.repository.files(parent), universe.repository.files(oid)];
  const changed = Object.keys({ ...was, ...is }).filter((path) => was[path] !== is[path]);
  if (changed.length !== 1 || was[changed[0]!] !== before.text) return `changes ${changed.join(', ') || 'nothing'}`;
  const rest = (text: string): string =>
    text
      .slice(0, templateStart(text))
      .split('\n')
      .filter((line) => !OURS.test(line))
      .join('\n');
  if (rest(before.text) !== rest(after.text)) return 'changes lines that are not ours';
  const comment = /maxUnavailable: \d+ +# one group is 16 GPUs/;
  if (comment.test(before.text) && !comment.test(after.text)) return 'loses the comment beside maxUnavailable';
  const [old, fresh] = [before.text.slice(templateStart(before.text)), after.text.slice(templateStart(after.text))];
  if (old === fresh) return undefined;
  if (![...GOING_BACK, 'RequestWithdrawn', 'Retried'].includes(reason)) return `${reason} changes the template`;
  const known = universe.repository.log(parent).some(({ oid: at }) => {
    const text = universe.lws(workload.name, at);
    return text !== undefined && text.slice(templateStart(text)) === fresh;
  });
  return known ? undefined : 'writes a template that no commit has';
}

/** A pause is served: a person approved, or the time has passed since the groups were there. */
function pauses(commit: OurCommit): string | undefined {
  const { reason, before, after, plan, universe, since } = commit;
  const index = indexOf(before.marks?.step);
  if (!['StepReady', 'Settled'].includes(reason) || index === 0) return undefined;
  if (reason === 'StepReady' && begins(before, after)) return undefined;
  const step = plan.steps[index - 1];
  const { release } = before.marks ?? {};
  if (plan.annotations['tranche.dev/approve'] === `${index}@${release}` || step === undefined) return undefined;
  const jump = /^(\d+)@(.*)$/.exec(plan.annotations['tranche.dev/jump'] ?? '');
  if (jump?.[2] === release && Number(jump?.[1]) > index) return undefined;
  if (step.pause === 'none' && index === plan.steps.length && step.replicas === '100%') return undefined;
  if (typeof step.pause !== 'number') return `${reason} after step ${index}, which waits for a person`;
  const proof = proofOf(commit);
  const first = since.find((truth) => proof?.(truth) ?? true)?.atSeconds ?? Number.POSITIVE_INFINITY;
  const served = universe.now - first;
  return served >= step.pause - universe.longestPassSeconds || universe.injected['clock jump'] > 0
    ? undefined
    : `${reason} after step ${index}: ${served} s of ${step.pause}`;
}

/** No step forward while a person says stop. */
function people({ reason, plan, after, before }: OurCommit): string | undefined {
  if (!plan.stopped || !FORWARD.includes(reason)) return undefined;
  return `${reason} from ${before.marks?.step} to ${after.marks?.step} while paused or disabled`;
}

/** Objects that were made anew came up on the new text: no step forward until a person accepts that. */
function recreated({ reason, before, after, plan, remade, universe }: OurCommit): string | undefined {
  const forgotten = universe.injected['status deleted'] + universe.injected['status rewound'] > 0;
  if (!remade || forgotten || !FORWARD.includes(reason) || begins(before, after) || isArmed(before)) return undefined;
  const { release, step } = before.marks ?? {};
  const accepted = plan.annotations['tranche.dev/approve'] === `${indexOf(step)}@${release}`;
  return accepted ? undefined : `${reason} after ${step}, though the objects of the workload were made anew`;
}
