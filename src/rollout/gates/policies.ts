/** Gates that policies hold shut. */

import { absent } from '../../api/known.ts';
import { POLICY_FIELD_NAMES } from '../../api/policy-fields.ts';
import { type PolicyFieldName } from '../../api/policy-rules.ts';
import { SENTINEL } from '../../api/workload.ts';
import { noWholeStep } from '../edits/size-change.ts';
import { type Hold, holdKind } from '../hold.ts';
import { situationOf } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { fieldsBeside, policiesContradict } from './contradiction.ts';
import { stepFailed, stepOverdue } from './failure.ts';
import { type Gate, holdsOf } from './gate.ts';
import { budgetTooLarge, capacityTooLow, gpusOverLimit, stepTooLarge } from './limits.ts';
import { analysisMissing } from './policy-missing.ts';
import { shareTooLarge } from './shares.ts';
import { soaking } from './soak.ts';
import { surgeEndangered, surgeRefused } from './surge.ts';
import { notItsTurn } from './turns.ts';
import { undoRefused } from './undo.ts';
import { clockSkewed, windowClosed } from './windows.ts';

/** What asks for each field, now or before a later step: `explain` says what it says. */
const gatesByField = {
  surge: [surgeRefused, surgeEndangered],
  sizeChange: [noWholeStep],
  recreate: [],
  // The rules of the forge are read where something is proposed, and nowhere else.
  withoutDirectPush: [],
  maxStepGroups: [stepTooLarge],
  maxStepPercent: [stepTooLarge],
  maxFirstStepGroups: [stepTooLarge],
  maxUnavailableGroups: [budgetTooLarge],
  minReadyGroups: [capacityTooLow],
  minReadyPercent: [capacityTooLow],
  maxGpus: [gpusOverLimit],
  maxExtraGpus: [gpusOverLimit],
  maxStepTrafficPercent: [shareTooLarge],
  maxFirstTrafficPercent: [shareTooLarge],
  maxDeliveriesPerNamespace: [notItsTurn],
  maxDeliveriesPerCluster: [notItsTurn],
  maxDeliveriesPerPolicy: [notItsTurn],
  allow: [windowClosed, clockSkewed],
  deny: [windowClosed, clockSkewed],
  // They open what the two above shut.
  exceptions: [],
  leaveAtLeastSeconds: [windowClosed],
  soakSeconds: [soaking],
  finalSoakSeconds: [soaking],
  // Rungs of a ladder wait for these, and people see them wait.
  drainSeconds: [],
  bakeSeconds: [],
  // Nothing is held by it: what is ready waits for someone.
  promotion: [],
  pullRequestLabels: [],
  pullRequestReviewers: [],
  // The same: the hold says what is missing where a pull request stands for it.
  approvals: [],
  applyDeadlineSeconds: [stepOverdue],
  scheduleDeadlineSeconds: [stepOverdue],
  readyDeadlineSeconds: [stepFailed, policiesContradict],
  deliveryApplyDeadlineSeconds: [stepOverdue],
  deliveryScheduleDeadlineSeconds: [stepOverdue],
  deliveryReadyDeadlineSeconds: [stepFailed, policiesContradict],
  maxRestarts: [stepFailed],
  onFailure: [],
  analyses: [analysisMissing],
  // They say what follows from metrics, which nobody has asked yet.
  onAnalysisFailure: [],
  analysisAccept: [],
  withoutRequests: [],
  notify: [],
  notifyHoldSeconds: [policiesContradict],
  undo: [undoRefused],
  undoWithinSeconds: [undoRefused],
  inferencePools: [policiesContradict],
} as const satisfies Readonly<Record<PolicyFieldName, readonly Gate[]>>;

/** What the gates of a field would say if the next step were to be written now. */
export function policyVerdict(snapshot: Snapshot, field: PolicyFieldName): readonly Hold[] {
  const file = snapshot.workload;
  if (file === undefined) return [];
  const { surge, sizeChange, recreate } = snapshot.policy;
  // The other limits are left out, so that each answers for itself.
  const beside = Object.fromEntries(fieldsBeside(field).map((other) => [other, snapshot.policy[other]]));
  const policy = { surge, sizeChange, recreate, ...beside, [field]: snapshot.policy[field] };
  const turns = (snapshot.turns ?? []).filter((turn) => turn.field === field);
  const policyConflicts = (snapshot.policyConflicts ?? []).filter((conflict) => conflict.field === field);
  const shown = { ...windowsOf(snapshot, field), policy, turns, policyConflicts };
  return holdsOf(gatesByField[field], situationOf(shown, file));
}

/** Of the windows that are shut, those that this field shuts. */
function windowsOf({ windows, ...snapshot }: Snapshot, field: PolicyFieldName): Snapshot {
  if (windows === undefined || field === 'leaveAtLeastSeconds')
    return { ...snapshot, ...(windows === undefined ? {} : { windows }) };
  const shutBy = windows.shutBy.filter((place) => place.field === field);
  const excepted = windows.excepted?.map((one) => ({
    ...one,
    shutBy: one.shutBy.filter((place) => place.field === field),
  }));
  const shown = { ...windows, shutBy, ...(excepted === undefined ? {} : { excepted }) };
  return shutBy.length === 0 ? snapshot : { ...snapshot, windows: shown };
}

/** What one field of the policies says of a Rollout at rest. */
export type AtRest = { readonly field: PolicyFieldName; readonly held: Hold };

/**
 * What policies say no to whenever it is asked for, as long as the files stay as they are: reported before there is a
 * release to deliver. In a delivery the gates say it, for the step that is next.
 */
export function contradictions(snapshot: Snapshot): readonly AtRest[] {
  if (snapshot.workload?.workload.marks?.step !== undefined) return [];
  const { windows, ...always } = snapshot;
  const never =
    windows !== undefined && !windows.open && (windows.changesAt ?? windows.sameUntil) === undefined ? { windows } : {};
  return verdictsAtRest({ ...always, ...never, turns: [] });
}

/** What policies would say to the first step of a request, made now. */
export function verdictsAtRest(snapshot: Snapshot): readonly AtRest[] {
  const { workload: file, live } = snapshot;
  if (file === undefined || snapshot.rollout === undefined) return [];
  const fields = POLICY_FIELD_NAMES.filter((field) => snapshot.policySources?.[field] !== undefined);
  // As it will be: taken over, and with the groups of its manifest where nobody is known to write another number.
  const locked = { ...file, workload: { ...file.workload, partition: SENTINEL } };
  const scaler = live.scaler.kind === 'unknown' ? absent : live.scaler;
  const atRest = { ...snapshot, workload: locked, live: { ...live, scaler } };
  const found = fields.flatMap((field) => policyVerdict(atRest, field).map((held) => ({ field, held })));
  return found.filter(({ held }) => holdKind(held.reason)?.failure === undefined);
}
