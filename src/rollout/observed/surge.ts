/** The extra groups of a delivery, as Git has them: appended above those that people want, and given back in the end. */

import type { Surge } from '../../api/restore.ts';
import type { Workload } from '../../api/workload.ts';

/** What our commit has made of `replicas`; undefined where it did not, or where somebody has changed it since. */
export function surgeInGit({ marks, replicas }: Pick<Workload, 'marks' | 'replicas'>): Surge | undefined {
  const surge = marks?.restore?.replicas;
  return surge !== undefined && surge.set === replicas ? surge : undefined;
}

/** `replicas` of the manifest without the extra groups. */
export function replicasWithoutSurge(workload: Workload): number | undefined {
  return surgeInGit(workload)?.was ?? workload.replicas;
}
