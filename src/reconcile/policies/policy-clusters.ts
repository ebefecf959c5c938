/** Policies for other clusters than this one, where the name of this one may have been meant. */

import { CONFIG_FILE, DEFAULT_CONFIG } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { POLICY_KIND } from '../../api/kinds.ts';
import { nearest } from '../../api/nearest.ts';
import { meansCluster } from '../../api/rollout-policy.ts';
import type { PolicyReading } from './policy-scope.ts';

/** Shorter words tell clusters apart, as `eu` and `us`, or `usw` and `use`. */
const WORD_LEAST = 4;

/**
 * Policies that are fine, and not for this cluster, reported where that is most likely a slip: this one is called what nobody
 * has called it, or a name is one letter off. Which other clusters there are nobody knows here, so the rest is silent.
 */
export function elsewherePolicies(policies: readonly PolicyReading[], cluster: string): readonly Issue[] {
  return policies.flatMap(({ kind, selection, name, file, clustersLine = 0 }): readonly Issue[] => {
    if (kind !== 'read' || meansCluster(selection, cluster)) return [];
    const { clusters = [] } = selection;
    const wrong = clusters.find((pattern) => isMisspelt(pattern, cluster));
    const isUnnamed = cluster === DEFAULT_CONFIG.cluster;
    if (wrong === undefined && !isUnnamed) return [];
    const why = isUnnamed ? `, as where ${CONFIG_FILE} names none` : '';
    const hint =
      wrong === undefined
        ? `Name this one (cluster in ${CONFIG_FILE}, or --cluster), or correct the policy.`
        : `Did you mean ${cluster}? Correct it; if there is a cluster of that name, nothing is wrong.`;
    return [
      {
        file,
        line: clustersLine,
        path: 'spec.clusters',
        reason: 'PolicyUnmatched',
        message: `${POLICY_KIND} ${name}: it is for ${clusters.join(', ')}, and this cluster is called ${cluster}${why}: nothing of what it says counts here`,
        hint,
      },
    ];
  });
}

/** One letter off, in a long word or between words: two clusters that differ in a number or a short word may both be there. */
function isMisspelt(pattern: string, cluster: string): boolean {
  const [beginning = '', ...rest] = pattern.split('*');
  const like = rest.length === 0 ? cluster : cluster.slice(0, beginning.length);
  if (nearest(beginning, [like], 1) === undefined) return false;
  const [said, meant] = [wordsOf(beginning), wordsOf(like)];
  if (said.length !== meant.length) return true;
  return said.some((word, at) => word !== meant[at] && word.length >= WORD_LEAST);
}

function wordsOf(name: string): readonly string[] {
  return name.split(/[-0-9]+/);
}
