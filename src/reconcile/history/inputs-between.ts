/** Whether a HelmRelease had other inputs since its entry of ours is as it is: values that were edited and taken back again. */

import { inputsText } from '../../api/helm-release.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import type { Observation } from './observation.ts';

/**
 * The file with a commit of main's own line that had others, from a request to the end of its steps: Flux renders each commit that it
 * comes by, so that the words in the entry, seen live, are no proof of the inputs of now. Every commit since the workload was at rest is
 * looked at: an edit that was taken back again leaves no trace in what is there now, and the same words may have been there before. Of
 * what no clone has, or was long ago, nothing is said: naming the inputs again would be no end of it. Throws PortError.
 */
export async function withInputsBetween(of: Observation, file: WorkloadFile): Promise<WorkloadFile> {
  const { carried, digest } = file;
  if (carried === undefined || !isGoingOn(file)) return file;
  const { entry } = carried.renderers;
  const words = entry?.inputs === digest ? inputsText(entry) : undefined;
  let between: string | undefined;
  let times = 0;
  await of.git.line.walk<true>(of.entry, {
    isEach: true,
    keyOf: ({ kind }) => kind,
    visit: ({ version, commit }) => {
      const there = version.kind === 'read' ? version.workload : undefined;
      const named = there?.carried?.renderers.entry;
      if (there !== undefined && named?.inputs === digest) {
        times = Math.max(times, named.again ?? 0);
        if (there.digest !== digest && (words ?? inputsText(named)) === inputsText(named)) between ??= commit;
      }
      return there !== undefined && isAtRest(there) ? true : undefined;
    },
  });
  return between === undefined ? file : { ...file, carried: { ...carried, between: { commit: between, times } } };
}

/** As tranche leaves it: who takes a request back by hand ends no search. */
function isAtRest({ workload: { marks }, digest, carried }: WorkloadFile): boolean {
  if (marks === undefined) return true;
  return marks.step === undefined && marks.release.digest === digest && carried?.renderers.entry?.inputs === digest;
}

/** Somebody asks for a release, or it is being delivered; at rest and in a rollback nothing goes forward. */
function isGoingOn({ workload: { marks }, digest }: WorkloadFile): boolean {
  if (marks === undefined) return false;
  return marks.release.digest !== digest || (marks.step !== undefined && marks.step.kind !== 'rollback');
}
