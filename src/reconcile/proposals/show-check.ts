/** The check run of an open pull request: written where it says something else, and never in the way of anything. */

import { printable } from '../../api/printable.ts';
import type { ProposalRecord } from '../../api/proposal-record.ts';
import { holdKind } from '../../rollout/hold.ts';
import { checkText } from '../../rollout/proposals/check-text.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import { factsDigest } from '../documents/digests.ts';
import { showCheck } from '../write/execute-proposal.ts';
import type { Judged, ProposalRound } from './proposal-pass.ts';

/** Writes are counted by the forge: what flaps is written so often at most. */
const GAP_SECONDS = 60;
/** And seconds that run down, where nothing else has changed. */
const TICK_SECONDS = 300;

/** The record with what was written. What the forge refuses is said once; where it does not answer, the next pass tries again. */
export async function shownCheck(
  { one, verdict, proposal }: Judged & { readonly proposal: ProposalRecord },
  { ports, reading }: ProposalRound,
): Promise<ProposalRecord> {
  const { number, head, check, checkRefused } = proposal;
  if (one.plan === undefined || number === undefined || checkRefused !== undefined) return proposal;
  if (verdict.kind !== 'waits' && verdict.kind !== 'shut') return proposal;
  const { record, commit } = one.plan;
  // The first hold of what is proposed is that it waits for someone, which the pull request says itself.
  const held = commit?.delivery === 'proposal' ? record.holds.slice(1) : record.holds;
  const shut = held.filter(({ reason }) => holdKind(reason)?.effect !== 'informs');
  const { title, summary, lasting, ticks } = checkText({ record, shut, now: reading.at });
  const text = factsDigest({ head, text: lasting });
  const since = check === undefined ? Infinity : Math.abs(reading.at - check.at);
  const isDue = text === check?.text ? ticks && since >= TICK_SECONDS : since >= GAP_SECONDS;
  if (!isDue) return proposal;
  const done = await showCheck(ports.forge, { oid: head, title, summary });
  if (done.kind === 'done') return { ...proposal, check: { text, at: reading.at } };
  if (done.kind !== 'refused') return proposal;
  const why = printable(done.said).slice(0, 200);
  ports.log.warn(
    `${printKey(one.key)}: pull request ${number} has no check run with the numbers of its step: ${why}. ${printable(done.advice)}`,
  );
  return { ...proposal, checkRefused: why };
}
