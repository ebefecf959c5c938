/** The gates of policies and Analyses that must be there: where people ask for one by name, nothing goes forward without it. */

import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import type { MissingPolicy } from '../snapshot.ts';
import { policySaying } from '../texts/sentences.ts';

/** More than this no pass asks of one step; the table of fields says it of one policy. */
const ANALYSES_MOST = 5;

/** One that is missing, cannot be read, or does not mean this Rollout. */
export function policyMissing({ snapshot }: Situation): Hold | undefined {
  const missing = snapshot.missingPolicies ?? [];
  if (missing.length === 0) return undefined;
  return hold('PolicyMissing', {
    seen: `tranche.yaml requires policies for every Rollout: ${missing.map(said).join('; ')}`,
    action: 'Mend the policy, or remove it from requiredPolicies. Until then no step goes forward',
  });
}

function said({ name, why, place, near }: MissingPolicy): string {
  if (why === 'unmatched') return `${name} (${place}) does not mean this one`;
  if (why === 'wrong') return `${name} (${place}) cannot be read`;
  return `there is no ${name} on the configured paths${near === undefined ? '' : `, but ${near}`}`;
}

/** An Analysis that policies name and no file has as it should be, and more of them than a pass asks: no step goes forward. */
export function analysisMissing({ snapshot }: Situation): Hold | undefined {
  const { analyses = [] } = snapshot;
  const wrong = analyses.filter((one) => one.wrong !== undefined);
  const tooMany =
    analyses.length > ANALYSES_MOST ? [`they name ${analyses.length} Analyses, at most ${ANALYSES_MOST} together`] : [];
  const why = [...wrong.map((one) => `${one.name}: ${one.wrong ?? ''}`), ...tooMany];
  if (why.length === 0) return undefined;
  return hold('AnalysisMissing', {
    seen: `${policySaying(snapshot, 'analyses')} asks for Analyses of every step: ${why.join('; ')}`,
    action: 'Mend the Analyses, or remove them from analyses. Until then no step goes forward',
  });
}
