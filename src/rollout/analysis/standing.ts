/** What all Analyses of a step say together, metric by metric: which have failed, which wait, and what a failure may lead to. */

import { printStep } from '../../api/marks.ts';
import type { OnFailure } from '../../api/policy-rules.ts';
import type { Situation } from '../situation.ts';
import type { AnalysisSeen, MetricAnswer, MetricSaid } from './seen.ts';
import { type SidesFound, sidesOf } from './sides.ts';

/** A metric with the Analysis that it is of; `name`: `chat/errors`, as people read it. */
type MetricStanding = {
  readonly analysis: AnalysisSeen;
  readonly name: string;
  readonly leadsTo: MetricSaid['leadsTo'];
  readonly said: MetricSaid['said'];
};

/** What is asked of the step in Git. */
export type AnalysisStanding = {
  readonly found: SidesFound;
  readonly analyses: readonly AnalysisSeen[];
  /** Those that decide something, as far as their provider has answered. */
  readonly metrics: readonly MetricStanding[];
  /** Those with alerts, whichever of their metrics decide. */
  readonly alerting: readonly AnalysisSeen[];
};

/** undefined: no policy names an Analysis, or nothing of this step is judged, as at rest and in a rollback. */
export function analysisStanding(situation: Situation): AnalysisStanding | undefined {
  const { analyses } = situation.snapshot;
  if (analyses === undefined) return undefined;
  const found = sidesOf(situation, { warmUpSeconds: 0 });
  if (found.kind === 'nothing') return undefined;
  const isAlone = found.kind === 'sides' && found.sides.stable.length === 0;
  const place = placeOf(situation);
  // What was said of another step says nothing of this one.
  const asked = analyses.map(
    ({ said, alerted, of, ...one }): AnalysisSeen =>
      of === place
        ? { ...one, ...(said === undefined ? {} : { said }), ...(alerted === undefined ? {} : { alerted }), of }
        : one,
  );
  const alerting = asked.filter(({ wrong, alerts = [] }) => wrong === undefined && alerts.length > 0);
  const where = { isAlone, isShared: found.kind === 'sides' && found.sides.services !== undefined };
  // Until it is seen which version serves, all that may hold the step is waited for.
  const deciding = asked.filter((one) => decides(one, where) || (found.kind === 'unseen' && alerting.includes(one)));
  const metrics = found.kind === 'unseen' ? [] : deciding.flatMap((analysis) => metricsOf(analysis, where));
  return { found, analyses: deciding, metrics, alerting };
}

/** The step in Git with its rung, of which an Analysis is asked. */
export function placeOf({ marks }: Pick<Situation, 'marks'>): string {
  return [marks?.step === undefined ? '' : printStep(marks.step), marks?.at ?? ''].join(' ').trim();
}

type Where = { readonly isAlone: boolean; readonly isShared: boolean };

/**
 * Where one version serves alone, nothing but a bound says anything of it; where no requests are shared by Services, a gateway says
 * nothing.
 */
function says(
  { leadsTo, isBound, isOfGateway }: AnalysisSeen['metrics'][number],
  { isAlone, isShared }: Where,
): boolean {
  return leadsTo !== 'inform' && (isBound || !isAlone) && (isShared || isOfGateway !== true);
}

function decides({ wrong, metrics }: AnalysisSeen, where: Where): boolean {
  return wrong !== undefined || metrics.some((metric) => says(metric, where));
}

function metricsOf(analysis: AnalysisSeen, where: Where): readonly MetricStanding[] {
  const { said } = analysis;
  if (said?.kind !== 'judged') return [];
  return said.metrics.flatMap(({ name, leadsTo, said: of }) => {
    const asked = analysis.metrics.find((one) => one.name === name);
    const isSilent = leadsTo === 'inform' || asked === undefined || !says(asked, where);
    return isSilent ? [] : [{ analysis, name: `${analysis.name}/${name}`, leadsTo, said: of }];
  });
}

/** A metric whose provider has answered so that it can be judged. */
export type MetricJudgedSo = MetricStanding & { readonly said: MetricAnswer };

/** Those that have this answer; of failed ones those without excuse. */
export function thatHave(standing: AnalysisStanding, kind: MetricAnswer['kind']): readonly MetricJudgedSo[] {
  return standing.metrics.filter(
    (one): one is MetricJudgedSo => isAnswer(one) && one.said.kind === kind && one.said.excuse === undefined,
  );
}

/** Those that have failed by something that need not be the version. */
export function excusedBy(
  standing: AnalysisStanding,
  kind: NonNullable<MetricAnswer['excuse']>['kind'],
): readonly MetricJudgedSo[] {
  return standing.metrics.filter(
    (one): one is MetricJudgedSo => isAnswer(one) && one.said.kind === 'failed' && one.said.excuse?.kind === kind,
  );
}

/** Whether it was judged at all. */
export function isAnswer(one: MetricStanding): one is MetricJudgedSo {
  return 'canary' in one.said;
}

const WAYS: readonly OnFailure[] = ['hold', 'withdraw', 'rollback'];

/** What failed metrics lead to by themselves, and what policies would have had if more were known or allowed. */
type Consequence = { readonly way: OnFailure; readonly wanted: OnFailure };

/**
 * By the policies, as far as the metric allows it. A rollback needs its Analysis to be named on the Rollout as its file is now;
 * where few groups, little history or a choice of requests make the failure weak, the share is withdrawn at most.
 */
export function consequenceOf(situation: Situation, failed: readonly MetricJudgedSo[]): Consequence {
  const { snapshot } = situation;
  const wanted = snapshot.policy.onAnalysisFailure ?? 'hold';
  const found = sidesOf(situation, { warmUpSeconds: 0 });
  const isByMatches = found.kind === 'sides' && found.isByMatches;
  const allowed = snapshot.rollout?.intents.analysed ?? [];
  const ways = failed.map(({ analysis, leadsTo, said }): OnFailure => {
    if (leadsTo !== 'rollback') return 'hold';
    const isNamed = allowed.includes(`${analysis.name}@${analysis.blob}`);
    return said.isWeak === true || isByMatches || !isNamed ? 'withdraw' : 'rollback';
  });
  const most = Math.max(0, ...ways.map((way) => WAYS.indexOf(way)));
  return { way: WAYS[Math.min(most, WAYS.indexOf(wanted))] ?? 'hold', wanted };
}
