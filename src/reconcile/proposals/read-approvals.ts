/** Reads on the forge who approved what stands in a Rollout as approved, where policies want to see that. */

import { absent, type Known, known, unknown } from '../../api/known.ts';
import type { PolicyApproval } from '../../api/policy-approvals.ts';
import type { Instant } from '../../api/time.ts';
import type { Forge, Pull } from '../../ports/forge.ts';
import { PortError } from '../../ports/port-error.ts';
import { wantsEvidence } from '../../rollout/gates/evidence.ts';
import type { Approval } from '../../rollout/proposals/promotion.ts';
import { type ApprovalEvidence, type Approver, requirementsMet } from '../../rollout/proposals/requirements.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import { isKeptIn } from '../history/approval-in-history.ts';
import type { Approvals } from '../history/approvals.ts';
import type { GitReader } from '../history/git-reader.ts';
import type { Reconciled } from '../outcome.ts';
import type { Ports, Reading } from '../pass.ts';
import { ask } from '../write/execute-proposal.ts';
import { isBroughtUpToDate, isOurCommit } from './branch-content.ts';
import { brakes, caseOf } from './case.ts';
import { selfOf } from './own-pulls.ts';

/** `commits`: the reader of the pass. */
type Pass = {
  readonly reading: Reading;
  readonly reconciled: readonly Reconciled[];
  readonly commits: Pick<GitReader, 'brought' | 'documentsAt'>;
};

type ForgeAnswer = { readonly one: Reconciled; readonly wanted: Approval & { readonly branch: string } };

/** Of those that wait for nothing but this. Nobody is asked in a pass that brakes or goes back. Throws PortError where Git fails. */
export async function readApprovals(ports: Ports, { reading, reconciled, commits }: Pass): Promise<Approvals> {
  const asked = reconciled.flatMap((one): readonly ForgeAnswer[] => {
    if (one.snapshot === undefined || !wantsEvidence(one.snapshot)) return [];
    const { wanted, isGiven } = caseOf(one.snapshot, one.plan);
    return wanted !== undefined && isGiven ? [{ one, wanted }] : [];
  });
  const { forge } = ports;
  if (asked.length === 0 || reconciled.some(brakes)) return new Map();
  const said = (value: Known<ApprovalEvidence>): Approvals =>
    new Map(asked.map(({ one }) => [printKey(one.key), value]));
  if (forge === undefined) return said(unknown('no forge is configured for this repository'));
  const found = new Map<string, Known<ApprovalEvidence>>();
  const turns = inTurns(asked, reading.at);
  for (const [place, of] of turns.entries()) {
    const { key } = of.one;
    forge.share(Math.min(turns.length, ASKED_MOST) - place);
    const seen = place < ASKED_MOST ? await mergedOf({ ...ports, forge }, { ...of, reading, commits }) : LATER;
    found.set(printKey(key), seen);
  }
  forge.share(undefined);
  return found;
}

/** How many are asked about in one pass; where more wait, each pass starts with others. */
const ASKED_MOST = 20;
const LATER = unknown(`the forge is asked about ${ASKED_MOST} in one pass, and about this one in one of the next`);
/** Knuth's: whatever the time between two passes is, they do not start with the same one for long. */
const SCATTER = 2_654_435_761;

