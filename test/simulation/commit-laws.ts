/** The laws that every commit of the product on main keeps, whatever the cluster does. Each answers what is wrong. */

import type { MoveReason } from '../../src/rollout/move.ts';
import { budget } from './budget-laws.ts';
import { isBuilt, ownFiles } from './built-files.ts';
import { builtApart } from './built-laws.ts';
import { peoplesText } from './built-view.ts';
import { evidence, pauses, recreated, rewritten } from './evidence-laws.ts';
import { lwsFile, scalerFile, splitOwn, templateStart } from './files.ts';
import {
  approvedShare,
  baked,
  ladderCeiling,
  ladderSteps,
  leavesBehind,
  primaryDrained,
  rollBackServes,
  servingShare,
  stableUntilPromoted,
} from './ladder-laws.ts';
import type { LawName } from './laws.ts';
import {
  accepts,
  askedGroups,
  begins,
  CLIMBING,
  type Fields,
  FORWARD,
  GOING_BACK,
  indexOf,
  isLocked,
  isLockedAgain,
  isRollbackAgain,
  lastWritten,
  type OurCommit,
  planned,
  SENTINEL,
  SURGING,
} from './our-commit.ts';
import { partsSafe } from './part-laws.ts';
import { policiesObeyed } from './policy-laws.ts';
import { hasSides, routeFile, serviceFile } from './routed-files.ts';
import { backDrained, sharedApproved, sharedLeaves, sharedServing, stableServes } from './shared-commit-laws.ts';
import { undoneWhole } from './undo-law.ts';

export type Law = (commit: OurCommit) => string | undefined;

/** By the names of the invariants. */
export const commitLaws = {
  'S1 steps': steps,
  'S2 ceiling': ceiling,
  'S2 budget': budget,
  'S3 one in flight': evidence,
  'S5 parent as planned': parentAsPlanned,
  'S7 subset safe': partsSafe,
  'S6 diff confined': confined,
  'S11 pauses': pauses,
  'S11 people': people,
  'S13 undo': undoneWhole,
  'F17 recreated': recreated,
  'F6 rewritten': rewritten,
  'L3 forward': forward,
  'P1 policies': policiesObeyed,
  'T1 serving share': ofSides(servingShare, sharedServing),
  'T3 no request lost': ofSides(primaryDrained, backDrained),
  'T4 rollback serves': ofSides(rollBackServes, stableServes),
  'T5 bytes as before': ofSides(leavesBehind, sharedLeaves),
  'T6 one side': ofSides(baked),
  'T9 approved share': ofSides(approvedShare, sharedApproved),
  'T11 stable until promoted': ofSides(stableUntilPromoted),
} as const satisfies Partial<Record<LawName, Law>>;

/** The same as pairs. */
export const commitLawList = Object.entries(commitLaws) as readonly (readonly [keyof typeof commitLaws, Law])[];

/** A law of commits that fill a second workload, and that of commits that share out requests between two versions. */
function ofSides(ofTwo: Law, ofOne?: Law): Law {
  return (commit) => {
    if (commit.workload.fills !== undefined) return ofTwo(commit);
    return commit.workload.shares === undefined ? undefined : ofOne?.(commit);
  };
}

/** Which marks may follow which. */
function steps(commit: OurCommit): string | undefined {
  return commit.workload.fills === undefined ? partitionSteps(commit) : ladderSteps(commit);
}

