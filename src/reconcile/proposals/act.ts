/** What a verdict leads to: a branch and its pull request, a status at its head, or an end of both. */

import { isKnown } from '../../api/known.ts';
import type { ProposalRecord } from '../../api/proposal-record.ts';
import type { Oid } from '../../ports/git.ts';
import { hold } from '../../rollout/hold.ts';
import { formOf, isFields } from '../../rollout/proposals/form.ts';
import { WITHDRAWALS } from '../../rollout/proposals/judge.ts';
import { branchText, progressText } from '../../rollout/proposals/progress.ts';
import { asksOf } from '../../rollout/proposals/requirements.ts';
import { notesOf, standing } from '../../rollout/proposals/standing.ts';
import type { Reconciled } from '../outcome.ts';
import {
  closePull,
  createBranch,
  deleteBranch,
  openPull,
  setGate,
  tellPull,
  writePull,
} from '../write/execute-proposal.ts';
import { attachedTo } from './attach.ts';
import { branchFrom, isOurCommit, type Proposed } from './branch-content.ts';
import { branchTaken, caseOf, full, heldBy, inForm, noDirectPush, waitingFor, withProposal } from './case.ts';
import type { Judged, ProposalRound } from './proposal-pass.ts';
import { shownCheck } from './show-check.ts';
import { endStrays } from './strays.ts';
import { earlierOf, lastingDigest, textOf } from './text.ts';

/** Does what the verdict asks for, and says what is waited for. Throws PortError where Git fails. */
export async function act(of: Judged, round: ProposalRound): Promise<Reconciled> {
  const { one, verdict, proposal } = of;
  if (verdict.kind === 'propose')
    return (await endStrays(of, round)) === 'left' ? stood(of, withProposal(one, proposal)) : open(of, round);
  const done = await acted(of, round);
  // What is asked for now has its status first.
  await endStrays(of, round);
  return done;
}

async function acted(of: Judged, round: ProposalRound): Promise<Reconciled> {
  const { one, verdict, proposal } = of;
  if (verdict.kind === 'withdraw' && proposal !== undefined) return withdraw(of, { round, proposal });
  if (proposal === undefined) return stood(of, one);
  if (verdict.kind === 'none') return withProposal(one, await told(one, { round, proposal }));
  const gated = await gate({ ...of, proposal }, round, GATES[verdict.kind] ?? proposal.gates);
  await mark(of, round);
  const warned = await warn({ ...of, proposal: gated }, round);
  const rewritten = await rewrite({ ...of, proposal: warned }, round);
  const written = await besideIt({ ...of, proposal: rewritten }, round);
  return stood({ ...of, proposal: written }, withProposal(one, written));
}

/** What is next to its text and its status: labels, reviewers, numbers. */
async function besideIt(
  of: Judged & { readonly proposal: ProposalRecord },
  round: ProposalRound,
): Promise<ProposalRecord> {
  return shownCheck({ ...of, proposal: await attachedTo(of, round) }, round);
}

/** Writes the text of one that is open again where more of it has changed than the hour. Where that fails, the next pass tries again. */
async function rewrite(
  of: Judged & { readonly proposal: ProposalRecord },
  round: ProposalRound,
): Promise<ProposalRecord> {
  const { proposal, verdict } = of;
  const { number, form } = proposal;
  if (number === undefined || (verdict.kind !== 'foreign' && verdict.kind !== 'waits')) return proposal;
  // Of a record that is older than forms: it adds an approval.
  const wanted = { round, form: form ?? 'RulesUnread' } as const;
  const digest = lastingDigest(of, wanted, proposal.openedAt);
  if (digest === undefined || digest === proposal.text) return proposal;
  const whose = await round.own.whose(proposal);
  if (whose !== 'ours') return whose === 'unknown' ? proposal : { ...proposal, text: digest };
  const done = await writePull(round.ports.forge, { number, ...(await textOf(of, wanted)) });
  return done.kind === 'done' ? { ...proposal, text: digest } : proposal;
}

