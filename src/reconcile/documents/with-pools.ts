/** A Rollout whose Service is the first of two InferencePools shares its requests between those. */

import type { PolicyRules } from '../../api/policy-rules.ts';
import type { Rollout } from '../../api/rollout.ts';

/** The same Rollout where no policy names its Service so. */
export function withPools(rollout: Rollout, { inferencePools: pools }: Pick<PolicyRules, 'inferencePools'>): Rollout {
  const { routing } = rollout;
  if (routing === undefined || pools?.stable !== routing.service) return rollout;
  return { ...rollout, routing: { ...routing, pools } };
}
