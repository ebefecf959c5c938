/** Whether a change starts a delivery next to as many as a policy allows: counted in what merging it would make. */

import type { Issue } from '../api/issue.ts';
import type { Snapshot } from '../rollout/snapshot.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import type { Outcome } from './outcome.ts';

/**
 * As problems at the line of the policy. A step of tranche asked the same when it was proposed, and others may have started
 * since. What goes back, or has started before, is never one.
 */
export function beyondSharedLimits(before: readonly Outcome[], after: readonly Outcome[]): readonly Issue[] {
  const was = new Map(before.map(({ key, snapshot }) => [printKey(key), snapshot]));
  return after.flatMap(({ key, snapshot }) => {
    if (snapshot === undefined || stepOf(snapshot) !== 'step' || stepOf(was.get(printKey(key))) !== undefined)
      return [];
    return (snapshot.turns ?? []).flatMap(({ field, policy, file, line, most, underWay }): readonly Issue[] => {
      if (underWay.length < most) return [];
      const others = underWay.join(', ');
      return [
        {
          file,
          line,
          path: `spec.${field}`,
          reason: 'OverSharedLimit',
          message: `the change starts a delivery of ${key.namespace}/${key.name} next to ${others}, and RolloutPolicy ${policy} allows ${most} (${field})`,
          hint: 'Merge it once one of them is settled.',
        },
      ];
    });
  });
}

function stepOf(snapshot: Snapshot | undefined): string | undefined {
  return snapshot?.workload?.workload.marks?.step?.kind;
}