/** Fails the status at what others have pushed: where a rule does not want it, people see nothing else before they merge. */
async function mark({ unmarked }: Judged, { ports }: ProposalRound): Promise<void> {
  const said = 'the branch holds commits that are not of tranche';
  if (unmarked !== undefined) await setGate(ports.forge, { oid: unmarked, isOpen: false, said });
}

/** Says on one that is open that somebody has pushed to it, for anyone who reviews it, and that it was taken off again. */
async function warn(
  { one, verdict, proposal }: Judged & { readonly proposal: ProposalRecord },
  round: ProposalRound,
): Promise<ProposalRecord> {
  const { number, told: before } = proposal;
  if (number === undefined || (verdict.kind !== 'foreign' && verdict.kind !== 'waits')) return proposal;
  const text = branchText({ isForeign: verdict.kind === 'foreign', key: one.key, told: before });
  return text === undefined ? proposal : tell(proposal, { number, text }, round);
}

/** Where it fails, the next pass tries again; nothing is written to one that is not ours, now or later. */
async function tell(
  proposal: ProposalRecord,
  { number, text }: { readonly number: number; readonly text: string },
  { ports, own }: ProposalRound,
): Promise<ProposalRecord> {
  if (text === proposal.told) return proposal;
  const whose = await own.whose(proposal);
  if (whose !== 'ours') return whose === 'unknown' ? proposal : { ...proposal, told: text };
  const done = await tellPull(ports.forge, { number, body: text });
  return done.kind === 'done' ? { ...proposal, told: text } : proposal;
}

/** Says on what was merged how its step stands, where that is news. */
async function told(
  { plan }: Reconciled,
  {
    round,
    proposal,
    next = '',
  }: { readonly round: ProposalRound; readonly proposal: ProposalRecord; readonly next?: string },
): Promise<ProposalRecord> {
  if (plan === undefined || proposal.state !== 'merged' || proposal.number === undefined) return proposal;
  const { number } = proposal;
  return tell(proposal, { number, text: progressText(plan.record, next) }, round);
}

/** What our status at the head says; of the others it stays as it is. */
const GATES: Readonly<Record<string, ProposalRecord['gates']>> = { waits: 'open', shut: 'shut', foreign: 'shut' };

/** Sets the status where it says something else. Where that fails, the next pass tries again. */
async function gate(
  { one, proposal }: Judged & { readonly proposal: ProposalRecord },
  { ports }: ProposalRound,
  gates: ProposalRecord['gates'],
): Promise<ProposalRecord> {
  if (gates === undefined || gates === proposal.gates) return proposal;
  const said =
    gates === 'open'
      ? 'every gate but yours is open'
      : `not now: ${one.plan?.holds.map(({ reason }) => reason).join(', ')}`;
  const done = await setGate(ports.forge, { oid: proposal.head, isOpen: gates === 'open', said });
  return done.kind === 'done' ? { ...proposal, gates } : proposal;
}

function stood({ verdict, proposal, waits }: Judged, one: Reconciled): Reconciled {
  const label = one.plan?.commit?.label ?? '';
  const asks = one.snapshot === undefined ? [] : asksOf(one.snapshot);
  const notes = one.snapshot === undefined ? [] : notesOf(one.snapshot);
  return waitingFor(one, standing(verdict, { label, key: one.key, proposal, waits, asks, notes }));
}

/** Closes it with the reason where it is ours, then takes its branch away; its record says so only once that was done. */
async function withdraw(
  of: Judged,
  { round, proposal }: { readonly round: ProposalRound; readonly proposal: ProposalRecord },
): Promise<Reconciled> {
  const { one, verdict } = of;
  const why = verdict.kind === 'withdraw' ? WITHDRAWALS[verdict.why] : '';
  const whose = proposal.number === undefined ? 'not ours' : await round.own.whose(proposal);
  if (whose === 'unknown') return stood(of, withProposal(one, proposal));
  if (proposal.number !== undefined && whose === 'ours') {
    const done = await closePull(round.ports.forge, { number: proposal.number, why: `Closed by tranche: ${why}.` });
    if (done.kind !== 'done') return stood(of, withProposal(one, proposal));
    round.room += 1;
  }
  await deleteBranch(round.ports.git, proposal.branch);
  return stood(of, withProposal(one, { ...proposal, state: 'withdrawn' }));
}

