/** Gates of a release whose versions share one workload and its requests: what such a delivery cannot carry. */

import { immutableChanges } from '../edits/recreate-change.ts';
import { wholeChange } from '../edits/size-change.ts';
import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import { surgeToCome } from './surge.ts';

/** Sizes and fields that no object takes in place leave no version that could serve next to the other. */
export function shapeRefused(situation: Situation): Hold | undefined {
  const { snapshot, workload, file } = situation;
  const sizes = wholeChange(situation);
  const { stable } = snapshot;
  const fields = stable.kind === 'known' ? immutableChanges(stable.value.content, workload.content) : [];
  if (sizes === undefined && fields.length === 0) return undefined;
  const what = sizes === undefined ? fields.join(', ') : `the size of a group from ${sizes.from} to ${sizes.to}`;
  return hold('ChangeRefused', {
    seen: `${file.file}: the edit changes ${what}, and no two versions of the workload could share its requests meanwhile`,
    action: 'Put the old value back, or take trafficRoutings out of the Rollout for this change',
  });
}

/** Extra groups come up on the release, and get no requests of the version whose capacity they are to hold. */
export function surgeUseless(situation: Situation): Hold | undefined {
  const extra = surgeToCome(situation);
  if (extra === 0) return undefined;
  return hold('SurgeRefused', {
    seen: `a policy asks for ${extra} extra groups, and where routes share out the requests those do not serve for the stable version`,
    action: 'Write surge: 0 in a RolloutPolicy for this Rollout',
  });
}
