/** The gate of policies that cannot all be met: reported before the first step, so that no delivery gets stuck half-way. */

import type { PolicyFieldName } from '../../api/policy-rules.ts';
import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import { policySaying } from '../texts/sentences.ts';

/** Deadlines with a soak that each must not be shorter than: anyone who flaps in it has failed before it is over. */
const SHORTER = [
  { deadline: 'readyDeadlineSeconds', soak: 'soakSeconds' },
  { deadline: 'deliveryReadyDeadlineSeconds', soak: 'soakSeconds' },
  { deadline: 'deliveryReadyDeadlineSeconds', soak: 'finalSoakSeconds' },
] as const satisfies readonly { readonly deadline: PolicyFieldName; readonly soak: PolicyFieldName }[];

/** What else has to be known of the policies to say something of this field. */
export function fieldsBeside(field: PolicyFieldName): readonly PolicyFieldName[] {
  return SHORTER.flatMap(({ deadline, soak }) => (deadline === field ? [soak] : []));
}

/** All that contradict each other, in one sentence. */
export function policiesContradict({ snapshot }: Situation): Hold | undefined {
  const { policy } = snapshot;
  const told = SHORTER.flatMap(({ deadline, soak }) => {
    const [most, least] = [policy[deadline], policy[soak]];
    if (most === undefined || least === undefined || most >= least) return [];
    return [
      `${policySaying(snapshot, deadline)} allows ${most} s (${deadline}), and ${policySaying(snapshot, soak)} wants a soak of ${least} s (${soak})`,
    ];
  });
  const conflicts = (snapshot.policyConflicts ?? []).map(({ field, places }) => {
    const said = places.map(
      ({ policy: name, file, line, value }) => `RolloutPolicy ${name} (${file}:${line}) ${value}`,
    );
    return `${field} has to be the same wherever it is stated: ${said.join(', ')}`;
  });
  if (conflicts.length > 0)
    return hold('PoliciesContradict', {
      seen: `policies cannot all be met: ${[...told, ...conflicts].join('; ')}`,
      action: 'State each once, or the same everywhere, and make deadlines as long as soaks',
    });
  if (told.length === 0) return undefined;
  return hold('PoliciesContradict', {
    seen: `policies cannot all be met: ${told.join('; ')}`,
    action: 'Make the deadline as long as the soak, or the soak shorter',
  });
}
