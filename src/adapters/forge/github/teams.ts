/** Reads who is in a team: again each time, for who left it yesterday approves nothing today. */

import type { Answer } from '../../../ports/forge.ts';
import type { ForgeCaller } from './call.ts';
import { textAt } from './read-pull.ts';
import { refused } from './refusals.ts';

const ADVICE =
  'Correct its name, or give the App the right Members: read of the organisation; GITHUB_TOKEN of a workflow sees no team';

/** Which of the accounts are in the team. GitHub answers 404 for a team that the credential does not see. Throws PortError. */
export async function readMembers(
  caller: ForgeCaller,
  { team, logins }: { readonly team: string; readonly logins: readonly string[] },
): Promise<Answer<readonly string[]>> {
  const slash = team.indexOf('/');
  const parameters = { org: team.slice(0, slash), team_slug: team.slice(slash + 1) };
  const operation = `read the team ${team}`;
  const seen = await caller.call({
    route: 'GET /orgs/{org}/teams/{team_slug}',
    operation,
    parameters,
    expected: [404],
  });
  if (seen.kind === 'unheard') throw seen.error;
  if (seen.kind === 'refused' && seen.refusal === 'PermissionMissing') return refused(seen.refusal, seen.said, ADVICE);
  if (seen.kind !== 'reply') return seen;
  if (seen.status === 404)
    return refused('NoAccess', 'there is none of this name, or this credential does not see it', ADVICE);
  const members: string[] = [];
  for (const login of logins) {
    const reply = await caller.call({
      route: 'GET /orgs/{org}/teams/{team_slug}/memberships/{username}',
      operation,
      parameters: { ...parameters, username: login },
      expected: [404],
    });
    if (reply.kind === 'unheard') throw reply.error;
    if (reply.kind !== 'reply') return reply;
    // Who is invited and has not accepted is `pending`.
    if (reply.status !== 404 && textAt(reply.data, 'state') === 'active') members.push(login);
  }
  return { kind: 'done', value: members };
}
