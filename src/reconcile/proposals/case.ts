/** One rollout as its pull request is judged, and with what came of it. */

import type { ProposalForm, ProposalRecord } from '../../api/proposal-record.ts';
import { sameRelease } from '../../api/release.ts';
import { beforeFirst, currentStep } from '../../rollout/approvable.ts';
import { wantsEvidence } from '../../rollout/gates/evidence.ts';
import { type Hold, hold } from '../../rollout/hold.ts';
import { isDelivered, type Plan, planWaiting } from '../../rollout/plan.ts';
import { branchOf } from '../../rollout/proposals/branch.ts';
import { FORMS, isFields } from '../../rollout/proposals/form.ts';
import type { Case } from '../../rollout/proposals/judge.ts';
import { type Approval, approvalFor, isApproved } from '../../rollout/proposals/promotion.ts';
import type { RolloutKey, Snapshot } from '../../rollout/snapshot.ts';
import { type Advice, advice, commandLine } from '../../rollout/texts/advice.ts';
import { changesDigest } from '../documents/digests.ts';
import type { Reconciled } from '../outcome.ts';
import type { ForgeAnswer } from '../write/execute-proposal.ts';

/** What the files and the plan say of it; what the forge says comes as well. */
type Drafted = Pick<Case, 'wanted' | 'approvable' | 'isGiven' | 'fresh'>;

/**
 * What would be proposed now, what an approval could be given for, and what people have said of it. What is proposed
 * already keeps its form; `known` where that is not the one of the record.
 */
export function caseOf(
  snapshot: Snapshot | undefined,
  plan: Pick<Plan, 'commit'> | undefined,
  known: ProposalRecord | undefined = snapshot?.record?.proposal,
): Drafted {
  if (snapshot === undefined) return { wanted: undefined, approvable: undefined, isGiven: false, fresh: undefined };
  const approvable = currentStep(snapshot) ?? beforeFirst(snapshot);
  const wanted = wantedOf(snapshot, plan?.commit, known);
  const fresh = snapshot.rollout?.intents.propose?.number;
  return { wanted, approvable, isGiven: wanted !== undefined && isApproved(snapshot, wanted), fresh };
}

function wantedOf(snapshot: Snapshot, commit: Plan['commit'], known: ProposalRecord | undefined): Case['wanted'] {
  if (commit?.delivery !== 'proposal') return undefined;
  const approval = approvalFor(snapshot, { commit, digest: changesDigest(commit.changes) });
  if (approval === undefined) return undefined;
  const isIt = known !== undefined && known.digest === approval.digest && known.index === approval.index;
  return inForm(snapshot.key, approval, isIt && sameRelease(known.release, approval.release) ? known.form : undefined);
}

/** The same with the branch that it has in this form. */
export function inForm(
  key: RolloutKey,
  approval: Approval,
  form: ProposalForm | undefined,
): NonNullable<Case['wanted']> {
  return { ...approval, branch: branchOf(key, { ...approval, form: isFields(form) ? 'Guarded' : undefined }) };
}

/** No brake waits for the forge. */
export function brakes({ plan }: Pick<Reconciled, 'plan'>): boolean {
  return isDelivered(plan) && plan?.commit?.way !== 'forward';
}

/** The same rollout, and what its record says of its pull request. */
export function withProposal(one: Reconciled, proposal: ProposalRecord | undefined): Reconciled {
  if (one.plan === undefined || proposal === undefined) return one;
  return { ...one, plan: { ...one.plan, record: { ...one.plan.record, proposal } } };
}

/** The same rollout, whose commit waits for this instead of the first that it waited for. */
export function waitingFor(one: Reconciled, reason: Hold | undefined): Reconciled {
  if (one.plan?.commit?.delivery !== 'proposal' || one.snapshot === undefined || reason === undefined) return one;
  const plan = { ...one.plan, holds: one.plan.holds.slice(1) };
  return { ...one, plan: planWaiting(plan, one.snapshot, reason) };
}

/** The same rollout, whose pull request the forge does not open. */
export function heldBy(one: Reconciled, answer: Exclude<ForgeAnswer<unknown>, { readonly kind: 'done' }>): Reconciled {
  const label = one.plan?.commit?.label ?? '';
  const word = byCommit(one);
  if (answer.kind === 'refused' && answer.refusal === 'BranchTaken')
    return waitingFor(one, branchTaken(one, answer.said));
  if (answer.kind === 'refused')
    return waitingFor(
      one,
      hold('ForgeRefused', {
        seen: `the forge opens no pull request for ${label}: ${answer.said}`,
        action: advice`${answer.advice.replace(/\.$/, '')}${word === undefined ? '' : advice`. Until then: ${word}`}`,
      }),
    );
  const why = answer.why.replace(/\.$/, '');
  const seen = `the forge has not answered, so ${label} is not proposed yet: ${why}`;
  const told =
    word === undefined ? { seen, waits: 'reading' as const } : { seen, action: advice`To go on without it: ${word}` };
  return waitingFor(one, hold('ForgeUnavailable', told));
}

/** The branch that its pull request would have is somebody else's. */
export function branchTaken(one: Reconciled, said: string): Hold {
  const branch = caseOf(one.snapshot, one.plan).wanted?.branch ?? '';
  return hold('BranchTaken', {
    seen: `the branch ${branch} holds something else than what would be proposed: ${said}`,
    action: advice`Delete that branch${orByCommit(one)}`,
  });
}

/** As many as people allow are open. */
export function full(one: Reconciled): Hold {
  return hold('ProposalsFull', {
    seen: `as many pull requests are open as maxProposals of tranche.yaml allows, so ${one.plan?.commit?.label ?? ''} is not proposed yet`,
    action: advice`Merge or close one of them${orByCommit(one)}`,
  });
}

/** What is started here could neither be locked nor taken back. */
export function noDirectPush(
  { plan }: Pick<Reconciled, 'plan'>,
  { branch, form }: { readonly branch: string; readonly form: ProposalForm },
): Hold {
  // Where a policy accepts it, something else keeps the pull request from being the step.
  const besides = form === 'NoDirectPush' ? '' : `, and no pull request can be the step itself: ${FORMS[form].because}`;
  const accept = form === 'NoDirectPush' ? ', or accept it in a RolloutPolicy: withoutDirectPush: Accept' : '';
  return hold('NoDirectPush', {
    seen: `the rules of ${branch} refuse commits of tranche, so nothing could lock ${plan?.commit?.label ?? ''} or go back${besides}`,
    action: `Add the App or the account of tranche to the bypass list of each ruleset of the branch, always${accept}`,
  });
}

/** The approval of without the forge; undefined: policies want the forge to show who approved. */
function byCommit({ snapshot, key }: Reconciled): ReturnType<typeof commandLine> | undefined {
  return snapshot !== undefined && wantsEvidence(snapshot) ? undefined : commandLine('approve', key);
}

function orByCommit(one: Reconciled): string | Advice {
  const word = byCommit(one);
  return word === undefined ? '' : advice`, or: ${word}`;
}
