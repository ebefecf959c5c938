/** The gate of policies that were there when the step was written: one that goes in mid-delivery has to be released for update by someone. */

import type { JsonObject } from '../../api/json.ts';
import { sameRelease } from '../../api/release.ts';
import { unlessAccepted } from '../accepting.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import type { Situation } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { stepAsPlanned } from './step-as-planned.ts';

/** Deleted, renamed, for others now, or without anything that holds: what it held is not looser, it is gone. */
export function policyGone(situation: Situation): Hold | undefined {
  const gone = goneIn(situation);
  const facts = policyGoneFacts(situation);
  if (facts === undefined) return undefined;
  const one = gone.length === 1;
  const held = hold('PolicyGone', {
    seen: `${one ? 'a policy' : 'policies'} that governed this delivery when its step was written ${one ? 'does' : 'do'} so no more: ${gone.join(', ')}`,
    action: advice`Put ${one ? 'it' : 'them'} back, or go on without: ${commandLine('approve', situation.snapshot.key, '--hold PolicyGone')}`,
  });
  return unlessAccepted(situation, 'PolicyGone', withFacts(held, facts));
}

/** Which they are, each with the blob that its file was, and the step: who goes on without one has let that step go; undefined: none. */
export function policyGoneFacts(situation: Situation): JsonObject | undefined {
  const gone = goneIn(situation);
  return gone.length === 0 ? undefined : { ...stepAsPlanned(situation), policies: gone };
}

function goneIn({ snapshot, marks }: Situation): readonly string[] {
  const step = snapshot.record?.step;
  if (marks?.step?.kind !== 'step' || step?.policies === undefined || !sameRelease(step.release, marks.release))
    return [];
  const there = new Set((snapshot.governing ?? []).map(nameOf));
  return step.policies.filter((policy) => !there.has(nameOf(policy)));
}

/** `production@4f1c4f1c4f1c`: an edit makes another blob of it, and leaves it there. */
function nameOf(policy: string): string {
  return policy.slice(0, policy.lastIndexOf('@'));
}
