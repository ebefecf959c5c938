/** Gates of a step that takes too long or does not stay up, as policies say it. */

import type { JsonObject } from '../../api/json.ts';
import { shortDigest } from '../../api/release.ts';
import { accepted } from '../accepting.ts';
import { type Expired, expiredDeadlines, isJudged } from '../deadlines.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import type { JudgedStep } from '../ladders/judged.ts';
import type { Group } from '../observed/groups.ts';
import { expiredByCluster } from '../progress/proven.ts';
import { timesRestarted } from '../progress/restarts.ts';
import { judgedGroups, restartedInPlaceTooOften, restartedTooOften } from '../progress/step-failures.ts';
import type { Situation } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { capital, policySaying } from '../texts/sentences.ts';
import { analysisFailure } from './analysis.ts';
import { stepAsPlanned } from './step-as-planned.ts';

/** More groups than this are counted, not reported one by one. */
const TOLD_MOST = 3;

/** What a step has failed by: in words, and as what someone may accept. */
type Failure = { readonly seen: string; readonly facts: JsonObject };

/** A wait that is nobody's failure has taken longer than a policy wants: it goes on, and people are notified. */
export function stepOverdue(situation: Situation): Hold | undefined {
  const late = expiredDeadlines(situation).filter(({ clock }) => clock !== 'ready');
  if (late.length === 0) return undefined;
  return hold('StepOverdue', {
    seen: late.map((one) => deadlineText(situation, one)).join('; '),
    action: advice`Look at what it waits for; to abort the release: ${commandLine('abort', situation.snapshot.key)}`,
  });
}

/** The step, or the promotion, has failed, and nobody has accepted that. */
export function stepFailed(situation: Situation): Hold | undefined {
  const failure = failureOf(situation);
  if (failure === undefined) return undefined;
  const { key } = situation.snapshot;
  const held = hold('StepFailed', {
    seen: `${whatFails(situation)} has failed: ${failure.seen}${byRecordAlone(situation)}`,
    action: advice`To go back: ${commandLine('abort', key)}; to let it go on once its groups are ready: ${commandLine('approve', key, '--hold StepFailed')}`,
  });
  return withFacts(held, failure.facts);
}

/** Why policies that want it to go back by itself do not get that; empty: they do, or none wants it. */
function byRecordAlone(situation: Situation): string {
  const { onFailure } = situation.snapshot.policy;
  if (onFailure === undefined || onFailure === 'hold' || failureToAct(situation) !== undefined) return '';
  return '. Only the record on the status branch says so, and no key has signed it: nothing goes back by itself for that';
}

/** What someone accepts who lets it go on. */
export function failureFacts(situation: Situation): JsonObject | undefined {
  return failed(situation)?.facts;
}

/** By what the step has failed; undefined: by nothing, or someone has accepted it. */
function failureOf(situation: Situation): Failure | undefined {
  const failure = failed(situation);
  return failure === undefined || accepted(situation, 'StepFailed') ? undefined : failure;
}

/**
 * All that leads this way by itself: deadlines and restarts where `onFailure` says so, metrics as far as `onAnalysisFailure`
 * and they allow it. undefined: nothing does. `isShown`: also what a record says that nothing bears out.
 */
export function failureLeading(
  situation: Situation,
  way: 'withdraw' | 'rollback',
  isShown = false,
): { readonly seen: string } | undefined {
  const isOurs = situation.snapshot.policy.onFailure === way;
  const ofGroups = isOurs ? (isShown ? failureOf(situation) : failureToAct(situation)) : undefined;
  const ofMetrics = analysisFailure(situation);
  const found = [ofGroups, ofMetrics?.way === way ? ofMetrics : undefined].filter((one) => one !== undefined);
  return found.length === 0 ? undefined : { seen: found.map(({ seen }) => seen).join('; ') };
}

/** The same where nobody ordered what follows from it: a record that nothing bears out has no consequence. */
function failureToAct(situation: Situation): Failure | undefined {
  const failure = failureOf(situation);
  if (failure === undefined || situation.snapshot.unsigned === undefined) return failure;
  const judged = judgedGroups(situation);
  if (judged === undefined) return undefined;
  return failureBy(situation, judged, {
    late: expiredByCluster(situation, judged),
    often: restartedInPlaceTooOften(situation, judged),
  });
}

