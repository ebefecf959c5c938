/** What only the files of commits tell of a delivery: its images, and the commit that asked for it. */

import { isRecord, at as valueAt } from '../../api/json.ts';
import { parseRelease } from '../../api/release.ts';
import type { CommitHeader, Git, Oid } from '../../ports/git.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { firstParentsOf } from '../history/first-parents.ts';
import type { GitReader } from '../history/git-reader.ts';
import type { Delivery } from './deliveries.ts';

export type Details = {
  /** Of every container of its groups, each once. Empty: the files do not tell. */
  readonly images: readonly string[];
  /** The commit that brought the template to main; undefined: nobody knows. Its author proves nothing. */
  readonly requested: { readonly by: string; readonly commit: Oid; readonly at: number } | undefined;
  /** Whether the file had this release in the commit of its first step; undefined: that could not be read. */
  readonly isBorneOut: boolean | undefined;
};

const UNKNOWN: Details = { images: [], requested: undefined, isBorneOut: undefined };

/** By the files of its first step, and of the commits before that one. Throws PortError where Git fails for now. */
export async function detailsOf(
  { git, reader }: { readonly git: Pick<Git, 'history'>; readonly reader: Pick<GitReader, 'workloadAt'> },
  entry: DesiredRollout | undefined,
  { release, firstStep, outcome }: Delivery,
): Promise<Details> {
  const digest = parseRelease(release)?.digest;
  const file = entry === undefined ? undefined : await reader.workloadAt(firstStep, entry);
  if (entry === undefined || file === undefined) return UNKNOWN;
  const images = imagesIn(file.workload.content);
  if (file.digest !== digest) return { ...UNKNOWN, isBorneOut: false };
  if (outcome === 'adopted') return { images, requested: undefined, isBorneOut: true };
  const holds = async (oid: Oid): Promise<boolean> => (await reader.workloadAt(oid, entry))?.digest === digest;
  const commit = await requestOf(git, firstStep, holds);
  const requested =
    commit === undefined ? undefined : { by: commit.author.name, commit: commit.oid, at: commit.committedAt };
  return { images, requested, isBorneOut: true };
}

/** The oldest commit of the run that `holds` right before the first step; the strides get longer. undefined: none does. */
async function requestOf(
  git: Pick<Git, 'history'>,
  firstStep: Oid,
  holds: (oid: Oid) => Promise<boolean>,
): Promise<CommitHeader | undefined> {
  const line = firstParentsOf(git, firstStep);
  const at = async (place: number): Promise<boolean> => {
    const commit = await line.commitAt(place);
    return commit !== undefined && (await holds(commit.oid));
  };
  if (!(await at(1))) return undefined;
  let [inside, outside] = [1, 2];
  for (let stride = 1; await at(outside); stride *= 2) [inside, outside] = [outside, outside + stride];
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (await at(middle)) inside = middle;
    else outside = middle;
  }
  return line.commitAt(inside);
}

/** Each once, in the order of the pod templates. */
function imagesIn(content: unknown): readonly string[] {
  const images = new Set<string>();
  for (const template of ['leaderTemplate', 'workerTemplate'])
    for (const kind of ['initContainers', 'containers']) {
      const containers = valueAt(content, ['leaderWorkerTemplate', template, 'spec', kind]);
      for (const one of Array.isArray(containers) ? containers : [])
        if (isRecord(one) && typeof one['image'] === 'string') images.add(one['image']);
    }
  return [...images];
}
