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
};

/** Whether policies want to see on the forge who approved; a word that somebody wrote into the file is none then. */
export function wantsEvidence({ policy }: Pick<Snapshot, 'policy'>): boolean {
  return (policy.approvals ?? []).length > 0;
}

/** What is missing of what policies ask for; undefined: nothing is. What could not be read counts for nobody. */
export function unproven(snapshot: Snapshot, label: string): Hold | undefined {
  const { policy, approval } = snapshot;
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
      'Take the annotation tranche.dev/approve out of the Rollout: then it is proposed',
    );
  const { url, approvers } = approval.value;
  const short = (policy.approvals ?? []).map((wanted) => shortOf(wanted, approvers)).find((said) => said !== undefined);
  if (short === undefined) return undefined;
  return missing(
    `${asks} wants ${label} approved by ${short}: ${url}`,
    'Let others approve it there, at the commit that was merged',
  );
}

/** `2 people with a right to write, seen is ada (merge); …`; undefined: there are enough of them. */
function shortOf({ people, bots }: PolicyApproval, approvers: readonly Approver[]): string | undefined {
  const counted = approvers.filter((one) => whyNot(one, bots) === undefined);
  if (new Set(counted.map(({ login }) => login)).size >= people) return undefined;
  const seen = approvers.map((one) => {
    const why = whyNot(one, bots);
    return `${one.login} (${one.by}${why === undefined ? '' : `, does not count: ${why}`})`;
  });
  const who = people === 1 ? 'a person' : `${people} people`;
  return `${who} with a right to write, seen ${seen.length === 0 ? 'is nobody' : `are ${seen.join(' and ')}`}`;
}

/** Why this one does not count; undefined: he or she does. */
function whyNot({ login, isBot, mayWrite }: Approver, bots: readonly string[]): string | undefined {
  if (isBot) return bots.includes(login) ? undefined : 'a machine that no policy lists';
  if (mayWrite.kind === 'unknown') return `the permission could not be read, ${mayWrite.why}`;
  return mayWrite.kind === 'known' && mayWrite.value ? undefined : 'no right to write';
}
