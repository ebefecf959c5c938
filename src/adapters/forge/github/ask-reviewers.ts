/** Asks people and teams for a review, as far as the forge takes them: nothing of a pull request hangs on that. */

import type { Answer, Unasked } from '../../../ports/forge.ts';
import type { ForgeCaller, Reply } from './call.ts';

/** Logins, and teams as `org/name`. */
type ReviewRequest = { readonly number: number; readonly reviewers: readonly string[] };

/** Asks all at once; where the forge refuses one of them it refuses all, so then one by one. Throws PortError. */
export async function askReviewers(
  caller: ForgeCaller,
  { number, reviewers }: ReviewRequest,
): Promise<Answer<readonly Unasked[]>> {
  const { owner } = caller.address;
  const isElsewhere = (name: string): boolean => name.includes('/') && !isOf(owner, name);
  const found: Unasked[] = reviewers
    .filter(isElsewhere)
    .map((name) => ({ name, why: `the team is not of ${owner}, which has the repository` }));
  const left = reviewers.filter((name) => !isElsewhere(name));
  if (left.length === 0) return { kind: 'done', value: found };
  const all = await askFor(caller, { number, reviewers: left });
  const isOfOne = all.kind === 'refused' && all.refusal === 'NotAccepted' && left.length > 1;
  for (const name of left) {
    const reply = isOfOne ? await askFor(caller, { number, reviewers: [name] }) : all;
    if (reply.kind === 'unheard') throw reply.error;
    if (reply.kind === 'deferred') return reply;
    if (reply.kind === 'refused') found.push({ name, why: reply.said });
  }
  return { kind: 'done', value: found };
}

/** GitHub takes no notice of how names of organisations are written. */
function isOf(owner: string, team: string): boolean {
  return team.toLowerCase().startsWith(`${owner.toLowerCase()}/`);
}

function askFor(caller: ForgeCaller, { number, reviewers }: ReviewRequest): Promise<Reply> {
  const teams = reviewers.filter((name) => name.includes('/'));
  return caller.call({
    route: 'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers',
    operation: `ask for reviews of pull request ${number}`,
    parameters: {
      pull_number: number,
      reviewers: reviewers.filter((name) => !teams.includes(name)),
      team_reviewers: teams.map((name) => name.slice(name.indexOf('/') + 1)),
    },
    isRepeatable: true,
  });
}
