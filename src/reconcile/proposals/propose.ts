/**
 * The pull requests of a pass: each that is there is judged, and what is ready for someone is proposed. Nothing of it
 * goes to main. A pass that brakes or goes back does not ask the forge at all.
 */

import type { ProposalRecord } from '../../api/proposal-record.ts';
import type { CommitState, Forge, Pull } from '../../ports/forge.ts';
import { nowBetween } from '../../rollout/ladders/traffic-view.ts';
import { branchesIn, branchesOf, branchOf, namedBy } from '../../rollout/proposals/branch.ts';
import type { MergeRules } from '../../rollout/proposals/form.ts';
import { type Case, heard, judge, type View } from '../../rollout/proposals/judge.ts';
import { progressText } from '../../rollout/proposals/progress.ts';
import type { Reconciled } from '../outcome.ts';
import type { Ports } from '../pass.ts';
import { ask, type ForgeAnswer, GATE } from '../write/execute-proposal.ts';
import { act } from './act.ts';
import { isBroughtUpToDate } from './branch-content.ts';
import { brakes, caseOf, heldBy, withProposal } from './case.ts';
import { isUnguarded, rulesOfOpen, rulesReader } from './merge-rules.ts';
import { ownPulls, selfOf } from './own-pulls.ts';
import type { Judged, ProposalRound } from './proposal-pass.ts';
import { STRAYS_MOST } from './strays.ts';
import { newestFirst, unknownBranches } from './unknown-branches.ts';
import { waitsText } from './waits-text.ts';

/** The same rollouts, with what they wait for, and what the record says of their pull requests. Never throws for the forge. */
export async function propose(
  ports: Ports,
  pass: Pick<ProposalRound, 'reading' | 'commits'> & { readonly reconciled: readonly Reconciled[] },
): Promise<readonly Reconciled[]> {
  const { forge } = ports;
  const { reading, commits, reconciled } = pass;
  const meant = reconciled.filter(isMeant);
  if (forge === undefined || meant.length === 0 || reconciled.some(brakes)) return reconciled;
  const { cluster, branch: base, maxProposals } = reading.desired.config;
  const numbers = meant.flatMap(({ snapshot }) => snapshot?.record?.proposal?.number ?? []);
  const heardOf = await ask(() => forge.pulls({ prefix: branchesIn(cluster), numbers }));
  if (heardOf.kind !== 'done') return reconciled.map((one) => (isMeant(one) ? unheard(one, heardOf) : one));
  const unknown = await unknownBranches(forge, meant);
  const all = newestFirst([...heardOf.value, ...unknown.pulls]);
  const pulls = all.filter((pull) => pull.isSameRepository && pull.base === base);
  const open = pulls.filter(({ state }) => state.kind === 'open');
  const waits = await waitsOf(forge, open);
  const withForge = { ...ports, forge };
  const room = maxProposals - (await taken(forge, open, maxProposals - meant.length));
  const own = ownPulls(withForge, all);
  const rules = rulesReader(forge, base);
  const round: ProposalRound = { ports: withForge, reading, commits, rules, own, room, strays: STRAYS_MOST };
  const answers = new Map<Reconciled, Reconciled>();
  // One after the other: the forge wants its writes so, and the room is shared.
  for (const one of meant) {
    const judgement = await judged(one, { pulls, waits, round });
    const unsaid = unknown.unsaid.get(one);
    const isUnsaid = unsaid !== undefined && judgement.verdict.kind === 'propose';
    answers.set(one, isUnsaid ? heldBy(withProposal(one, judgement.proposal), unsaid) : await act(judgement, round));
  }
  return reconciled.map((one) => answers.get(one) ?? one);
}

/**
 * How many places are taken: by those that we have opened. Anyone who may push below `tranche/` can open as many as they like, and must
 * not keep ours waiting. Who we are is asked where it may matter: where there are more than `most`.
 */
async function taken(forge: Forge, open: readonly Pull[], most: number): Promise<number> {
  const login = open.length > most ? await selfOf(forge) : undefined;
  return login === undefined || login === '' ? open.length : open.filter(({ author }) => author.login === login).length;
}

/** Whether this branch proposes this commit, in whatever form. */
function proposes({ key, snapshot, plan }: Reconciled, branch: string): boolean {
  const { wanted } = caseOf(snapshot, plan);
  const named = namedBy(key, branch);
  if (wanted === undefined || named === undefined) return false;
  return branchOf(key, wanted) === branchOf(key, { ...named, form: undefined });
}

