/** What was seen, per hold that someone may accept: an acceptance names a digest of it, so that it covers nothing worse. */

import { ACCEPTABLE, type AcceptableReason } from '../api/intents.ts';
import type { JsonObject } from '../api/json.ts';
import { staleFacts } from './events/late-merge.ts';
import { withdrawnFacts } from './events/withdrawing.ts';
import { analysisFacts } from './gates/analysis.ts';
import { behindFacts } from './gates/behind.ts';
import { recreatedFacts } from './gates/cluster.ts';
import { elsewhereFacts } from './gates/elsewhere.ts';
import { failureFacts } from './gates/failure.ts';
import { astrayFacts, overshootFacts, partitionFacts, scaledAwayFacts } from './gates/out-of-place.ts';
import { policyGoneFacts } from './gates/policy-gone.ts';
import { crashLoopingFacts } from './gates/trouble.ts';
import type { AcceptedReason } from './hold.ts';
import { delivering } from './ladders/delivering.ts';
import type { Delivering } from './ladders/delivering-facts.ts';
import { editedFacts } from './ladders/edited-by-hand.ts';
import { takenFacts } from './ladders/primary.ts';
import { rollbackFacts } from './progress/automatic-rollbacks.ts';
import { type Seen, type Situation, whenSeen } from './situation.ts';
import { isRouted } from './state.ts';

/** What `accept` of each row in `HOLDS` says in words. */
const factsByReason = {
  Overshoot: whenSeen(overshootFacts),
  UnexpectedGroups: whenSeen(astrayFacts),
  GroupsElsewhere: whenSeen(groupsElsewhere),
  GroupsBehind: whenSeen(behindFacts),
  PartitionEdited: partitionFacts,
  Recreated: recreatedFacts,
  StepScaledAway: scaledAwayFacts,
  GroupCrashLoop: whenSeen(crashLoopingFacts),
  StepFailed: failureFacts,
  TooManyRollbacks: rollbackFacts,
  CanaryEdited: whenDelivering(editedFacts),
  TrafficWithdrawn: whenDelivering(withdrawnFacts),
  PrimaryReplaced: whenDelivering(takenFacts),
  PolicyGone: policyGoneFacts,
  LateMerge: mergedFacts,
  AnalysisFailed: analysisFacts('AnalysisFailed'),
  AnalysisInconclusive: analysisFacts('AnalysisInconclusive'),
  BothSidesBad: analysisFacts('BothSidesBad'),
  GroupOutlier: analysisFacts('GroupOutlier'),
} satisfies Record<AcceptedReason, (situation: Situation) => JsonObject | undefined>;

function groupsElsewhere(situation: Seen): JsonObject | undefined {
  const facts = elsewhereFacts(situation);
  return facts === undefined ? undefined : { groups: [...facts.groups] };
}

function mergedFacts(situation: Situation): JsonObject | undefined {
  const stale = staleFacts(situation);
  return stale === undefined ? undefined : { partition: stale.partition, because: [...stale.because] };
}

/** Asks only where a second workload is being filled, or two versions of one share the requests. */
function whenDelivering(
  ask: (on: Delivering) => JsonObject | undefined,
): (situation: Situation) => JsonObject | undefined {
  return (situation) => {
    const { state } = situation;
    const isOpen = state.kind === 'ladder' || (state.kind === 'step' && isRouted(state.marks));
    const on = isOpen ? delivering(situation, state.marks, state.marks.release) : undefined;
    return on === undefined ? undefined : ask(on);
  };
}

/** The facts behind each hold, where there are any: the same that the hold carries. */
export function factsOf(situation: Situation): Readonly<Partial<Record<AcceptableReason, JsonObject>>> {
  return Object.fromEntries(ACCEPTABLE.map((reason) => [reason, factsByReason[reason](situation)]));
}
