/** Which groups people are shown: those of the side that serves, which in blueGreen need not be the user's own. */

import type { RolloutRecord } from '../../api/record.ts';
import type { GroupRecord } from '../../api/record-groups.ts';

/** `name`: of the workload, where it is not plain that it is the user's own. */
type ServingSide = { readonly name: string | undefined; readonly groups: readonly GroupRecord[] };

/** In steps and at rest the stable side, and the new one once all requests of blueGreen are its. */
export function servingSide(record: RolloutRecord): ServingSide {
  const { traffic, marks } = record;
  const side = isOver(record) ? 'canary' : 'stable';
  const isOwn = (side === 'stable') !== (marks?.serves === 'green');
  if (traffic?.groups === undefined || (isOwn && marks?.serves === undefined))
    return { name: undefined, groups: record.groups };
  const name = traffic.shown?.sides.find((one) => one.side === side)?.name;
  const groups = isOwn ? record.groups : traffic.groups;
  // Each workload knows its own template as the release: the stable side's is not the one that is delivered.
  const isBefore = !isOwn && side === 'stable' && marks?.step !== undefined;
  return { name, groups: isBefore ? groups.map(asStable) : groups };
}

/** Whether the Service, or all of the routes, send to the new version. Only blueGreen comes so far. */
function isOver({ marks, traffic }: RolloutRecord): boolean {
  if (marks?.step?.kind !== 'promote') return false;
  return (
    marks.at === 'all' || marks.at === 'switch' || (marks.at === 'route-restored' && traffic?.reached?.of === 'canary')
  );
}

function asStable(group: GroupRecord): GroupRecord {
  return group.version === 'release' ? { ...group, version: 'stable' } : group;
}
