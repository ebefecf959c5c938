/** The stable version serves nothing while requests are shared: what is said of it, and what helps. */

import { isOneWorkload } from '../../api/styles.ts';
import { type Hold, hold } from '../hold.ts';
import { servingGroups } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { primaryGroups, stableSide } from '../ladders/delivery.ts';
import { notReached } from '../ladders/endpoints.ts';
import { sideName } from '../ladders/version-sides.ts';
import { type Advice, advice, commandLine, replicasRaised } from '../texts/advice.ts';

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
  if (isOneWorkload(delivery.plan.style)) return oneNeeds({ marks, situation });
  const served = stableSide(delivery) ?? delivery.own;
  const isEmpty = primaryGroups(delivery) === 0;
  const mend = (view === undefined ? undefined : notReached(delivery, view)) ?? LOOK;
  if (marks.step?.kind === 'rollback')
    return advice`The release is aborted, and the stable template is back: requests follow once ${stable} serves. ${isEmpty ? replicasRaised(`Raise the replicas of ${stable} from 0`, served) : mend}`;
  const back = 'the stable template returns at once, and requests once it serves';
  if (!isEmpty) return advice`${mend}; to go back: ${abort} (${back})`;
  return advice`To go back: ${abort} (${back}), and ${replicasRaised(`raise the replicas of ${stable} from 0`, served)} then: before that its groups would start on the new version`;
}

const LOOK = 'Look at its pods and events';

/** With one workload. While a share is kept for the groups that go back, nobody has to wait who says what it costs. */
function oneNeeds({ marks, situation: { snapshot } }: Pick<Delivering, 'marks' | 'situation'>): string | Advice {
  if (marks.step?.kind !== 'rollback') return advice`${LOOK}; to go back: ${commandLine('abort', snapshot.key)}`;
  return marks.at === 'back'
    ? advice`${LOOK}; to go back without waiting for it, though every request fails until it serves: ${commandLine('abort', snapshot.key, '--now --accept-outage')}`
    : LOOK;
}
