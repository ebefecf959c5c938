/** Judges the metrics of an Analysis by the answers of its provider: of the step, of the day and of the week before it. */

import type { Analysis } from '../../api/analysis.ts';
import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import type { Instant } from '../../api/time.ts';
import { type Counted, countsOf, type Sides } from './counting.ts';
import { type Grid, gridFrom } from './metric-query.ts';
import { type Part, partsOf } from './parts.ts';
import { type Answered, type Caution, type Past, UNKNOWN } from './pasts.ts';
import type { Unusable } from './readings.ts';
import { BY_SERVICE, serviceSides, servicesCounted } from './services.ts';
import { ruledOutWith } from './spread.ts';
import { stallExcuse, stalledByGateway, stallVerdict } from './stalls.ts';
import {
  type Doubt,
  type Excuse,
  excuseOf,
  type SaidByWindow,
  type Verdict,
  verdictOf,
  type Window,
} from './verdict.ts';

/** Fewer groups than this, or less history, do not show how much groups differ anyway. */
const STABLE_LEAST = 3;
/** Seconds. A verdict holds for this time after the last samples, and two windows at least. */
const STALE_SECONDS = 600;

export type MetricJudged = {
  readonly name: string;
  readonly leadsTo: AnalysisMetric['leadsTo'];
  readonly said:
    | Unusable
    | {
        readonly kind: 'judged';
        /** `waiting`: evidence grows; `inconclusive`: it had its time; `noRequests`: neither version was asked anything. */
        readonly answer: 'failed' | 'passed' | 'waiting' | 'inconclusive' | 'noRequests';
        readonly verdict: Verdict;
        readonly excuse: Excuse | undefined;
        readonly cautions: readonly Caution[];
        /** What is ruled out with the difference of groups in it; undefined: nothing. */
        readonly ruledOut: number | undefined;
        readonly dispersion: number;
        readonly spread: number | undefined;
        /** Leaders' windows that were void, and windows in which prompts or load were not alike. */
        readonly voided: number;
        readonly unlike: number;
        /** What was counted in the windows that were judged. */
        readonly parts: readonly Part[];
      };
};

type Judging = { readonly analysis: Analysis; readonly sides: Sides; readonly steps: number };

/**
 * One answer for each metric, in the order of the file, by its past in the same order; none of one that a gateway counts where no
 * requests are shared by Services. The same answers give the same bytes,
 * whenever they were asked for: its time is over by the windows that are closed.
 */
export function judge(
  step: Answered,
  pasts: readonly Past[],
  { analysis, sides: given, steps }: Judging,
): readonly MetricJudged[] {
  const alpha = alphaOf(analysis, steps);
  const isLate = step.grid.end - gridFrom(newestOf(given), step.grid.step) >= analysis.waitAtMostSeconds;
  return analysis.metrics.flatMap((metric, place): readonly MetricJudged[] => {
    const asked = { analysis, metric, grid: step.grid };
    const { name, leadsTo, gateway } = metric;
    const sides = gateway === undefined ? given : serviceSides(given);
    if (sides === undefined) return [];
    const counted = gateway === undefined ? countsOf(step.series, given, asked) : servicesCounted(step, given, asked);
    if (counted.kind !== 'counted') return [{ name, leadsTo, said: counted }];
    const past = gateway === undefined ? (pasts[place] ?? UNKNOWN) : BY_SERVICE;
    const judging = { analysis, sides, past, alpha, isLate, grid: step.grid };
    if (!isStall(metric)) return [{ name, leadsTo, said: saidOfOne(counted, metric, judging) }];
    const stalled = stallsWithGateway(counted, step, { analysis, sides });
    const cautions = [...past.cautions, ...stalled.cautions];
    return [{ name, leadsTo, said: saidOfOne(stalled, metric, { ...judging, past: { ...past, cautions } }) }];
  });
}

/** With what the gateway metrics of the file show of the same windows: where only they show a stall, its leader is not known. */
function stallsWithGateway(
  counted: CountedWindows,
  step: Answered,
  { analysis, sides }: Omit<Judging, 'steps'>,
): CountedWindows & Pick<Past, 'cautions'> {
  const { grid } = step;
  const sizes = { canary: sides.canary.length, stable: sides.stable.length };
  const bad = analysis.metrics.flatMap((metric) => {
    if (metric.gateway === undefined || sides.services === undefined) return [];
    const found = servicesCounted(step, sides, { analysis, metric, grid });
    return found.kind === 'counted' ? found.windows : [];
  });
  const windows = stalledByGateway(counted.windows, bad, { sizes, step: grid.step });
  const isFailed = (those: readonly Window[]) => stallVerdict(those, sizes.canary).kind === 'failed';
  return { ...counted, windows, cautions: isFailed(windows) && !isFailed(counted.windows) ? ['byService'] : [] };
}

type CountedWindows = Extract<Counted, { readonly kind: 'counted' }>;

type JudgingOne = Omit<Judging, 'steps'> & {
  readonly past: Past;
  readonly alpha: number;
  readonly isLate: boolean;
  readonly grid: Grid;
};

