/** What the clients of the demo lost, and whether that is what had to be. */

import type { CommitHeader } from '../ports/git.ts';
import type { Agent } from './agent/start-agent.ts';
import type { Finding } from './check.ts';

type Total = { readonly sent: number; readonly failed: number; readonly failedAt: number | undefined };

/** A gateway follows a route that was applied within this time, and what it has sent before comes back within another. */
const FOLLOWS_SECONDS = 5;

/**
 * `failed requests: 0 of 17100`. Where the only group of the new version dies with a share of the requests, that share is
 * lost until the agent has applied the commit that takes it back, and nothing is lost after that.
 */
export function lostRequests(
  { sent, failed, failedAt }: Total,
  agent: Pick<Agent, 'appliedAt'>,
  log: readonly Pick<CommitHeader, 'oid' | 'message'>[],
): Finding {
  const what = `failed requests: ${failed} of ${sent}`;
  const withdrawal = log.find(({ message }) => /^.*: step .* traffic withdrawn\n/.test(message));
  const until = withdrawal === undefined ? undefined : agent.appliedAt(withdrawal.oid);
  if (failedAt === undefined) return { good: sent > 0, what, seen: 'no request was sent' };
  if (until === undefined) return { good: false, what: `${what}; wanted 0`, seen: 'some, and no share was withdrawn' };
  return {
    good: failedAt <= until + FOLLOWS_SECONDS,
    what: `${what}, all before the agent had applied the withdrawal`,
    seen: `one ${failedAt - until} s after that`,
  };
}
