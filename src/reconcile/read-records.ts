/** The records of the status branch, for those who only want to look. */

import { DEFAULT_CONFIG } from '../api/config.ts';
import type { RolloutRecord } from '../api/record.ts';
import { headOf } from './branch-head.ts';
import type { Overrides, Ports } from './pass.ts';
import { readStatus, STATUS_REQUEST } from './record-store.ts';

/** All records that can be trusted, by name. Throws PortError where Git cannot be read. */
export async function readRecords({ git, log }: Ports, overrides: Overrides): Promise<readonly RolloutRecord[]> {
  const branch = overrides.branch ?? DEFAULT_CONFIG.branch;
  const [main] = await git.heads([branch]);
  const { readConfig } = await import('./read-main.ts');
  const config = await readConfig(git, headOf(branch, main), overrides);
  const [head] = await git.heads([config.statusBranch]);
  if (head === undefined) return [];
  const status = readStatus(await git.readAt(head, STATUS_REQUEST));
  const records: RolloutRecord[] = [];
  for (const [key, stored] of [...status.records].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (stored.kind === 'read') records.push(stored.record);
    else
      log.warn(
        `rollouts/${key}.json on ${config.statusBranch} is not trusted: ${stored.why}; the next pass rebuilds it`,
      );
  }
  return records;
}
