/** What started the run of a workflow: whether writing is allowed on it, and which commit it asks about. */

import { isOwnBranch } from '../api/own-branches.ts';
import { type Io, UsageError } from '../options.ts';

/** Events that only people with write access cause, on the workflow of a branch that they may write. */
const OWN_EVENTS: ReadonlySet<string> = new Set(['', 'push', 'schedule', 'workflow_dispatch', 'repository_dispatch']);

/**
 * Throws UsageError where the event can be caused by others, or runs with rights that they must not meet (GitHub calls
 * it a pwn request): writing takes the events above on a branch of people, and nothing runs on `pull_request_target`.
 */
export function checkEvent(mode: string, writes: boolean, { env }: Io): void {
  const { GITHUB_EVENT_NAME: event = '', GITHUB_REF: ref = '' } = env;
  if (event === 'pull_request_target')
    throw new UsageError(
      'the action does not run on pull_request_target, where a token that may write meets text of others. Use pull_request',
    );
  if (!writes) return;
  if (!OWN_EVENTS.has(event))
    throw new UsageError(
      `mode ${mode} does not run on ${event}, because others can cause it. Use push, schedule, workflow_dispatch or repository_dispatch; plan and lint run on any event`,
    );
  if (ref !== '' && !isOfPeople(ref))
    throw new UsageError(
      `mode ${mode} does not run for ${ref}, wanted a branch of people. Limit the event with branches: [main]`,
    );
}

/** A branch that is neither made by tranche nor by the merge queue. */
function isOfPeople(ref: string): boolean {
  const [, branch] = /^refs\/heads\/(.+)$/.exec(ref) ?? [];
  return branch !== undefined && !branch.startsWith('gh-readonly-queue/') && !isOwnBranch(branch);
}
