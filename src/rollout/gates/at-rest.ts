/** Gates that ask whether a workload is at rest: every group there, ready, and on one revision. */

import { SENTINEL } from '../../api/workload.ts';
import { type Hold, hold } from '../hold.ts';
import type { SizeFault } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { flipped, type Seen, unreadyOf } from '../situation.ts';
import { type Advice, advice, leadersDeleted, podsDeleted } from '../texts/advice.ts';
import { groupsAre, notReady } from '../texts/sentences.ts';

/** Why the workload is not at rest: a group missing, not ready, on another revision, or the StatefulSet not flipped. */
export function atRest(situation: Seen): Hold | undefined {
  const { observed, replicas } = situation;
  const groups = wanted(observed, replicas);
  const elsewhere = groups.filter((group) => group.key !== observed.leaderSet.revisionKey);
  if (elsewhere.length > 0) {
    const seen = `${groupsAre(elsewhere.map((group) => group.index))} not on the newest revision that the cluster has`;
    if (situation.partition !== SENTINEL) return hold('NotAtRest', { seen, waits: 'controllers' });
    // A leader that is deleted comes back on the revision that the StatefulSet counts as the current one.
    if (!flipped(observed.leaderSet))
      return hold('NotAtRest', {
        seen: `${seen}, and would come back as before if deleted: the StatefulSet has not taken all leaders over. The next release moves every group`,
        waits: 'people',
      });
    return hold('NotAtRest', {
      seen: `${seen}, and while locked nothing moves:`,
      action: advice`delete ${leadersDeleted('the leader pod', situation.file, elsewhere)} to let the group follow`,
    });
  }
  const unready = unreadyOf(groups);
  if (unready.length > 0) return hold('NotAtRest', { seen: notReady(unready), waits: 'groups' });
  const odd = groups.find((group) => group.sizeFault !== undefined);
  if (odd?.sizeFault !== undefined)
    return hold('NotAtRest', {
      seen: `group ${odd.index} has ${odd.sizeFault.seen}`,
      action: madeAgain(odd.sizeFault),
    });
  if (observed.groups.length > groups.length)
    return hold('NotAtRest', {
      seen: `${observed.groups.length - groups.length} groups above replicas are still there`,
      waits: 'controllers',
    });
  if (!flipped(observed.leaderSet))
    return hold('NotAtRest', {
      seen: 'the StatefulSet controller has not yet taken all leaders over',
      waits: 'controllers',
    });
  return undefined;
}

/** Nobody but its owner can bring to rest what is not taken over yet: tranche has no template of it to go back to. */
export function atRestToAdopt(situation: Seen): Hold | undefined {
  const found = atRest(situation);
  if (found === undefined) return undefined;
  const { file, beneath } = situation.file;
  // The patch of a kustomize folder comes with the commit that takes it over.
  const place = beneath === undefined ? file : `the files that ${beneath.applied.kustomization.file} builds`;
  return hold(found.reason, {
    seen: `${found.message}. Not taken over yet: that is done once all groups are ready on one template`,
    action: `If it stays so, mend the template in ${place}, or put the one back that worked`,
  });
}

/** What helps where a group has another number of workers than its template wants. */
export function madeAgain({ pod }: SizeFault): Advice {
  return advice`delete the ${podsDeleted([pod])} once the size stands`;
}
