/** The gates of the Analyses that policies name: nothing goes forward on a step that metrics have failed, or say nothing of. */

import type { AcceptableReason } from '../../api/intents.ts';
import type { JsonObject } from '../../api/json.ts';
import type { OnFailure } from '../../api/policy-rules.ts';
import { printInstant } from '../../api/time.ts';
import { accepted } from '../accepting.ts';
import { metricText } from '../analysis/metric-text.ts';
import {
  type AnalysisStanding,
  analysisStanding,
  consequenceOf,
  excusedBy,
  isAnswer,
  type MetricJudgedSo,
  placeOf,
  thatHave,
} from '../analysis/standing.ts';
import { isJudged } from '../deadlines.ts';
import { type Hold, type HoldReason, hold, withFacts, withLines } from '../hold.ts';
import type { Situation } from '../situation.ts';
import { type Advice, advice, commandLine } from '../texts/advice.ts';
import { policySaying } from '../texts/sentences.ts';
import { alertHolds } from './alerts.ts';
import { stepAsPlanned } from './step-as-planned.ts';

/** What is not decided yet, and what could not be asked: it goes neither on nor back. Asked once the groups of a step are there. */
export function analysing(situation: Situation): readonly Hold[] {
  const standing = analysisStanding(situation);
  if (standing === undefined) return [];
  return [
    ...unaskedHolds(situation, standing),
    ...(['MetricsUnreadable', 'SeriesUnusable'] as const).flatMap((kind) => refusedBy(kind, standing)),
    ...undecidedHolds(situation, standing),
    ...alertHolds(situation, standing),
  ];
}

/** What metrics have failed by, unless someone has accepted that: nothing goes forward, however far the groups are. */
export function analysisHolds(situation: Situation): readonly Hold[] {
  const standing = analysisStanding(situation);
  if (standing === undefined) return [];
  const failed = factual(situation, 'AnalysisFailed', thatHave(standing, 'failed'), (metrics) => ({
    seen: `${linesIn(metrics)}${wouldHave(situation, metrics)}`,
    action: advice`To go back: ${commandLine('abort', situation.snapshot.key)}`,
  }));
  const both = factual(situation, 'BothSidesBad', excusedBy(standing, 'BothSidesBad'), (metrics) => ({
    seen: `both versions are bad, so that it need not be the new one: ${linesIn(metrics)}`,
    action: advice`Look at what both versions share`,
  }));
  const outlier = factual(situation, 'GroupOutlier', excusedBy(standing, 'GroupOutlier'), (metrics) => ({
    seen: `without its worst group the new version has not failed: ${linesIn(metrics)}`,
    action: advice`Look at that group and its node`,
  }));
  return [failed, both, outlier].filter((one) => one !== undefined);
}

/** Failed metrics that lead somewhere by themselves. undefined: none, or someone has accepted them, or people hold the step. */
export function analysisFailure(
  situation: Situation,
): { readonly way: Exclude<OnFailure, 'hold'>; readonly seen: string } | undefined {
  const standing = analysisStanding(situation);
  if (standing === undefined || !isJudged(situation)) return undefined;
  const failed = thatHave(standing, 'failed');
  if (failed.length === 0 || isAccepted(situation, 'AnalysisFailed')) return undefined;
  const { way } = consequenceOf(situation, failed);
  return way === 'hold' ? undefined : { way, seen: linesIn(failed) };
}

/** What someone accepts who lets a step go on: the metrics by name and verdict, and no counts, which change with each window. */
export function analysisFacts(reason: AnalysisReason): (situation: Situation) => JsonObject | undefined {
  return (situation) => {
    const standing = analysisStanding(situation);
    if (standing === undefined || situation.snapshot.policy.analysisAccept === 'Refuse') return undefined;
    return factsOf(situation, METRICS[reason](standing));
  };
}

type AnalysisReason = Extract<
  AcceptableReason,
  'AnalysisFailed' | 'AnalysisInconclusive' | 'BothSidesBad' | 'GroupOutlier'
>;

const METRICS: Readonly<Record<AnalysisReason, (standing: AnalysisStanding) => readonly MetricJudgedSo[]>> = {
  AnalysisFailed: (standing) => thatHave(standing, 'failed'),
  AnalysisInconclusive: inconclusive,
  BothSidesBad: (standing) => excusedBy(standing, 'BothSidesBad'),
  GroupOutlier: (standing) => excusedBy(standing, 'GroupOutlier'),
};

function factsOf(situation: Situation, metrics: readonly MetricJudgedSo[]): JsonObject | undefined {
  if (metrics.length === 0) return undefined;
  const named = metrics.map(({ analysis: { name, blob }, name: metric, said: { excuse } }) =>
    [metric, ...(excuse?.kind === 'GroupOutlier' ? [excuse.pod] : []), `${name}@${blob}`].join(' '),
  );
  return { ...stepAsPlanned(situation), step: placeOf(situation), metrics: named };
}

function isAccepted(situation: Situation, reason: AnalysisReason): boolean {
  return situation.snapshot.policy.analysisAccept !== 'Refuse' && accepted(situation, reason);
}

function factual(
  situation: Situation,
  reason: AnalysisReason,
  metrics: readonly MetricJudgedSo[],
  said: (metrics: readonly MetricJudgedSo[]) => { readonly seen: string; readonly action: Advice },
): Hold | undefined {
  const facts = factsOf(situation, metrics);
  if (facts === undefined || isAccepted(situation, reason)) return undefined;
  const { seen, action } = said(metrics);
  const isRefused = situation.snapshot.policy.analysisAccept === 'Refuse';
  const { key } = situation.snapshot;
  const held = hold(reason, {
    seen: isRefused ? `${seen}. ${policySaying(situation.snapshot, 'analysisAccept')} lets nobody accept that` : seen,
    action: isRefused
      ? action
      : advice`${action}; to go on all the same: ${commandLine('approve', key, `--hold ${reason}`)}`,
  });
  return isRefused ? held : withFacts(held, facts);
}