/** Another one first in each pass: no process remembers who came last. */
function inTurns<T>(all: readonly T[], at: Instant): readonly T[] {
  const first = (Math.imul(at, SCATTER) >>> 0) % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

/** What the forge shows of the pull request that was merged for it. */
async function mergedOf(
  ports: Ports & { readonly forge: Forge },
  of: ForgeAnswer & Pick<Pass, 'reading' | 'commits'>,
): Promise<Known<ApprovalEvidence>> {
  const { branch } = of.wanted;
  const heard = await ask(() => ports.forge.pulls({ prefix: undefined, numbers: [], branches: [branch] }));
  if (heard.kind !== 'done') return unknown(heard.kind === 'refused' ? heard.said : heard.why);
  const base = of.reading.desired.config.branch;
  const pull = heard.value.find(
    (one) => one.branch === branch && one.state.kind === 'merged' && one.isSameRepository && one.base === base,
  );
  return pull === undefined ? absent : evidenceOf(ports, of, pull);
}

async function evidenceOf(
  { git, forge }: Ports & { readonly forge: Forge },
  of: ForgeAnswer & Pick<Pass, 'reading' | 'commits'>,
  pull: Pull,
): Promise<Known<ApprovalEvidence>> {
  const { number, url, head, state } = pull;
  const own = await ownAt({ git, forge }, of, pull);
  if (own.kind !== 'known') return own;
  const reviews = await ask(() => forge.reviews(number));
  if (reviews.kind !== 'done') return unknown(reviews.kind === 'refused' ? reviews.said : reviews.why);
  const merger = state.kind === 'merged' ? state.by : undefined;
  const approvers: readonly Approver[] = [
    // Nobody merges without a right to write.
    ...(merger === undefined ? [] : [{ ...merger, by: 'merge', mayWrite: known(true) } as const]),
    ...reviews.value
      .filter(({ verdict, oid }) => verdict === 'approved' && oid === head)
      .map(({ author, mayWrite }) => ({ ...author, by: 'review', mayWrite }) as const),
  ];
  const wanted = of.one.snapshot?.policy.approvals ?? [];
  const teams = await teamsOf(forge, { wanted, approvers });
  const evidence = { url, approvers, authors: await authorsOf(forge, of), ...(teams === undefined ? {} : { teams }) };
  // Asked last: while somebody is missing nothing goes by it.
  const isEnough = requirementsMet(wanted, evidence).every(({ isMet }) => isMet);
  return !isEnough || (await isKept(git, of, state)) ? known(evidence) : absent;
}

/** Commits of main since the merge: each is read. */
const KEPT_MOST = 500;

/**
 * Whether main has had the approval ever since the merge that people approved. One that was taken back is none, also where
 * somebody has written it once more; nor is one whose merge lies further back than anybody reads.
 */
async function isKept(
  git: Ports['git'],
  { one, reading, commits }: ForgeAnswer & Pick<Pass, 'reading' | 'commits'>,
  state: Pull['state'],
): Promise<boolean> {
  const { snapshot } = one;
  const merge = state.kind === 'merged' ? state.commit : undefined;
  if (snapshot?.rollout === undefined || merge === undefined) return false;
  const line = (await git.history(reading.main, merge, KEPT_MOST)).map(({ oid }) => oid);
  return line.at(-1) === merge && isKeptIn({ git: commits, desired: reading.desired }, snapshot, line);
}

/** Of each team that a requirement names those of the approvers who are in it now; undefined: none is named. */
async function teamsOf(
  forge: Forge,
  of: { readonly wanted: readonly PolicyApproval[]; readonly approvers: readonly Approver[] },
): Promise<ApprovalEvidence['teams']> {
  // An account that may not write counts in no team.
  const counting = of.approvers.filter(({ isBot, mayWrite }) => !isBot && mayWrite.kind === 'known' && mayWrite.value);
  const logins = [...new Set(counting.map(({ login }) => login))];
  const named = new Set(of.wanted.flatMap(({ team }) => team ?? []));
  const teams = new Map<string, Known<readonly string[]>>();
  for (const team of named) {
    const said = await ask(() => forge.members(team, logins));
    teams.set(
      team,
      said.kind === 'done'
        ? known(said.value)
        : unknown(said.kind === 'refused' ? `${said.said}. ${said.advice}` : said.why),
    );
  }
  return teams.size === 0 ? undefined : Object.fromEntries(teams);
}

/** Who made what is delivered; of a workload that is taken over nothing is. */
async function authorsOf(
  forge: Forge,
  { one, reading, commits }: ForgeAnswer & Pick<Pass, 'reading' | 'commits'>,
): Promise<ApprovalEvidence['authors']> {
  const { snapshot } = one;
  const file = snapshot?.workload;
  const entry = reading.desired.rollouts.find(({ key }) => printKey(key) === printKey(one.key));
  if (snapshot === undefined || !(snapshot.policy.approvals ?? []).some(({ notAuthor }) => notAuthor)) return absent;
  if (file === undefined || entry === undefined) return unknown('there is no workload in the files');
  if (file.workload.marks === undefined) return known({ logins: [], unclear: [] });
  if (snapshot.stable.kind !== 'known') return unknown('the version to go back to is not known');
  const brought = await commits.brought(entry, { from: snapshot.stable.value.release.digest, to: file.digest });
  if (brought.kind !== 'known') return brought;
  const said = await ask(() => forge.makers(brought.value));
  return said.kind === 'done' ? known(said.value) : unknown(said.kind === 'refused' ? said.said : said.why);
}

/**
 * Whether what was merged is what we proposed, and nothing else: opened by our account, at our commit or at one that brings
 * it onto a newer main. A branch of the same name may have held anything, anyone who may push can add to ours, and a record
 * may lie.
 */
async function ownAt(
  { git, forge }: Pick<Ports, 'git'> & { readonly forge: Forge },
  { one, wanted, reading }: ForgeAnswer & Pick<Pass, 'reading'>,
  { head, author }: Pick<Pull, 'head' | 'author'>,
): Promise<Known<true>> {
  const login = await selfOf(forge);
  if (login === undefined || login === '') return unknown('the forge does not say whose credential this is');
  if (login !== author.login) return absent;
  const of = { one, wanted, form: 'EvidenceWanted' } as const;
  const reader = { ports: { git }, reading };
  try {
    const isOurs = (await isOurCommit(of, reader, head)) || (await isBroughtUpToDate(of, reader, head));
    return isOurs ? known(true) : absent;
  } catch (error) {
    // A head that no server has proves nothing, and is no reason that the pass of all others ends.
    const isAnswer = error instanceof PortError && (!error.retryable || error.missing === head);
    if (isAnswer) return unknown(`${head.slice(0, 12)}: ${error.message}`);
    throw error;
  }
}
