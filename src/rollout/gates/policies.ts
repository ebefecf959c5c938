/** Gates that policies hold shut. */

import type { PolicyFieldName } from '../../api/policy-fields.ts';
import { type Hold, hold } from '../hold.ts';
import { type Situation, situationOf } from '../situation.ts';
import { noWholeStep } from '../size-change.ts';
import type { MissingPolicy, Snapshot } from '../snapshot.ts';
import { type Gate, holdsOf } from './gate.ts';
import { surgeEndangered, surgeRefused } from './surge.ts';

/** What asks for each field, now or before a later step: `explain` says what it says. */
const gatesByField = {
  surge: [surgeRefused, surgeEndangered],
  sizeChange: [noWholeStep],
  recreate: [],
} as const satisfies Readonly<Record<PolicyFieldName, readonly Gate[]>>;

/** What the gates of a field would say if the next step were to be written now. */
export function policyVerdict(snapshot: Snapshot, field: PolicyFieldName): readonly Hold[] {
  const file = snapshot.workload;
  return file === undefined ? [] : holdsOf(gatesByField[field], situationOf(snapshot, file));
}

/** Where people ask for a policy by name, nothing goes forward without it. */
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
