/** Passes half a minute apart over a delivery with a second workload, under the rules of policies: what they come to. */

import { NO_RULES, type PolicyRules } from '../../src/api/policy-rules.ts';
import { type Found, passed, type Stand } from './ladder-pass.ts';

export type Rules = Partial<PolicyRules>;

/** What is found, under these rules. */
export const under = (rules: Rules, found: Found = {}): Found => ({
  ...found,
  snapshot: { ...found.snapshot, policy: { ...NO_RULES, ...rules } },
});

/** What the passes tell, each once, and where the last one leaves it. */
export function ticks(
  start: Stand,
  founds: readonly Found[],
): { readonly told: readonly string[]; readonly stand: Stand } {
  const told: string[] = [];
  let stand = start;
  for (const found of founds) {
    const now = passed(stand, found);
    if (now.told !== told.at(-1)) told.push(now.told);
    stand = { ...now.stand, now: stand.now + 30 };
  }
  return { told, stand };
}

/** The same, found this many times. */
export const often = (found: Found, times = 6): readonly Found[] => Array.from({ length: times }, () => found);

/** What some passes come to: the first commit, else what the last one holds for. */
export function outcome(stand: Stand, founds: readonly Found[]): string {
  const { told } = ticks(stand, founds);
  return told.find((one) => !one.startsWith('hold ')) ?? told.at(-1) ?? '';
}
