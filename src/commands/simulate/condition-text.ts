/** What is waited for between two commits of a ladder, in a few words. */

import type { Condition } from '../../rollout/ladders/condition.ts';
import { groupCount } from '../../rollout/texts/sentences.ts';

type Names = { readonly stable: string; readonly canary: string };

/** The condition with the names of both workloads. */
export function conditionText(condition: Condition, names: Names): string {
  switch (condition.kind) {
    case 'live':
      return 'live';
    case 'gates':
      return 'gates';
    case 'pause':
      return `pause and analysis of step ${condition.step}`;
    case 'serving':
      return `${names[condition.side]} serves with ${groupCount(condition.groups)}`;
    case 'servingStable':
      return `${names.stable} serves with ${groupCount(condition.groups)}, one of them not on the new text`;
    case 'newVersion':
      return `${groupCount(condition.groups)} of ${names[condition.side]} ready on the release`;
    case 'stableText':
      return `every group of ${names.stable} ready on the stable template`;
    case 'sameTemplate':
      return 'both live templates are the same';
    case 'noPods':
      return `${names.canary} has no pods`;
    case 'flipped':
      return `the StatefulSet of ${names[condition.side]} has flipped`;
    case 'accepted':
      return 'routes accepted';
    case 'drained':
      return `${names[condition.side]} drained`;
    case 'reached':
      return `the Service reaches ${names[condition.side]}`;
    case 'complete':
      return 'the Service reaches all that it takes in';
    case 'bake':
      break;
  }
  return 'bake time';
}