/** `step 2`, `the promotion`. */
export function whatFails({ marks }: Situation): string {
  return marks?.step?.kind === 'step' ? `step ${marks.step.index}` : 'the promotion';
}

function failed(situation: Situation): Failure | undefined {
  if (!isJudged(situation)) return undefined;
  const judged = judgedGroups(situation);
  if (judged === undefined) return undefined;
  const counted = expiredDeadlines(situation).filter(({ clock }) => clock === 'ready');
  const byCluster = situation.snapshot.unsigned === undefined ? [] : expiredByCluster(situation, judged);
  const late = [...counted, ...byCluster.filter(({ field }) => counted.every((one) => one.field !== field))];
  return failureBy(situation, judged, { late, often: restartedTooOften(situation, judged) });
}

function failureBy(
  situation: Situation,
  judged: JudgedStep,
  { late, often }: { readonly late: readonly Expired[]; readonly often: readonly Group[] },
): Failure | undefined {
  if (late.length === 0 && often.length === 0) return undefined;
  const told = often.length === 0 ? [] : restartsText(situation, { often, name: judged.name });
  const step = situation.marks?.step;
  const isOfStep = step?.kind === 'step' && late.some(({ of }) => of === 'step');
  return {
    seen: [...late.map((one) => deadlineText(situation, one)), ...told].join('; '),
    facts: {
      // The groups that take over are others than those of the steps.
      ...(step?.kind === 'promote' ? { promotion: true } : {}),
      // More groups are late in the next one: nobody has accepted that.
      ...(isOfStep ? stepAsPlanned(situation) : {}),
      ...(late.length === 0 ? {} : { deadlines: late.map(({ field, most }) => `${field} ${most}`) }),
      ...(often.length === 0
        ? {}
        : {
            restarts: often.map((group) => ({
              index: group.index,
              leader: group.uid,
              restarts: timesRestarted(situation, group),
            })),
          }),
    },
  };
}

function restartsText(
  situation: Situation,
  { often, name }: { readonly often: readonly Group[]; readonly name: string },
): readonly string[] {
  const { snapshot, state } = situation;
  // Where there are two workloads, the ordinal says nothing without its name.
  const of = state.kind === 'ladder' ? ` of ${name}` : '';
  const told = often
    .slice(0, TOLD_MOST)
    .map((group) => `group ${group.index}${of} was restarted ${timesRestarted(situation, group)} times`);
  const more = often.length > TOLD_MOST ? [`and ${often.length - TOLD_MOST} groups more`] : [];
  return [
    ...told,
    ...more,
    `${policySaying(snapshot, 'maxRestarts')} allows ${snapshot.policy.maxRestarts} (maxRestarts)`,
  ];
}

const WAITS = {
  apply: 'to be live in the cluster',
  schedule: 'for nodes',
  ready: 'to be ready, on nodes',
} as const satisfies Readonly<Record<Expired['clock'], string>>;

function deadlineText({ snapshot, marks }: Situation, { field, clock, of, waited, most }: Expired): string {
  const own = marks?.step?.kind === 'promote' ? 'the promotion has' : 'this step has';
  const who = of === 'step' ? own : 'the steps of this release have';
  return `${who} waited ${waited} s ${WAITS[clock]}, and ${policySaying(snapshot, field)} allows ${most} s (${field})`;
}

/** The template that failed is not the one that is in the file: what to do with that one is for people to say. */
export function newerRequestWaits(situation: Situation): Hold | undefined {
  const { snapshot, marks, digest, file } = situation;
  const { key } = snapshot;
  if (digest === marks?.release.digest) return undefined;
  const failure = failureLeading(situation, 'rollback', true);
  if (failure === undefined) return undefined;
  return hold('NewerRequestWaits', {
    seen: `${capital(failure.seen)}. tranche does not roll it back by itself, because ${file.file} has a newer template (${shortDigest(digest)}) of which no group has run yet`,
    action: advice`To abort both: ${commandLine('abort', key)}; to go back and deliver the newer one: ${commandLine('abort', key, '--keep-newer')}`,
  });
}
