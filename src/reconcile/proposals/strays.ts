/** Open pull requests from branches of a Rollout that are not the one of its record: somebody has opened an old one again. */

import { WITHDRAWALS } from '../../rollout/proposals/judge.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import { closePull, deleteBranch } from '../write/execute-proposal.ts';
import type { Judged, ProposalRound } from './proposal-pass.ts';

/** How many a pass ends, of all Rollouts: who opens ours again as often as they like must not use up what others write. */
export const STRAYS_MOST = 1;

/** How many numbers a warning names. */
const NAMED_MOST = 5;

/**
 * Ends one that we have opened, and says whether that was all of ours: merged by mistake, an old one would say what nobody asks any more,
 * so no other one is opened before. Those of others are left alone, and named.
 */
export async function endStrays({ one, strays }: Judged, round: ProposalRound): Promise<'ended' | 'left'> {
  if (strays.length === 0) return 'ended';
  const { forge, git, log } = round.ports;
  const login = await round.own.self();
  if (login === undefined) return 'left';
  const isOurs = ({ author }: Judged['strays'][number]): boolean => login === '' || author.login === login;
  named(
    one,
    strays.filter((stray) => !isOurs(stray)),
    log,
  );
  const ours = strays.filter(isOurs);
  for (const { number, branch } of ours) {
    if (round.strays <= 0) return 'left';
    round.strays -= 1;
    const done = await closePull(forge, { number, why: `Closed by tranche: ${WITHDRAWALS.overtaken}.` });
    if (done.kind !== 'done') return 'left';
    round.room += 1;
    await deleteBranch(git, branch);
  }
  return 'ended';
}

function named({ key }: Judged['one'], those: Judged['strays'], log: ProposalRound['ports']['log']): void {
  if (those.length === 0) return;
  const numbers = those.slice(0, NAMED_MOST).map(({ number }) => number);
  const more = those.length > NAMED_MOST ? ` and ${those.length - NAMED_MOST} more` : '';
  const [what, have] = those.length === 1 ? ['pull request', 'has'] : ['pull requests', 'have'];
  log.warn(
    `${printKey(key)}: ${what} ${numbers.join(', ')}${more} ${have} its branches, and were opened by others: left alone. Close what nobody needs`,
  );
}
