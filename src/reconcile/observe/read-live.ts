/** What the cluster has of the workload of a Rollout, and who writes its replicas. */

import { at } from '../../api/json.ts';
import { REPLICAS_PATH } from '../../api/workload-paths.ts';
import type { Live } from '../../rollout/snapshot.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { Observation } from '../history/observation.ts';

/**
 * The live state, for this very Rollout. Anybody's file may name a scaler of it: where Git has `replicas`, they count until it is in
 * the cluster, or in `tranche.yaml`, so that no file of others makes a step larger. Throws PortError.
 */
export function readLive(
  { live, desired }: Pick<Observation, 'live' | 'desired'>,
  entry: DesiredRollout,
): Promise<Live> {
  const { index, config } = desired;
  const name = entry.identity?.name ?? '';
  const namespace = entry.key.namespace;
  const inGit = at(entry.workload?.value, REPLICAS_PATH) !== undefined;
  const isOwned = inGit && !config.autoscaled.includes(`${namespace}/${name}`);
  return live({ namespace, name, autoscaled: index.scalerOf({ namespace, name }), isOwned });
}
