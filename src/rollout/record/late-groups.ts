/** Groups that load far longer than any was seen to, where no deadline says when that is too long: people are notified of each once. */

import type { GroupRecord } from '../../api/record-groups.ts';
import { printDuration } from '../../api/time.ts';
import type { Hold } from '../hold.ts';
import { wanted } from '../observed/groups-asked.ts';
import type { Situation } from '../situation.ts';

/** A group is late after this many times the longest load that was measured, */
const FAR_TIMES = 4;
/** and no sooner than this: a load of seconds is no measure. */
const FAR_LEAST_SECONDS = 600;

/** Holds that stand for groups which are to become ready. */
const WAITING: readonly Hold['reason'][] = ['GroupsNotReady', 'RollingBack'];

type LateGroup = { readonly what: string; readonly text: string };

/**
 * A line for each group that is late now, with a name that is the same in every pass. Empty where a deadline is in force, where
 * no load was measured, and where nothing bears out the record that dates them.
 */
export function lateGroups(situation: Situation, holds: readonly Hold[]): readonly LateGroup[] {
  const { snapshot } = situation;
  const { record, policy, now, unsigned } = snapshot;
  const held = holds.find(({ reason }) => WAITING.includes(reason));
  const longest = Math.max(0, ...(record?.loads ?? []));
  const isDeadline = (policy.readyDeadlineSeconds ?? policy.deliveryReadyDeadlineSeconds) !== undefined;
  if (held === undefined || record === undefined || longest === 0 || unsigned !== undefined || isDeadline) return [];
  const most = Math.max(FAR_LEAST_SECONDS, FAR_TIMES * longest);
  const late = (of: string, what: string, groups: readonly GroupRecord[] = []): readonly LateGroup[] =>
    groups.flatMap(({ index, ready, since, unready }) => {
      const seconds = ready ? 0 : now - (unready?.since ?? since);
      if (seconds <= most) return [];
      const usual = `the longest load that was seen took ${printDuration(longest)}`;
      const text = `Group ${index}${of} has not been ready for ${printDuration(seconds)}; ${usual}. ${held.message}`;
      return [{ what: `${what} ${index}`, text }];
    });
  return [
    ...late('', 'group', stillUnready(situation, record.groups)),
    ...late(' of the second workload', 'second group', record.traffic?.groups),
  ];
}

/** As this pass sees the user's own: one that is ready since is not late any more. */
function stillUnready(situation: Situation, recorded: readonly GroupRecord[]): readonly GroupRecord[] {
  if (situation.view === 'unseen') return [];
  const unready = wanted(situation.observed, situation.asked).filter(({ ready }) => !ready);
  return recorded.filter(({ index }) => unready.some((group) => group.index === index));
}
