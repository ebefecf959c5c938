/** What became of a file whose rollback somebody has ended in it. */

import type { Observation } from './observation.ts';

/**
 * Whether the file had no other template since a rollback was last in it: else its owner has gone on by hand, and groups run that. Throws
 * PortError where Git fails for now.
 */
export async function hasStayed({ git, entry }: Observation, digest: string): Promise<boolean> {
  const walked = await git.line.walk<boolean>(entry, {
    keyOf: (version) =>
      version.kind === 'read'
        ? `${version.workload.digest} ${version.workload.workload.marks?.step?.kind}`
        : version.kind,
    visit: ({ version }) => {
      if (version.kind !== 'read') return undefined;
      if (version.workload.workload.marks?.step?.kind === 'rollback') return true;
      return version.workload.digest === digest ? undefined : false;
    },
  });
  return walked.kind !== 'found' || walked.value;
}
