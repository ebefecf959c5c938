/** Whether those who approved are whom policies ask for, by what the forge shows of the pull request and nothing else. */

import { wantsEvidence } from '../gates/evidence.ts';
import { type Hold, hold, withLines } from '../hold.ts';
import type { Snapshot } from '../snapshot.ts';
import { type Advice, advice, commandLine } from '../texts/advice.ts';
import { policySaying } from '../texts/sentences.ts';
import { requirementsMet } from './requirements.ts';

/** What is missing of what policies ask for; undefined: nothing is. What could not be read counts for nobody. */
export function unproven(snapshot: Snapshot, label: string): Hold | undefined {
  const { policy, approval, key } = snapshot;
  const fresh = commandLine('propose', key);
  const asks = policySaying(snapshot, 'approvals');
  const missing = (seen: string, action: string | Advice): Hold => hold('ApprovalUnproven', { seen, action });
  if (!wantsEvidence(snapshot)) return undefined;
  if (approval === undefined || approval.kind === 'unknown')
    return missing(
      `${asks} wants the forge to show who approved ${label}, and that could not be read: ${approval?.why ?? 'this pass brakes another rollout first'}`,
      'It is read again with the next pass',
    );
  if (approval.kind === 'absent')
    return missing(
      `${asks} wants the forge to show who approved ${label}, and no merged pull request of tranche has brought its approval, or main has lost it since`,
      advice`To propose it: ${fresh}`,
    );
  const all = requirementsMet(policy.approvals ?? [], approval.value);
  const short = all.filter(({ isMet }) => !isMet);
  if (short.length === 0) return undefined;
  const held = missing(
    `${asks} wants ${label} approved by ${short.map(({ text }) => text).join('; and by ')}: ${approval.value.url}`,
    advice`Let others approve it there, at the commit that was merged, or propose it again: ${fresh}`,
  );
  const line = ({ isMet, text }: (typeof all)[number], at: number): string =>
    `approval ${at + 1} of ${all.length}${isMet ? '' : ' is missing'}: ${text}`;
  return withLines(held, all.map(line));
}
