/** Kruise's words for where a rollout stands, worked out from ours. */

import type { Phase } from '../../api/record.ts';

type PhaseFacts = {
  readonly before: Phase | '';
  readonly deleting: boolean;
  readonly disabled: boolean;
  /** undefined: the workload is not there. */
  readonly inProgress: boolean | undefined;
};

/** The phase of a Rollout (reference: Kruise rollout_status.go:41-160). */
export function phaseOf(facts: PhaseFacts): Phase {
  if (facts.deleting) return 'Terminating';
  if (facts.disabled)
    return facts.before === 'Progressing' || (facts.before === 'Disabling' && facts.inProgress === true)
      ? 'Disabling'
      : 'Disabled';
  if (facts.inProgress === undefined) return 'Initial';
  return facts.inProgress && facts.before !== '' && facts.before !== 'Initial' && facts.before !== 'Disabled'
    ? 'Progressing'
    : 'Healthy';
}

/** The id by which platforms follow a release (reference: Kruise rollout_status.go:357-368). */
export function rolloutIdOf(of: {
  readonly label: string | undefined;
  readonly revision: string;
  readonly rollback: boolean;
}): string {
  if (of.label !== undefined && of.label !== '') return of.label;
  return of.rollback ? `rollback-${of.revision}` : of.revision;
}
