/** Policies whose automatic rollback needs the record, where no key signs it: then part of them only hold. */

import { CONFIG_FILE, type Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { POLICY_KIND } from '../../api/kinds.ts';
import { meansCluster } from '../../api/rollout-policy.ts';
import { shellWord } from '../../api/shell-word.ts';
import { keysOf } from '../../api/status-keys.ts';
import type { PolicyReading } from './policy-scope.ts';

/**
 * Warnings: without a key a record only holds, so what tranche has counted over several passes rolls nothing back. Deadlines
 * of groups that are there still do: they count from the commit of the step and from the pods.
 */
export function unsignedRollbacks(
  policies: readonly PolicyReading[],
  { statusKeys, cluster }: Pick<Config, 'statusKeys' | 'cluster'>,
): readonly Issue[] {
  if (keysOf(statusKeys, cluster).length > 0) return [];
  return policies
    .filter(
      ({ kind, selection, policy }) => isRolledBack(policy) && kind === 'read' && meansCluster(selection, cluster),
    )
    .map(({ name, file, line, lines }) => ({
      file,
      line: lines.onFailure ?? line,
      path: 'spec.onFailure',
      reason: 'RollbackUnsigned',
      message: `${POLICY_KIND} ${name}: onFailure is rollback, and no key signs the status branch of cluster ${cluster}: groups that are recreated as a whole are counted on that branch, so without --watch they hold the release, and nothing rolls back for them`,
      hint: `Make a key with tranche status-key --cluster ${shellWord(cluster)}, and name its public half under statusKeys of ${CONFIG_FILE}.`,
    }));
}

function isRolledBack(policy: PolicyReading['policy']): boolean {
  return policy?.onFailure === 'rollback';
}
