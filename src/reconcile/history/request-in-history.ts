/** Whether what a request is after has settled: a hand may have said so of a template that no group runs, and an abort would take all on to it. */

import { known, unknown } from '../../api/known.ts';
import { shortRelease } from '../../api/release.ts';
import { lowersPartition } from '../../rollout/edits/change.ts';
import { runningElsewhere } from '../../rollout/gates/elsewhere.ts';
import { stableRendered } from '../../rollout/observed/rendered.ts';
import type { Plan } from '../../rollout/plan.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import { orderBack } from './borne-out.ts';
import { lineSince } from './line-since.ts';
import type { Observation } from './observation.ts';
import { isSettledByHand, requestedIn, runBefore } from './rest-in-history.ts';
import { orderedText } from './stable-in-history.ts';

/**
 * The snapshot with what groups run as the stable version, where an abort of a request would take them on to what a hand has said to have
 * settled; unknown where they run several. undefined: it takes none on, or they run nothing that main had before that. Throws PortError.
 */
export async function requestProven(of: Observation, snapshot: Snapshot, plan: Plan): Promise<Snapshot | undefined> {
  const asked = requestedIn(snapshot);
  const isBack = plan.commit?.way === 'back' && lowersPartition(plan.commit.changes);
  if (asked === undefined || !isBack || !(await isSettledByHand(of, snapshot))) return undefined;
  const { file, marks } = asked;
  const managed = { ...snapshot, workload: file };
  const run = await runBefore(of, await lineSince(of, marks.release.digest), { ...managed, marks });
  if (run === undefined) return undefined;
  const behind = { stable: snapshot.stable, release: marks.release };
  const isMixed = snapshot.stable.kind === 'known' && runningElsewhere({ ...managed, behind }, file) !== 'none';
  const from = orderBack(snapshot, { digest: file.digest, marks })?.from;
  if (run.stable.kind === 'known' && !isMixed) return { ...snapshot, stable: stableRendered(run.stable, managed) };
  const ordered = from === undefined ? undefined : await orderedText(of.git, of.entry, from);
  if (ordered?.kind === 'known') return { ...snapshot, stable: stableRendered(known(ordered.value), managed) };
  const why = run.stable.kind === 'unknown' ? run.stable.why : 'groups run that, and what main had before it';
  return {
    ...snapshot,
    stable: unknown(`no commit of tranche has left ${shortRelease(marks.release)} as settled: ${why}`),
  };
}