function partitionSteps(commit: OurCommit): string | undefined {
  const { universe, parent, before, after, reason, plan, remade, workload } = commit;
  const [from, to] = [before.marks?.step, after.marks?.step];
  const [a, b] = [indexOf(from), indexOf(to)];
  const release = after.marks?.release;
  const same = from === to && before.marks?.release === release;
  // Groups of another size go all in the last step.
  const atOnce = workload.resizes === true && b === plan.steps.length;
  const legal = {
    Adopted: before.marks === undefined && to === undefined,
    StepReady: begins(before, after) ? b === 1 : from !== 'rollback' && b === a + 1,
    Jumped: (b > a || begins(before, after)) && plan.annotations['tranche.dev/jump'] === `${b}@${release}`,
    StepsEdited: b >= a && a > 0,
    // Also from the last step itself, where a roll was stopped half-way.
    SizeChanged: atOnce && (begins(before, after) || (from !== 'rollback' && b >= a)),
    SurgePrepared: (begins(before, after) || same) && to?.startsWith('0/') === true,
    Surged: same && from?.startsWith('0/') === true,
    SurgeReturned: same && from !== undefined,
    Superseded: (b === 1 || to?.startsWith('0/') === true || atOnce) && before.marks?.release !== release,
    // What is found re-created in step 0 is accepted as step 1; re-created before a newer release took over, its groups tell.
    Locked:
      (same || from === undefined || (a === 0 && b === 1 && (remade || areAllMoved(commit)))) &&
      after.partition === SENTINEL,
    Settled: to === undefined && from !== undefined && from !== 'rollback',
    NoNewRevision: from === undefined && to === undefined,
    Relocked:
      (same && from === undefined) ||
      (reason === 'Relocked' &&
        isLockedAgain({ before, after, last: lastWritten(universe, { name: workload.name, upTo: parent }) })),
    // The share is withdrawn before the text.
    Aborted: to === 'rollback' && (from !== 'rollback' || before.marks?.at === 'route-restored'),
    Reverted: to === 'rollback' && from !== 'rollback',
    Failed: to === 'rollback' && from !== 'rollback' && from !== undefined,
    Undone: to === 'rollback' && from === undefined,
    AbortedTemplateRemoved: to === 'rollback' && from === 'rollback',
    BudgetRaised: same && from !== undefined,
    BudgetLowered: same && from === 'rollback',
    RollbackWidened: same && from === 'rollback',
    RolledBack: from === 'rollback' && to === undefined,
    // What settled stays what it is: also where a newer template came before that.
    RequestWithdrawn: from === undefined && to === undefined && (same || universe.mixed.has(workload.name)),
    RollStopped: same,
    PartitionRestored: same,
    // Nobody merges a step in the worlds of a seed.
    MergeAccepted: false,
    Retried: from === undefined && to === undefined,
    // A pin of ours goes at rest, where nothing restarts.
    Unpinned: workload.root !== undefined && same && from === undefined,
    // No world of a seed has a HelmRelease.
    InputsWritten: false,
    // Nor creates a workload again.
    RecreateRemoved: false,
    RecreateCreated: false,
    RecreateEnded: false,
    // Nor fills a second one; where versions share the requests, a step has rungs.
    RungReady: workload.shares !== undefined && same && from !== undefined && from !== 'rollback',
    Promoted: false,
    // On a rollback too, where a newer template is in the file.
    RouteRestored: workload.shares !== undefined && same,
    CanaryEmptied: false,
    PrimaryCovered: false,
    ShareAccepted: false,
    TrafficWithdrawn: workload.shares !== undefined && same && from !== 'rollback',
    // A file put back after the newer release has settled, or a rollback that a hand has taken the marks of.
    AnnotationsRestored:
      (from === undefined && to === undefined && before.marks?.release !== release) ||
      (reason === 'AnnotationsRestored' && isRollbackAgain(commit)),
  } as const satisfies Record<MoveReason, boolean>;
  if (new Map<string, boolean>(Object.entries(legal)).get(reason) === true) return undefined;
  return `${reason} from ${before.marks?.release} ${from ?? 'settled'} to ${release} ${to ?? 'settled'}`;
}

/** Whether every group ran the release, which no step had let any group go to. */
function areAllMoved({ since, releaseVersion }: OurCommit): boolean {
  const groups = since.at(-1)?.groups ?? [];
  return groups.length > 0 && groups.every(({ leaderVersion }) => leaderVersion === releaseVersion);
}

/** Of one release the steps only go up; the groups that it has released for update are never taken back but by going back. */
function forward({ before, after, reason, workload }: OurCommit): string | undefined {
  const [from, to] = [before.marks?.step, after.marks?.step];
  if (before.marks?.release !== after.marks?.release || from === 'rollback' || to === 'rollback') return undefined;
  const down = from !== undefined && to !== undefined && indexOf(to) < indexOf(from);
  if (down) return `${reason} from ${from} to ${to}`;
  // Which partition a rung has is for T11 to say.
  if (workload.fills !== undefined) return undefined;
  const lowers =
    after.partition < before.partition ||
    ['Locked', 'RollStopped', 'PartitionRestored', 'Relocked', 'RouteRestored'].includes(reason);
  return after.partition === before.partition || lowers
    ? undefined
    : `${reason}: partition ${before.partition} → ${after.partition}`;
}