/** Makes the branch where it is not there, then the pull request: either may be there since a pass that was cut off. */
async function open(of: Judged, round: ProposalRound): Promise<Reconciled> {
  const { one, proposal, verdict } = of;
  const { wanted: approval } = caseOf(one.snapshot, one.plan);
  const [snapshot, commit] = [one.snapshot, one.plan?.commit];
  if (approval === undefined || snapshot === undefined || commit === undefined) return one;
  if (round.room <= 0) return waitingFor(one, full(one));
  const asked = await round.rules();
  // Which form it has must not hang on a moment: two runners would open it in both.
  if (asked.kind !== 'done') return heldBy(one, asked);
  const { branch: base } = round.reading.desired.config;
  const form = formOf({ snapshot, commit }, asked.value);
  // A word that is merged could not be carried out.
  if (isKnown(asked.value.takesDirectPush, false) && !isFields(form))
    return waitingFor(one, noDirectPush(one, { branch: base, form }));
  const wanted = inForm(one.key, approval, form);
  // What was merged or closed may still be there, and git takes what it has merged once for done.
  if (verdict.kind === 'propose' && verdict.fresh === true) await deleteBranch(round.ports.git, wanted.branch);
  // Merged and done with; what people have closed they may want to open again.
  if (proposal?.state === 'merged' && proposal.branch !== wanted.branch)
    await deleteBranch(round.ports.git, proposal.branch);
  const made = await branchFor({ one, wanted, form }, round);
  if ('reason' in made) return waitingFor(one, made);
  const text = await textOf(of, { round, form });
  const pull = { branch: wanted.branch, head: made.head, base, ...text };
  const done = await openPull(round.ports.forge, pull);
  const { branch, index, release, digest } = wanted;
  const begun: ProposalRecord = {
    branch,
    head: made.head,
    index,
    release,
    digest,
    form,
    openedAt: round.reading.at,
    state: 'open',
    earlier: earlierOf(of, release),
    vetoes: (proposal?.vetoes ?? []).filter((vetoed) => vetoed !== digest),
  };
  if (done.kind !== 'done') return heldBy(withProposal(one, begun), done);
  round.room -= 1;
  round.own.opened(done.value.number);
  const { isAdopted, ...place } = done.value;
  const begunText = lastingDigest(of, { round, form }, begun.openedAt);
  const opened = { ...begun, ...place, ...(isAdopted ? {} : { text: begunText }) };
  if (proposal !== undefined) await told(one, { round, proposal, next: done.value.url });
  const now = { ...of, verdict: { kind: 'waits' }, proposal: opened } as const;
  const gated = await gate(now, round, 'open');
  const shown = await besideIt({ ...now, proposal: gated }, round);
  return stood({ ...now, proposal: shown }, withProposal(one, shown));
}

/** The branch with its one commit, made from main as it was read; or the hold that says why there is none. */
async function branchFor(
  of: Proposed,
  round: ProposalRound,
): Promise<{ readonly head: Oid } | ReturnType<typeof hold>> {
  const { one } = of;
  const { git } = round.ports;
  const { main, desired } = round.reading;
  const wish = await branchFrom(of, round, { base: main, texts: desired.texts });
  if (wish === undefined) return branchTaken(one, 'the Rollout cannot be edited');
  const done = await createBranch(git, { ...wish, commits: [wish.commit] });
  if (done.kind === 'pushed') return { head: done.heads[0] ?? '' };
  if (done.kind === 'refused')
    return hold('PushRefused', {
      seen: `the push to ${done.branch} was refused: ${done.rule}`,
      action: done.advice ?? 'Allow the identity of tranche to create, move and delete branches below tranche/',
    });
  const [head] = await git.heads([wish.branch]);
  const isOurs = head !== undefined && (await isOurCommit(of, round, head));
  return head !== undefined && isOurs ? { head } : branchTaken(one, 'it is not what tranche would have pushed');
}