function saidOfOne(
  counted: CountedWindows,
  metric: AnalysisMetric,
  { analysis, sides, past, alpha, isLate, grid }: JudgingOne,
): Extract<MetricJudged['said'], { readonly kind: 'judged' }> {
  const sizes = { canary: sides.canary.length, stable: sides.stable.length };
  const { dispersion, spread } = past;
  const doubt: Doubt = { alpha, miss: analysis.missPercent / 100, dispersion, spread, sizes };
  const { verdict, windows, ...by } = judged(counted.windows, metric, doubt);
  const answer = isStale(counted.lastWhole, grid) ? unknownBy(isLate) : answerOf(verdict, isLate);
  const isFew = isStall(metric)
    ? stableAnswering(windows) < STABLE_LEAST
    : metric.gateway === undefined && sizes.stable > 0 && stableIn(windows) < STABLE_LEAST;
  return {
    kind: 'judged',
    answer,
    verdict,
    excuse: answer === 'failed' ? excused({ verdict, windows, ...by }, metric, sides) : undefined,
    cautions: [...(isFew ? (['fewStableGroups'] as const) : []), ...past.cautions],
    ruledOut: inTruth(verdict.ruledOut, doubt),
    dispersion,
    spread,
    voided: counted.voided,
    unlike: counted.unlike,
    parts: partsOf(windows),
  };
}

/** The chance of a false alarm of one metric in one step: that of a delivery is shared by those that lead back. */
export function alphaOf({ metrics, falseAlarmPercent }: Analysis, steps: number): number {
  const alarming = Math.max(1, metrics.filter(({ leadsTo }) => leadsTo === 'rollback').length);
  return falseAlarmPercent / 100 / (alarming * (steps + 1));
}

/** When the evidence of the leader starts that came last. */
export function newestOf({ canary }: Sides): Instant {
  return Math.max(...canary.map(({ from }) => from));
}

type Judged = { readonly verdict: Verdict; readonly windows: readonly Window[]; readonly doubt: Doubt };

/**
 * By the windows since the step started, in which leaders come one by one, it may fail, at any time. It passes by those alone
 * that have all leaders of the new version in them: what the older ones counted while the newer ones loaded says nothing of
 * those. Where both differ it is looked at in two ways, each with half the chance of a false alarm.
 */
function judged(windows: readonly Window[], rules: AnalysisMetric, all: Doubt): Judged {
  if (isStall(rules)) return { verdict: stallVerdict(windows, all.sizes.canary), windows, doubt: all };
  const whole = windows.filter(({ canary }) => canary.length === all.sizes.canary);
  if (whole.length === windows.length) return { verdict: verdictOf(whole, rules, all), windows: whole, doubt: all };
  const half = { ...all, alpha: all.alpha / 2 };
  const fewest = Math.min(...windows.map(({ canary }) => canary.length));
  const few = { ...half, sizes: { ...all.sizes, canary: fewest } };
  const known: SaidByWindow = new Map();
  const early = verdictOf(windows, rules, few, known);
  if (early.kind === 'failed') return { verdict: early, windows, doubt: few };
  const verdict = verdictOf(whole, rules, half, known);
  return whole.length > 0
    ? { verdict, windows: whole, doubt: half }
    : { verdict: { ...early, kind: 'undecided', at: undefined, ruledOut: undefined }, windows, doubt: few };
}

/** One of several leaders that has counted alone so far speaks for no other: that may be its node. */
function excused({ windows, doubt }: Judged, rules: AnalysisMetric, { canary }: Sides): Excuse | undefined {
  if (isStall(rules)) return stallExcuse(windows, canary.length);
  const [pod, ...others] = new Set(windows.flatMap((window) => window.canary.map((counts) => counts.pod)));
  const isLone = pod !== undefined && others.length === 0 && canary.length > 1;
  return excuseOf(windows, rules, doubt) ?? (isLone ? { kind: 'GroupOutlier', pod } : undefined);
}

function isStall({ bad }: AnalysisMetric): boolean {
  return bad.kind === 'stalled';
}

function answerOf(verdict: Verdict, isLate: boolean) {
  if (verdict.kind !== 'undecided') return verdict.kind;
  const isQuiet = verdict.windows > 0 && verdict.canary.n + verdict.stable.n === 0;
  return isLate && isQuiet ? 'noRequests' : unknownBy(isLate);
}

function unknownBy(isLate: boolean) {
  return isLate ? 'inconclusive' : 'waiting';
}

/** Samples have ceased to come, though the provider answers: what they said before tells nothing of now. */
function isStale(lastWhole: Instant | undefined, { start, end, step }: Grid): boolean {
  return end - (lastWhole ?? start) > Math.max(STALE_SECONDS, 2 * step);
}

/** The stable groups that have counted at all. */
function stableIn(windows: readonly Window[]): number {
  return new Set(windows.flatMap(({ stable }) => stable.map(({ pod }) => pod))).size;
}

/**
 * Those that have answered, none where one version serves alone: a stall has neither a bound nor a known chance of a false alarm,
 * so that nothing but others who answer meanwhile shows that it is of the new version.
 */
function stableAnswering(windows: readonly Window[]): number {
  return new Set(windows.flatMap(({ stable }) => stable.flatMap(({ pod, n, x }) => (n > x ? [pod] : [])))).size;
}

function inTruth(ruledOut: number | undefined, { spread, sizes }: Doubt): number | undefined {
  if (ruledOut === undefined || spread === undefined || sizes.stable === 0) return ruledOut;
  return ruledOutWith(ruledOut, { spread, sizes });
}
