/** `tranche status`: where the rollouts stand, from the status branch or from a look at the cluster. */

import type { RolloutRecord } from '../api/record.ts';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import { newMemory, type Ports } from '../reconcile/pass.ts';
import { readRecords } from '../reconcile/read-records.ts';
import { runPass } from '../reconcile/run.ts';
import { statusTable, statusTree } from '../reconcile/status-text.ts';
import { jsonText } from './json-text.ts';

export type StatusOptions = CommonOptions & {
  /** Empty: all of them, as a table. */
  readonly name: string;
  readonly namespace: string;
  /** Read the cluster now instead of the record of the last pass. */
  readonly live: boolean;
};

/** Exit code 1 where the named rollout is not there. */
export async function status(options: StatusOptions, ports: Ports, io: Io): Promise<number> {
  const records = options.live ? await liveRecords(options, ports) : await readRecords(ports, options.overrides);
  const chosen = records.filter(
    (record) =>
      (options.name === '' || record.name === options.name) &&
      (options.namespace === '' || record.namespace === options.namespace),
  );
  const now = ports.clock.now();
  if (options.output === 'json') io.out(jsonText(chosen));
  else if (options.name === '') io.out(statusTable(chosen, now));
  else io.out(chosen.map((record) => statusTree(record, now)).join('\n'));
  if (options.name === '' || chosen.length > 0) return EXIT.ok;
  io.err(
    `no record of ${options.name}. There is: ${records.map((record) => `${record.namespace}/${record.name}`).join(', ') || 'none; has tranche reconcile run?'}\n`,
  );
  return EXIT.failed;
}

async function liveRecords(options: StatusOptions, ports: Ports): Promise<readonly RolloutRecord[]> {
  const result = await runPass(ports, newMemory(), { overrides: options.overrides, write: false, only: [] });
  return result.outcomes.map((outcome) => outcome.plan?.record).filter((record) => record !== undefined);
}
