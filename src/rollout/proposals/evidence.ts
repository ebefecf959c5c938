/** Whether those who approved are whom policies ask for: told by what the forge shows of the pull request, by nothing else. */

import type { Known } from '../../api/known.ts';
import type { PolicyApproval } from '../../api/policy-approvals.ts';
import { type Hold, hold } from '../hold.ts';
import { policySaying } from '../sentences.ts';
import type { Snapshot } from '../snapshot.ts';

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
};

/** Whether policies want to see on the forge who approved; a word that somebody wrote into the file is none then. */
export function wantsEvidence({ policy }: Pick<Snapshot, 'policy'>): boolean {
  return (policy.approvals ?? []).length > 0;
}

/** What is missing of what policies ask for; undefined: nothing is. What could not be read counts for nobody. */
export function unproven(snapshot: Snapshot, label: string): Hold | undefined {
  const { policy, approval, key } = snapshot;
  const anew = `tranche propose ${key.name}`;
  const asks = policySaying(snapshot, 'approvals');
  const missing = (seen: string, action: string): Hold => hold('ApprovalUnproven', { seen, action });
  if (!wantsEvidence(snapshot)) return undefined;
  if (approval === undefined || approval.kind === 'unknown')
    return missing(
      `${asks} wants the forge to show who approved ${label}, and that could not be read: ${approval?.why ?? 'this pass brakes another rollout first'}`,
      'It is read again with the next pass',
    );
  if (approval.kind === 'absent')
    return missing(
      `${asks} wants the forge to show who approved ${label}, and no merged pull request of tranche has brought its word`,
      `To propose it: ${anew}`,
    );
  const { url } = approval.value;
  const short = (policy.approvals ?? [])
    .map((wanted) => shortOf(wanted, approval.value))
    .find((said) => said !== undefined);
  if (short === undefined) return undefined;
  return missing(
    `${asks} wants ${label} approved by ${short}: ${url}`,
    `Let others approve it there, at the commit that was merged, or propose it anew: ${anew}`,
  );
}

/** `2 people with a right to write, seen are ada (merge)`; undefined: there are enough of them. */
function shortOf(wanted: PolicyApproval, evidence: ApprovalEvidence): string | undefined {
  const { people, notAuthor } = wanted;
  const { approvers } = evidence;
  const counted = approvers.filter((one) => whyNot(one, wanted, evidence) === undefined);
  if (new Set(counted.map(({ login }) => login)).size >= people) return undefined;
  const seen = approvers.map((one) => {
    const why = whyNot(one, wanted, evidence);
    return `${one.login} (${one.by}${why === undefined ? '' : `, does not count: ${why}`})`;
  });
  const who = people === 1 ? 'a person' : `${people} people`;
  const others = notAuthor ? ' who did not make the change' : '';
  return `${who} with a right to write${others}, seen ${seen.length === 0 ? 'is nobody' : `are ${seen.join(' and ')}`}`;
}

/** Why this one does not count; undefined: he or she does. */
function whyNot(
  { login, isBot, mayWrite }: Approver,
  { bots, notAuthor }: PolicyApproval,
  { authors }: ApprovalEvidence,
): string | undefined {
  if (isBot && !bots.includes(login)) return 'a machine that no policy lists';
  if (!isBot && mayWrite.kind === 'unknown') return `the permission could not be read, ${mayWrite.why}`;
  if (!isBot && !(mayWrite.kind === 'known' && mayWrite.value)) return 'no right to write';
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
