/** A record of the status branch with nothing in it but what a test is about. */

import { RECORD_VERSION, type RolloutRecord } from '../../src/api/record.ts';

export function emptyRecord(fields: Partial<RolloutRecord> = {}): RolloutRecord {
  return {
    version: RECORD_VERSION,
    cluster: 'default',
    namespace: 'llm',
    name: 'vllm',
    main: '4f1c'.repeat(10),
    blobs: {},
    settled: false,
    auditedAt: 0,
    phase: 'Healthy',
    currentStepState: 'Completed',
    currentStepIndex: 0,
    nextStepIndex: 1,
    message: '',
    conditions: [],
    holds: [],
    rolloutHash: '',
    observedRolloutID: '',
    marks: undefined,
    step: undefined,
    groups: [],
    uids: undefined,
    appliedSince: undefined,
    stable: undefined,
    ...fields,
  };
}
