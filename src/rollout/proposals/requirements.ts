/** Requirements of approvals one by one: who of those who approved counts for which, and what each still wants. */

import { absent, type Known } from '../../api/known.ts';
import type { PolicyApproval } from '../../api/policy-approvals.ts';
import type { PolicyRules } from '../../api/policy-rules.ts';
import { enoughPeople } from './distinct.ts';

/** Somebody who approved the commit that was merged. */
export type Approver = {
  readonly login: string;
  readonly isBot: boolean;
  readonly by: 'merge' | 'review';
  readonly mayWrite: Known<boolean>;
};

/** What the forge shows of the merged pull request whose word stands in the Rollout. */
export type ApprovalEvidence = {
  /** Its page, for people. */
  readonly url: string;
  readonly approvers: readonly Approver[];
  /** Who made the change that is delivered, and what leaves that open; `absent`: no policy asks. */
  readonly authors: Known<{ readonly logins: readonly string[]; readonly unclear: readonly string[] }>;
  /** By team: those of the approvers who are its members. Not there: it was not read. */
  readonly teams?: Readonly<Record<string, Known<readonly string[]>>>;
};

/** One requirement as a sentence: what is missing of it, or who has met it. */
type Met = { readonly isMet: boolean; readonly text: string };

/** What each requirement asks for, a line each, before anybody has approved; empty: policies want nothing shown. */
export function asksOf({
  policy: { approvals = [] },
}: {
  readonly policy: Pick<PolicyRules, 'approvals'>;
}): readonly string[] {
  return approvals.map((wanted, at) => `approval ${at + 1} of ${approvals.length}: ${whoText(wanted)}`);
}

/** Each requirement by itself, and the distinct ones together with all others. */
export function requirementsMet(approvals: readonly PolicyApproval[], evidence: ApprovalEvidence): readonly Met[] {
  const needs = approvals.map((wanted) => {
    const counted = evidence.approvers.filter((one) => whyNot(one, wanted, evidence) === undefined);
    return { wanted, logins: distinctAccounts(counted, evidence) };
  });
  const own = needs.map(({ wanted, logins }) => logins.length >= wanted.people);
  const areEnough =
    own.includes(false) ||
    enoughPeople(
      needs.map(({ wanted, logins }) => ({ people: wanted.people, isDistinct: wanted.distinct === true, logins })),
    );
  return needs.map(({ wanted, logins }, at) => {
    const shared =
      areEnough || wanted.distinct !== true ? '' : ', and all of them are needed for others: somebody else';
    const isMet = own[at] === true && shared === '';
    const who = isMet ? `met by ${logins.join(' and ')}` : `seen ${seenText(wanted, evidence)}${shared}`;
    return { isMet, text: `${whoText(wanted)}, ${who}` };
  });
}

/** Each account once, in the spelling in which it is seen first: two spellings of one are no second person. */
function distinctAccounts(counted: readonly Approver[], { approvers }: ApprovalEvidence): readonly string[] {
  const first = (login: string): string => approvers.find((one) => sameAccount(one.login, login))?.login ?? login;
  return [...new Set(counted.map(({ login }) => first(login)))];
}

/** `2 people of the team example/sre with a right to write who did not make the change`. */
function whoText({ people, team, notAuthor, bots, distinct }: PolicyApproval): string {
  const who = people === 1 ? 'someone' : `${people} people`;
  const of = team === undefined ? '' : ` of the team ${team}`;
  const machines = bots.length === 0 ? '' : ` (or ${bots.join(', ')})`;
  const others = notAuthor ? ' who did not make the change' : '';
  const alone = distinct === true ? ', for this alone' : '';
  return `${who}${of} with a right to write${machines}${others}${alone}`;
}

function seenText(wanted: PolicyApproval, evidence: ApprovalEvidence): string {
  const unread = teamUnread(wanted, evidence);
  if (unread !== undefined) return `is nobody who counts: ${unread}`;
  const seen = evidence.approvers.map((one) => {
    const why = whyNot(one, wanted, evidence);
    return `${one.login} (${one.by}${why === undefined ? '' : `, does not count: ${why}`})`;
  });
  return seen.length === 0 ? 'is nobody' : `are ${seen.join(' and ')}`;
}

/** Why this one does not count; undefined: he or she does. */
function whyNot(approver: Approver, wanted: PolicyApproval, evidence: ApprovalEvidence): string | undefined {
  return (
    notAllowed(approver, wanted) ?? notInTeam(approver, wanted, evidence) ?? mayHaveMade(approver, wanted, evidence)
  );
}

function notAllowed({ login, isBot, mayWrite }: Approver, { bots }: PolicyApproval): string | undefined {
  if (isBot) return bots.includes(login) ? undefined : 'a machine that no policy lists';
  if (mayWrite.kind === 'unknown') return `the permission could not be read, ${mayWrite.why}`;
  return mayWrite.kind === 'known' && mayWrite.value ? undefined : 'no right to write';
}

function notInTeam({ login }: Approver, wanted: PolicyApproval, evidence: ApprovalEvidence): string | undefined {
  if (wanted.team === undefined) return undefined;
  const members = membersOf(wanted.team, evidence);
  if (members.kind !== 'known') return teamUnread(wanted, evidence);
  return members.value.some((member) => sameAccount(member, login)) ? undefined : `not in the team ${wanted.team}`;
}

/** Who is in a team that could not be read is not known, so nobody is. */
function teamUnread({ team }: PolicyApproval, evidence: ApprovalEvidence): string | undefined {
  const members = team === undefined ? undefined : membersOf(team, evidence);
  return members === undefined || members.kind === 'known'
    ? undefined
    : `the team ${team} could not be read${members.kind === 'unknown' ? `, ${members.why}` : ''}`;
}

function membersOf(team: string, { teams = {} }: ApprovalEvidence): Known<readonly string[]> {
  return (Object.hasOwn(teams, team) ? teams[team] : undefined) ?? absent;
}

function mayHaveMade(
  { login }: Approver,
  { notAuthor }: PolicyApproval,
  { authors }: ApprovalEvidence,
): string | undefined {
  if (!notAuthor) return undefined;
  if (authors.kind !== 'known')
    return `who made the change could not be read${authors.kind === 'unknown' ? `, ${authors.why}` : ''}`;
  if (authors.value.logins.some((author) => sameAccount(author, login))) return 'made the change, or merged it';
  const [unclear] = authors.value.unclear;
  return unclear === undefined ? undefined : `nobody knows all who made the change, ${unclear}`;
}

/** GitHub writes an App with `[bot]` in one API and without it in another, and no login in one spelling alone. */
function sameAccount(left: string, right: string): boolean {
  const [one, other] = [left, right].map((login) => login.toLowerCase().replace(/\[bot\]$/, ''));
  return one === other;
}