/** Something is proposed, or was and has not ended, or there is news of what was merged. */
function isMeant({ plan, snapshot }: Reconciled): boolean {
  const known = snapshot?.record?.proposal;
  // A newer tranche knows of it, and of what people have said of it.
  if (snapshot?.newerRecord !== undefined) return false;
  if (plan?.commit?.delivery === 'proposal') return true;
  if (known === undefined) return isPerhapsOpen(snapshot);
  if (known.state === 'merged') return plan !== undefined && known.told !== progressText(plan.record);
  return known.state !== 'withdrawn';
}

/** The record that knew of one may be lost while a gate is shut: its status still says that every gate is open. */
function isPerhapsOpen(snapshot: Reconciled['snapshot']): boolean {
  return snapshot?.policy.promotion === 'pullRequest' && caseOf(snapshot, undefined).approvable !== undefined;
}

async function judged(
  one: Reconciled,
  of: { readonly pulls: readonly Pull[]; readonly waits: Waits; readonly round: ProposalRound },
): Promise<Judged> {
  const recorded = remindedOf(one.snapshot?.record?.proposal, one, of.pulls) ?? found(one, of.pulls);
  const pull = pullOf(recorded, of.pulls);
  const view = viewOf(pull);
  const said = of.waits.get(pull?.number ?? 0);
  const { isGateRequired, hasConflict, rules } = said ?? UNHEARD;
  const known = await compared(one, { known: recorded, view, round: of.round });
  const drafted = caseOf(one.snapshot, one.plan, known);
  const lost = isUnguarded(one, { form: known?.form, rules });
  const now = of.round.reading.at;
  const { earliest } = nowBetween({ ...one.snapshot, now });
  const asked = { ...drafted, known, view, isGateRequired, isUnguarded: lost, hasConflict, now, earliest };
  const verdict = judge(asked);
  const proposal = known === undefined ? undefined : heard(known, view);
  const own = [known?.branch, drafted.wanted?.branch];
  const strays = of.pulls.filter(
    ({ state, branch }) => state.kind === 'open' && !own.includes(branch) && namedBy(one.key, branch) !== undefined,
  );
  const unmarked = verdict.kind === 'foreign' && said?.gate !== 'failure' ? pull?.head : undefined;
  return { one, verdict, proposal, waits: said?.text ?? '', unmarked, strays };
}

/** No commit has this id, so no head is taken for what we have pushed. */
const NOBODYS = '0'.repeat(40);

/**
 * With the head that was compared with what we would push, before our status says there that every gate is open: a branch
 * of this name may be anybody's where the record was lost, and a record is a file that people may write. A head that holds
 * main as that is by now, and the same change, is another one, and our status is not at that yet.
 */
async function compared(
  one: Reconciled,
  {
    known,
    view,
    round,
  }: { readonly known: ProposalRecord | undefined; readonly view: View; readonly round: ProposalRound },
): Promise<ProposalRecord | undefined> {
  const { wanted } = caseOf(one.snapshot, one.plan, known);
  if (known === undefined || wanted === undefined || view.kind !== 'open') return known;
  const isKnown = view.head === known.head;
  const isCompared = isKnown && known.gates === 'open' && one.snapshot?.unsigned === undefined;
  if (known.branch !== wanted.branch || isCompared) return known;
  const of = { one, wanted, form: known.form ?? 'RulesUnread' };
  if (!(await isBroughtUpToDate(of, round, view.head))) return isKnown ? { ...known, head: NOBODYS } : known;
  return isKnown ? known : { ...known, head: view.head, gates: undefined };
}

/** A no that the record does not know, because one before it was lost. What has the name of our account may be of us. */
function remindedOf(
  known: ProposalRecord | undefined,
  one: Reconciled,
  pulls: readonly Pull[],
): ProposalRecord | undefined {
  const { snapshot, plan } = one;
  const { wanted } = caseOf(snapshot, plan);
  const last = lastWord(one, pulls);
  if (known === undefined || wanted === undefined || last === undefined) return known;
  if (last.branch === known.branch || known.vetoes.includes(wanted.digest)) return known;
  return isRejected(last) ? { ...known, vetoes: [...known.vetoes, wanted.digest] } : known;
}

