/** What the command line says over the configuration, as the status branch keeps it. */

import type { Overrides } from '../../api/config.ts';

/** The command line's word as one text, to compare with that of the process that wrote the index. */
export function overridesText({ branch, statusBranch, cluster, paths, shard }: Overrides): string {
  return JSON.stringify([branch, statusBranch, cluster, paths, ...(shard === undefined ? [] : [shard])]);
}
