/** Whether a HelmRelease had other inputs since its entry of ours is as it is: values that were edited and taken back again. */

import { patchText } from '../../api/helm-release.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import type { Observation } from './observation.ts';

/**
 * The file with a commit of main's own line that had others, in a step: Flux renders each commit that it comes by, so that the
 * words in the entry, seen live, are no proof of the inputs of now. Every commit since is looked at: an edit that was taken back
 * again leaves no trace in what is there now. Of what no clone has, or was long ago, nothing is said: naming the inputs again
 * would be no end of it. Throws PortError.
 */
export async function withInputsBetween(of: Observation, file: WorkloadFile): Promise<WorkloadFile> {
  const { carried, digest, workload } = file;
  const entry = carried?.renderers.entry;
  const isStepped = workload.marks?.step !== undefined && workload.marks.step.kind !== 'rollback';
  if (carried === undefined || entry === undefined || entry.inputs !== digest || !isStepped) return file;
  const words = patchText(entry);
  const walked = await of.git.line.walk<{ readonly between: string | undefined }>(of.entry, {
    isEach: true,
    keyOf: ({ kind }) => kind,
    visit: ({ version, commit }) => {
      const there = version.kind === 'read' ? version.workload : undefined;
      const named = there?.carried?.renderers.entry;
      if (there !== undefined && (named === undefined || patchText(named) !== words)) return { between: undefined };
      return there?.digest === digest ? undefined : { between: commit };
    },
  });
  const between = walked.kind === 'found' ? walked.value.between : undefined;
  return between === undefined ? file : { ...file, carried: { ...carried, between } };
}