/**
 * The newest that proposes what is wanted and says something of it, after what somebody has taken back. Who may push to its branch
 * opens and closes as many as they like, which says nothing.
 */
function lastWord(one: Reconciled, pulls: readonly Pull[]): Pull | undefined {
  const { fresh = 0 } = caseOf(one.snapshot, one.plan);
  return pulls.find(
    (pull) => pull.number > fresh && proposes(one, pull.branch) && (pull.state.kind !== 'closed' || isRejected(pull)),
  );
}

/** Closed by someone who did not open it. */
function isRejected({ state, author }: Pull): boolean {
  return state.kind === 'closed' && state.by?.isBot === false && state.by.login !== author.login;
}

/** Without a record its branch says what it is: the one that is wanted first, whatever became of it. */
function found(one: Reconciled, pulls: readonly Pull[]): ProposalRecord | undefined {
  const { key } = one;
  const own = pulls.filter(({ branch }) => branch.startsWith(branchesOf(key)));
  const open = own.filter(({ state }) => state.kind === 'open');
  const isWanted = ({ branch }: Pull): boolean => proposes(one, branch);
  // What people have said of the very commit counts, also where it is closed by now.
  const pull = open.find(isWanted) ?? lastWord(one, own) ?? own.find(isWanted) ?? open[0];
  const named = pull === undefined ? undefined : namedBy(key, pull.branch);
  if (pull === undefined || named === undefined) return undefined;
  const { branch, head, number, url, createdAt } = pull;
  return { ...named, branch, head, number, url, openedAt: createdAt, state: 'open', vetoes: [] };
}

/** Of several of one branch the newest, which the forge gives first. */
function pullOf(known: ProposalRecord | undefined, pulls: readonly Pull[]): Pull | undefined {
  if (known === undefined) return undefined;
  const own = pulls.filter(({ branch }) => branch === known.branch);
  return own.find(({ state }) => state.kind === 'open') ?? own.find(({ number }) => number === known.number);
}

function viewOf(pull: Pull | undefined): View {
  if (pull === undefined) return { kind: 'none' };
  const { state, number, url, head, author } = pull;
  if (state.kind === 'open') return { kind: 'open', number, url, head };
  const by = state.by?.login ?? '';
  if (state.kind === 'merged') return { kind: 'merged', by };
  // With the token of someone nobody can tell whether that person closed it, which then counts.
  const closer = state.by?.isBot === false ? 'person' : by !== '' && by === author.login ? 'us' : 'machine';
  return { kind: 'closed', by, closer };
}

/** What is not known costs nobody the reviews that were given: its status fails, and the next pass hears more. */
const UNHEARD = { isGateRequired: true, hasConflict: false, rules: undefined };

/** By number: what it waits for, for people, and what of it decides. */
type Waits = ReadonlyMap<
  number,
  {
    readonly text: string;
    readonly rules: MergeRules;
    /** Our status at its head. */
    readonly gate: CommitState | undefined;
  } & Pick<Case, 'isGateRequired' | 'hasConflict'>
>;

async function waitsOf(forge: Forge, open: readonly Pull[]): Promise<Waits> {
  if (open.length === 0) return new Map();
  const said = await ask(() => forge.waiting(open.map(({ number }) => number)));
  if (said.kind !== 'done') return new Map();
  return new Map(
    said.value.map(({ number, on, statuses, rules }) => {
      const isGateRequired = statuses.some(({ context, isRequired }) => context === GATE && isRequired);
      const hasConflict = on.some(({ reason }) => reason === 'Conflict');
      const gate = statuses.find(({ context }) => context === GATE)?.state;
      return [number, { text: waitsText(on), rules: rulesOfOpen({ rules }), gate, isGateRequired, hasConflict }];
    }),
  );
}

/** What is known stays as it is; only what waits for someone says why nothing is carried out. */
function unheard(one: Reconciled, answer: Exclude<ForgeAnswer<unknown>, { readonly kind: 'done' }>): Reconciled {
  const known = one.snapshot?.record?.proposal;
  const isStanding = known?.state === 'open' && known.number !== undefined;
  const same = withProposal(one, known);
  return one.plan?.commit?.delivery !== 'proposal' || isStanding ? same : heldBy(same, answer);
}