/** Where policies want more than what follows. */
function wouldHave(situation: Situation, failed: readonly MetricJudgedSo[]): string {
  const { way, wanted } = consequenceOf(situation, failed);
  return way === wanted || wanted === 'hold'
    ? ''
    : `. It would have gone back or been withdrawn by onAnalysisFailure (${wanted}), which ${
        way === 'hold'
          ? 'these metrics do not lead to'
          : 'needs its Analysis in tranche.dev/analysed, and evidence that is not weak'
      }`;
}

/** Those that nothing is known of, each by what is in the way. */
function unaskedHolds(situation: Situation, { found, analyses }: AnalysisStanding): readonly Hold[] {
  const open = analyses.filter(({ wrong }) => wrong === undefined);
  if (open.length === 0) return [];
  if (found.kind === 'unseen')
    return [hold('Analysing', { seen: `nothing is compared yet: ${found.why}`, waits: 'groups' })];
  const early = open.flatMap(({ name, said }) => (said?.kind === 'early' ? [{ name, ...said }] : []));
  const unasked = open.filter(({ said }) => said === undefined);
  const { now } = situation.snapshot;
  return [
    ...early.slice(0, 1).map(({ name, from, until }) =>
      hold(
        'Analysing',
        {
          seen: `Analysis ${name} compares from ${printInstant(from)} on, once the new version has warmed up`,
          waits: 'time',
        },
        Math.max(1, until - now),
      ),
    ),
    ...unasked
      .slice(0, 1)
      .map(({ name }) => hold('Analysing', { seen: `Analysis ${name} was not asked in this pass`, waits: 'reading' })),
  ];
}

/** What was asked of metrics or alerts, and not answered so that it can be read. */
function refusedBy(
  kind: 'MetricsUnreadable' | 'SeriesUnusable',
  { found, analyses, alerting }: AnalysisStanding,
): readonly Hold[] {
  if (found.kind !== 'sides') return [];
  const answers = [
    ...analyses.map(({ name, said }) => ({ name, answer: said })),
    ...alerting.map(({ name, alerted }) => ({ name, answer: alerted })),
  ];
  const why = answers.flatMap(({ name, answer }) => (answer?.kind === kind ? [`Analysis ${name}: ${answer.why}`] : []));
  return why.length === 0 ? [] : [hold(kind, { seen: [...new Set(why)].join('; '), action: LOOK[kind] })];
}

const LOOK = {
  MetricsUnreadable: 'Nothing goes on or back by it: look at the provider, and at TRANCHE_METRICS_* of the runner',
  SeriesUnusable: 'Nothing goes on or back by it: change what is scraped, or the Analysis',
} as const;

/** Metrics without a verdict, each kind as one hold. */
function undecidedHolds(situation: Situation, standing: AnalysisStanding): readonly Hold[] {
  const waiting = thatHave(standing, 'waiting');
  const unusable = (['SeriesMissing', 'SeriesTwice', 'SeriesUnusable', 'SidesNotApart'] as const).flatMap((kind) =>
    seriesHold(kind, standing),
  );
  const open = factual(situation, 'AnalysisInconclusive', inconclusive(standing), (metrics) => ({
    seen: `the time of the analysis is over, and these metrics tell neither that the new version is worse nor that it is not: ${linesIn(metrics)}`,
    action: advice`To go back: ${commandLine('abort', situation.snapshot.key)}`,
  }));
  return [
    ...(waiting.length === 0
      ? []
      : [
          withLines(
            hold('Analysing', { seen: `evidence grows: ${linesIn(waiting)}`, waits: 'time' }),
            waiting.map(metricText),
          ),
        ]),
    ...unusable,
    ...[open, noRequests(situation, standing)].filter((one) => one !== undefined),
  ];
}

function seriesHold(
  kind: Extract<HoldReason, 'SeriesMissing' | 'SeriesTwice' | 'SeriesUnusable' | 'SidesNotApart'>,
  { metrics }: AnalysisStanding,
): readonly Hold[] {
  const why = metrics.flatMap(({ name, said }) =>
    said.kind === kind && 'why' in said ? [`${name}: ${said.why}`] : [],
  );
  return why.length === 0
    ? []
    : [
        hold(kind, {
          seen: why.join('; '),
          action: 'Nothing goes on or back by it: change what is scraped, or the Analysis',
        }),
      ];
}

/** Only where no metric has seen a request nobody has asked anything; else one without requests has no verdict. */
function isQuiet({ metrics }: AnalysisStanding): boolean {
  return metrics.length > 0 && metrics.every((one) => isAnswer(one) && one.said.kind === 'noRequests');
}

function inconclusive(standing: AnalysisStanding): readonly MetricJudgedSo[] {
  const silent = isQuiet(standing) ? [] : thatHave(standing, 'noRequests');
  return [...thatHave(standing, 'inconclusive'), ...silent];
}

function noRequests({ snapshot }: Situation, standing: AnalysisStanding): Hold | undefined {
  if (!isQuiet(standing) || snapshot.policy.withoutRequests === 'Pass') return undefined;
  return hold('NoRequests', {
    seen: `neither version was asked anything in the time of the analysis: ${standing.metrics.map(({ name }) => name).join(', ')}`,
    action: advice`Wait for requests, or go back: ${commandLine('abort', snapshot.key)}. A policy may let such a step go on (withoutRequests)`,
  });
}

function linesIn(metrics: readonly MetricJudgedSo[]): string {
  return metrics.map(metricText).join('; ');
}