/** No more groups are let onto the new version than the step says for N as read; never raised going back. */
function ceiling(commit: OurCommit): string | undefined {
  return commit.workload.fills === undefined ? partitionCeiling(commit) : ladderCeiling(commit);
}

function partitionCeiling({ before, after, reason, plan, workload, since }: OurCommit): string | undefined {
  const [was, is] = [before.partition, after.partition];
  const tell = (what: string): string => `${reason}: partition ${was} → ${is}, ${what}`;
  // In step 0 only extra groups start: none of those that are there may go. What people have added since the last
  // step 0 is above its partition and never had another text: it stays so, as long as step 1 lets as many go.
  if (reason === 'Superseded' && after.marks?.step?.startsWith('0/') === true) {
    const added = before.marks?.step?.startsWith('0/') === true && is === was && is >= ofStepOne(plan, before);
    return workload.autoscaled || added || is >= askedGroups(after)
      ? undefined
      : tell('though only extra groups may start');
  }
  // Rungs of Services and routes leave it; the groups' own is that of the step.
  const isRung = workload.shares !== undefined && after.marks?.at !== undefined;
  if (isRung && is === was && (FORWARD.includes(reason) || reason === 'RungReady')) return undefined;
  const lets = FORWARD.includes(reason) || (isRung && reason === 'RungReady');
  // A newer request stops the roll, or takes its own first step where there is nothing to stop.
  if (lets || (reason === 'Superseded' && is < was)) {
    const step = plan.steps[indexOf(after.marks?.step) - 1];
    if (step === undefined) return tell(`the plan has no step ${after.marks?.step}`);
    // Locked with the step kept: nothing may move any more.
    if (isLocked(before) && !begins(before, after)) return is === was ? undefined : tell('locked');
    const counts = workload.autoscaled ? since.map((truth) => truth.replicas) : [askedGroups(before)];
    const wanted = new Set(counts.map((n) => Math.min(was, n - planned(step.replicas, n), n)));
    return wanted.has(is) ? undefined : tell(`wanted ${[...wanted].join(' or ')} for step ${step.replicas}`);
  }
  if (reason === 'SurgePrepared')
    return is === askedGroups(before) ? undefined : tell(`wanted ${askedGroups(before)}, where nothing restarts`);
  // Where its groups go back a batch at a time, the first commit restarts none of them.
  const isKept =
    after.marks?.at === 'back' && is >= Math.min(...since.map(({ replicas }) => replicas), askedGroups(before));
  if (GOING_BACK.includes(reason)) return is <= was || isKept ? undefined : tell('raised while going back');
  if (reason === 'RollbackWidened') return is < was ? undefined : tell('not widened');
  if (['Locked', 'Adopted', 'Relocked', 'RolledBack'].includes(reason))
    return is === SENTINEL ? undefined : tell('not locked');
  // A newer request is stopped with the commit that takes its share back.
  if (['Superseded', 'RollStopped', 'PartitionRestored', 'RouteRestored'].includes(reason))
    return is >= was ? undefined : tell('lowered');
  return is === was ? undefined : tell('nothing asked for that');
}

/** The partition of step 1, for the groups that people ask for. */
function ofStepOne(plan: OurCommit['plan'], fields: Fields): number {
  const [first] = plan.steps;
  return first === undefined ? 0 : askedGroups(fields) - planned(first.replicas, askedGroups(fields));
}

/** The texts that the plan was made from are those that the commit stands on. */
function parentAsPlanned({ universe, workload, plannedFrom, parent }: OurCommit): string | undefined {
  if (plannedFrom === parent) return undefined;
  const files = [lwsFile(workload.name), serviceFile(workload.name), routeFile(workload.name)];
  const [then, now] = [plannedFrom, parent].map((at) => universe.lws(workload.name, at));
  if (then !== now) return `planned from ${plannedFrom.slice(0, 7)}, which builds another workload`;
  return files.every((path) => universe.text(plannedFrom, path) === universe.text(parent, path))
    ? undefined
    : `planned from ${plannedFrom.slice(0, 7)}, where a file is another than in ${parent.slice(0, 7)}`;
}

/** Without the label by which requests find the version, and the maps that were made for it. */
function unlabelled(template: string, { shares }: OurCommit['workload']): string {
  if (shares === undefined) return template;
  return template.replaceAll(/(, )?"?tranche\.dev\/version"?: "?[0-9a-z.-]+"?/g, '');
}

