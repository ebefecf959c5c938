/** Which leaders serve which version just now, and since when what they count may be compared. */

import type { Analysis } from '../../api/analysis.ts';
import type { Group, GroupVersion } from '../observed/groups.ts';
import type { Situation } from '../situation.ts';
import type { Served, Sides } from './counting.ts';

/** The sides of a step, with how many steps there are; or why nothing is compared. */
type SidesFound =
  | { readonly kind: 'sides'; readonly sides: Sides; readonly steps: number }
  | { readonly kind: 'nothing'; readonly why: string };

/**
 * A leader belongs to a version by what is seen, not by what Git asks for. One that is not ready, or is leaving, belongs to none.
 * Its evidence starts when it was ready and has warmed up: before that its name belonged to the leader that it replaces.
 */
export function sidesOf(situation: Situation, { warmUpSeconds }: Pick<Analysis, 'warmUpSeconds'>): SidesFound {
  const { state, snapshot, view } = situation;
  if (state.kind !== 'step')
    return nothing('no step is in progress in which groups of two versions serve side by side');
  if (snapshot.rollout?.rollout.routing !== undefined)
    return nothing('the Rollout has routes: which requests reach which group is not compared yet');
  if (view === 'unseen') return nothing(situation.hold.message);
  const names = new Map(
    snapshot.live.leaders.kind === 'known' ? snapshot.live.leaders.value.map((one) => [one.uid, one.name]) : [],
  );
  const served = (version: GroupVersion): readonly Served[] =>
    situation.observed.groups.flatMap((group) => {
      const pod = names.get(group.uid);
      const from = group.version === version ? readySince(group) : undefined;
      return pod === undefined || from === undefined ? [] : [{ pod, from: from + warmUpSeconds }];
    });
  const sides = { canary: served('release'), stable: served('stable') };
  if (sides.canary.length === 0) return nothing('no group of the release is ready');
  return { kind: 'sides', sides, steps: state.of };
}

function readySince({ ready, leader }: Group): number | undefined {
  return ready && !leader.leaving ? leader.readyAt : undefined;
}

function nothing(why: string): SidesFound {
  return { kind: 'nothing', why };
}
