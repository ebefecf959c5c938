/** The outputs of the action's step: what one job did, all its passes together. */

import type { PassResult } from '../reconcile/pass.ts';
import { recordWritten } from '../rollout/plan.ts';

/**
 * `failed` where the job broke off: then there may be no result at all. A job that `writes` has changed what it wrote; one
 * that does not, what it would write.
 */
export function outputsOf(
  results: readonly PassResult[],
  { failed, writes }: { readonly failed: boolean; readonly writes: boolean },
): Readonly<Record<string, string>> {
  const outcomes = results.flatMap((result) => result.outcomes);
  const commits = outcomes.map(({ written }) => written).filter((oid) => oid !== undefined);
  const changed = writes ? commits.length > 0 : outcomes.some(({ plan }) => plan?.commit !== undefined);
  const last = results.findLast(({ quiet }) => !quiet);
  const statuses = results.map(({ status }) => status).filter((oid) => oid !== undefined);
  return {
    changed: String(changed),
    failed: String(failed),
    rollouts: JSON.stringify((last?.outcomes ?? []).map(rolloutOf)),
    commits: commits.join('\n'),
    'pull-requests': (last === undefined ? [] : openPulls(last)).join('\n'),
    'status-commit': statuses.at(-1) ?? '',
    summary: summaryOf(last, commits.length),
  };
}

/** What an address of a pull request may hold, so that it is a link wherever it is shown, and nothing else. */
const ADDRESS = /^https?:\/\/[\w.:/-]+$/;

/** The addresses of the pull requests that Rollouts wait for. */
export function openPulls({ outcomes }: PassResult): readonly string[] {
  return outcomes.flatMap(({ plan }) => {
    const proposal = plan?.record.proposal;
    const url = proposal?.state === 'open' ? proposal.url : undefined;
    return url !== undefined && ADDRESS.test(url) ? [url] : [];
  });
}

/** Only what has names: sentences hold text of others, and are in the log. */
function rolloutOf({ key, plan, written, error }: PassResult['outcomes'][number]) {
  const { namespace, name } = key;
  const record = plan === undefined ? undefined : recordWritten(plan);
  const holds = plan?.holds.map(({ reason }) => reason) ?? [];
  return { namespace, name, phase: record?.phase, holds, commit: written, failed: error !== undefined };
}

function summaryOf(last: PassResult | undefined, commits: number): string {
  if (last === undefined) return 'nothing has moved, all settled';
  const waiting = last.outcomes.filter(({ plan }) => (plan?.holds.length ?? 0) > 0).length;
  const failed = last.outcomes.filter(({ error }) => error !== undefined).length;
  const looked = counted(last.outcomes.length, 'Rollout');
  return `${looked} looked at, ${counted(commits, 'commit')} written, ${waiting} waiting, ${failed} failed`;
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
