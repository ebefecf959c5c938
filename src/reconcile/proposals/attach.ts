/** What policies name next to the text of a pull request: its labels, and who is asked for a review. Each once. */

import { printable } from '../../api/printable.ts';
import type { ProposalRecord } from '../../api/proposal-record.ts';
import { attachTo } from '../write/execute-proposal.ts';
import type { Judged, ProposalRound } from './proposal-pass.ts';

/** The record with what came of it. Where the forge does not answer, or we were cut off before, the next pass does what is left. */
export async function attachedTo(
  { one, verdict, proposal }: Judged & { readonly proposal: ProposalRecord },
  { ports, own }: ProposalRound,
): Promise<ProposalRecord> {
  const { number } = proposal;
  const { pullRequestLabels: labels = [], pullRequestReviewers: reviewers = [] } = one.snapshot?.policy ?? {};
  const isDone = proposal.attached === true || labels.length + reviewers.length === 0;
  if (isDone || number === undefined || verdict.kind !== 'waits') return proposal;
  const whose = await own.whose(proposal);
  if (whose !== 'ours') return whose === 'unknown' ? proposal : { ...proposal, attached: true };
  const done = await attachTo(ports.forge, { number, labels, reviewers });
  if (done.kind === 'deferred' || done.kind === 'unavailable') return proposal;
  const unasked = done.kind === 'done' ? done.value : reviewers.map((name) => ({ name, why: done.said }));
  // What the forge said is cut, for a message may hold a page.
  const told = unasked.map(({ name, why }) => `${name} (${printable(why).slice(0, 200)})`);
  return { ...proposal, attached: true, ...(told.length === 0 ? {} : { unasked: told }) };
}
