/** The gate of policies that must be there: where people ask for one by name, nothing goes forward without it. */

import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import type { MissingPolicy } from '../snapshot.ts';

/** One that is missing, cannot be read, or does not mean this Rollout. */
export function policyMissing({ snapshot }: Situation): Hold | undefined {
  const missing = snapshot.missingPolicies ?? [];
  if (missing.length === 0) return undefined;
  return hold('PolicyMissing', {
    seen: `tranche.yaml requires policies for every Rollout: ${missing.map(said).join('; ')}`,
    action: 'Without it no step goes forward: put it right, or take it out of requiredPolicies',
  });
}

function said({ name, why, place, near }: MissingPolicy): string {
  if (why === 'unmatched') return `${name} (${place}) does not mean this one`;
  if (why === 'wrong') return `${name} (${place}) cannot be read`;
  return `there is no ${name} on the configured paths${near === undefined ? '' : `, but ${near}`}`;
}
