/** What must be seen between two commits of a ladder, as data: who waits decides how it is seen. */

/** `stable`: the side that serves before the delivery; `canary`: the one that it fills. */
export type Side = 'stable' | 'canary';

/**
 * `live`: the edits of the commit before, observed. `newVersion`: this many groups of the side are on the release and ready,
 * `tolerant` but for those that failureThreshold lets a step do without.
 * `sameTemplate`: the live template of the new side is that of the user's workload. `flipped`: its StatefulSet has the template
 * as its current and its update revision, so that groups that are added start on it. `reached`: the endpoints of the Service are that side's.
 * `complete`: the user's Service reaches every ready leader that it selects in Git, and so does that of the new version where
 * it selects all.
 * `stableText`: every group of the side is on the stable template and ready.
 */
export type Condition =
  | { readonly kind: 'live' }
  | { readonly kind: 'gates' }
  | { readonly kind: 'pause'; readonly step: number }
  | { readonly kind: 'serving'; readonly side: Side; readonly groups: number }
  | { readonly kind: 'servingStable'; readonly groups: number }
  | { readonly kind: 'newVersion'; readonly side: Side; readonly groups: number; readonly tolerant?: true }
  | { readonly kind: 'stableText' }
  | { readonly kind: 'sameTemplate' }
  | { readonly kind: 'noPods' }
  | { readonly kind: 'flipped'; readonly side: Side }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'drained'; readonly side: Side }
  | { readonly kind: 'reached'; readonly side: Side }
  | { readonly kind: 'complete' }
  | { readonly kind: 'bake' };

/** Before a share both sides must serve what they are sent; before all requests the new version alone. */
export function bothServe(isAll: boolean): readonly Condition[] {
  const canary: Condition = { kind: 'serving', side: 'canary', groups: 1 };
  return isAll ? [canary] : [canary, { kind: 'serving', side: 'stable', groups: 1 }];
}

/** What every commit of ours is followed by: nothing read before it counts. */
export const LIVE: Condition = { kind: 'live' };
