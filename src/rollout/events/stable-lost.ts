/** The stable version serves nothing while requests are shared: what is said of it, and what helps. */

import { isOneWorkload } from '../../api/styles.ts';
import { type Hold, hold } from '../hold.ts';
import { servingGroups } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { primaryGroups, stableSide } from '../ladders/delivery.ts';
import { notReached } from '../ladders/endpoints.ts';
import { namesAnother } from '../ladders/version-edits.ts';
import { sideName } from '../ladders/version-sides.ts';
import { abortOf } from '../orders/aborted-release.ts';
import { type Advice, advice, commandLine, replicasRaised } from '../texts/advice.ts';

/** The groups of the stable version are ready, and the user's Service takes none of them in, as it names another workload. */
export function stableUnselected(on: Delivering): Hold | undefined {
  const { delivery, view } = on;
  if (view === undefined || !namesAnother(delivery) || notReached(delivery, view) === undefined) return undefined;
  return stableNotServing(on);
}

/** The other side has a share and serves nothing: loud, and no share of ours goes beyond what people have approved. */
export function stableNotServing(on: Delivering): Hold | undefined {
  if (servingGroups(on, 'stable') !== 0) return undefined;
  const stable = sideName(on.delivery, 'stable');
  return hold('StableNotServing', {
    seen: `no group of ${stable} serves, and it gets the requests that the new version does not`,
    action: stableNeeds(on),
  });
}

/**
 * What helps where the stable version serves nothing. Groups that are added to a locked workload of none start on the
 * template of Git: that has to be the stable one by then.
 */
export function stableNeeds({ delivery, situation, marks, view }: Delivering): string | Advice {
  const stable = sideName(delivery, 'stable');
  const abort = commandLine('abort', situation.snapshot.key);
  const reached = view === undefined ? undefined : notReached(delivery, view);
  if (isOneWorkload(delivery.plan.style))
    return oneNeeds({ marks, situation }, namesAnother(delivery) ? (reached ?? LOOK) : LOOK);
  const served = stableSide(delivery) ?? delivery.own;
  const isEmpty = primaryGroups(delivery) === 0;
  const mend = reached ?? LOOK;
  if (marks.step?.kind === 'rollback')
    return advice`The release is aborted, and the stable template is back: requests follow once ${stable} serves. ${isEmpty ? replicasRaised(`Raise the replicas of ${stable} from 0`, served) : mend}`;
  const back = 'the stable template returns at once, and requests once it serves';
  if (!isEmpty) return advice`${mend}; to go back: ${abort} (${back})`;
  return advice`To go back: ${abort} (${back}), and ${replicasRaised(`raise the replicas of ${stable} from 0`, served)} then: before that its groups would start on the new version`;
}

const LOOK = 'Look at its pods and events';

/**
 * With one workload. Its groups cannot get the stable template while they alone answer requests, so an abort waits, and it is
 * said that it is taken. Nobody has to wait who says what it costs.
 */
function oneNeeds({ marks, situation }: Pick<Delivering, 'marks' | 'situation'>, mend: string): string | Advice {
  const { key } = situation.snapshot;
  const now = advice`to go back without waiting for it, though every request fails until it serves: ${commandLine('abort', key, '--now --accept-outage')}`;
  if (marks.step?.kind === 'rollback') return marks.at === 'back' ? advice`${mend}; ${now}` : mend;
  if (abortOf(situation, marks.release) === undefined) return advice`${mend}; to go back: ${commandLine('abort', key)}`;
  return advice`The abort is taken: requests and groups go back once the stable version serves. ${mend}; ${now}`;
}
