/** A record made from main alone, for a rollout in mid-delivery whose own was lost, rewound or edited by hand. */

import type { Marks } from '../../api/marks.ts';
import { RECORD_VERSION, type RolloutRecord, type StepRecord } from '../../api/record.ts';
import { nextStepIndex } from '../../rollout/steps.ts';
import type { Observation } from './observation.ts';

/**
 * What main knows: the marks, and the plan as it was when the step was written. What only the record knew restarts: soaks count from now, and objects that were replaced meanwhile are not noticed as such.
 */
export function rebuiltRecord(
  of: Observation,
  from: { readonly stored: RolloutRecord | undefined; readonly step: StepRecord | undefined; readonly marks: Marks },
): RolloutRecord | undefined {
  const { stored, step, marks } = from;
  if (step === undefined) return stored === undefined ? undefined : { ...stored, step: undefined };
  // Its marks stay those that it saw: by them what it remembers of drains is known to be older than Git.
  if (stored !== undefined) return { ...stored, step };
  return {
    version: RECORD_VERSION,
    ...of.entry.key,
    main: of.desired.commit,
    blobs: {},
    settled: false,
    auditedAt: of.now,
    phase: 'Progressing',
    currentStepState: 'StepUpgrade',
    currentStepIndex: Math.max(1, step.index),
    nextStepIndex: nextStepIndex(step.planned.length, Math.max(1, step.index)),
    message: '',
    conditions: [],
    holds: [],
    rolloutHash: '',
    observedRolloutID: '',
    marks,
    step,
    groups: [],
    uids: undefined,
    appliedSince: undefined,
    stable: undefined,
  };
}
