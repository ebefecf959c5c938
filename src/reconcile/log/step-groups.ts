/** How many groups each step of a delivery released for update, by the files of its commits. */

import { parseRelease, printRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { GitReader } from '../history/git-reader.ts';
import type { Delivery, StepTold } from './deliveries.ts';

/** Steps of one delivery whose files are read: a Rollout has no more. */
const STEPS_MOST = 100;

export type StepGroups = { readonly updated: number; readonly of: number };

/**
 * The steps, those with a number that the files bear out: of this release, in a step, not locked again. A second workload
 * has groups of its own, so that the partition of the first says nothing. Throws PortError where Git fails for now.
 */
export async function withGroups(
  reader: Pick<GitReader, 'workloadAt'>,
  entry: DesiredRollout,
  { release, steps }: Delivery,
): Promise<readonly (StepTold & { readonly groups?: StepGroups })[]> {
  const found: (StepTold & { readonly groups?: StepGroups })[] = [];
  for (const [place, step] of steps.entries()) {
    const groups = place < STEPS_MOST ? await groupsAt(reader, entry, { release, commit: step.commit }) : undefined;
    found.push(groups === undefined ? step : { ...step, groups });
  }
  return found;
}

async function groupsAt(
  reader: Pick<GitReader, 'workloadAt'>,
  entry: DesiredRollout,
  { release, commit }: { readonly release: string; readonly commit: string },
): Promise<StepGroups | undefined> {
  const file = await reader.workloadAt(commit, entry);
  if (file === undefined || file.digest !== parseRelease(release)?.digest) return undefined;
  const { marks, replicas, partition = 0 } = file.workload;
  const isStep = marks?.step?.kind === 'step' && marks.at === undefined && printRelease(marks.release) === release;
  if (!isStep || replicas === undefined || partition >= SENTINEL) return undefined;
  return { updated: Math.max(0, replicas - partition), of: replicas };
}
