/** Which step someone has accepted something of: an edit of its plan makes it another one, of more groups or a larger share. */

import type { Situation } from '../situation.ts';

/**
 * Its number, and how far it goes: by the lowest partition that this delivery has had, which stays when the step is locked, and by the
 * digest of its plan where there is one. Empty: it is none of the steps.
 */
export function stepAsPlanned({ marks }: Pick<Situation, 'marks'>): {
  readonly step?: number;
  readonly partition?: number;
  readonly plan?: string;
} {
  if (marks?.step?.kind !== 'step') return {};
  const { floor, plan } = marks.restore ?? {};
  return {
    step: marks.step.index,
    ...(floor === undefined ? {} : { partition: floor }),
    ...(plan === undefined ? {} : { plan }),
  };
}