const OURS = /^\s+(tranche\.dev\/[\w-]+:|annotations:|partition:|maxUnavailable:)/;
/** The groups of the workload; written for a surge, and taken back after it. */
const REPLICAS = /^ {2}replicas: \d+/;

/** Only our lines change; the template only by putting another commit's text in its place, byte for byte. */
function confined(commit: OurCommit): string | undefined {
  const { universe, workload, before: from, after: to, reason, oid, parent } = commit;
  const [was, is] = [universe.repository.files(parent), universe.repository.files(oid)];
  const changed = Object.keys({ ...was, ...is }).filter((path) => was[path] !== is[path]);
  const { name, fills } = workload;
  const scaled = workload.scaler === 'idle' ? [scalerFile(name)] : [];
  const ours = hasSides(workload) ? [lwsFile(name), serviceFile(name), routeFile(name), ...scaled] : ownFiles(workload);
  if (changed.length === 0 || changed.some((path) => !ours.includes(path) && !isScalerOfOthers(commit, path)))
    return `changes ${changed.join(', ') || 'nothing'}`;
  const apart = isBuilt(workload) ? builtApart(commit, workload) : undefined;
  if (apart !== undefined) return apart;
  const [before, after] = [from, to].map((fields) => ({ ...fields, text: splitOwn(fields.text)[0] })) as [
    Fields,
    Fields,
  ];
  const surges = reason === 'Surged' || before.marks?.surge?.set === before.replicas || fills?.style === 'blueGreen';
  const rest = (text: string): string =>
    text
      .slice(0, templateStart(text))
      .split('\n')
      .filter((line) => !OURS.test(line) && !(surges && REPLICAS.test(line)))
      .join('\n');
  if (rest(before.text) !== rest(after.text)) return 'changes lines that are not ours';
  const comment = /maxUnavailable: \d+ +# one group is 16 GPUs/;
  if (comment.test(before.text) && !comment.test(after.text)) return 'loses the comment next to maxUnavailable';
  const [old, fresh] = [before, after].map(({ text }) => unlabelled(text.slice(templateStart(text)), workload)) as [
    string,
    string,
  ];
  if (old === fresh) return undefined;
  if (reason === 'Unpinned' && isBuilt(workload)) {
    const peoples = peoplesText(universe.repository, parent, workload) ?? '';
    return peoples.slice(templateStart(peoples)) === fresh ? undefined : 'unpins another template than that of people';
  }
  if (![...GOING_BACK, 'RequestWithdrawn', 'Retried'].includes(reason)) return `${reason} changes the template`;
  const known = [...universe.everMain].some((at) => {
    const text = universe.lws(workload.name, at);
    const own = text === undefined ? undefined : splitOwn(text)[0];
    return own !== undefined && unlabelled(own.slice(templateStart(own)), workload) === fresh;
  });
  return known ? undefined : 'writes a template that no commit has';
}

/** Without owners a folder of others may bring an autoscaler of the workload: it is put aside as that of people, by its limits alone. */
function isScalerOfOthers({ universe, workload, parent, oid }: OurCommit, path: string): boolean {
  const [was, is] = [parent, oid].map((at) => universe.text(at, path) ?? '') as [string, string];
  const isOf = was.includes('kind: HorizontalPodAutoscaler') && was.includes(`name: ${workload.name}}`);
  const limits = /^ {2}(minReplicas|maxReplicas): \d+$/gm;
  return workload.fills !== undefined && isOf && was.replace(limits, '') === is.replace(limits, '');
}

/** No step forward while someone says stop. */
function people(commit: OurCommit): string | undefined {
  const { reason, plan, after, before } = commit;
  // Someone has accepted that all groups came up on the release: what follows updates none.
  if (reason === 'Promoted' && accepts(commit, 'Recreated')) return undefined;
  if (!plan.stopped || ![...FORWARD, ...SURGING, ...CLIMBING].includes(reason)) return undefined;
  // To go to stable, and to empty what is not wanted, waits for nobody, also as the first rung of a step that is jumped to.
  if (after.marks?.at === 'route-restored' || after.marks?.at === 'empty') return undefined;
  return `${reason} from ${before.marks?.step} to ${after.marks?.step} while paused or disabled`;
}
