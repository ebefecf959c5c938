/** Judges the metrics of an Analysis by the answers of its provider: of the step, of the day and of the week before it. */

import type { Analysis } from '../../api/analysis.ts';
import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import { countsOf, type Sides } from './counting.ts';
import { type Grid, gridFrom } from './metric-query.ts';
import type { Counts } from './odds.ts';
import { type Part, partsOf } from './parts.ts';
import type { Unusable } from './readings.ts';
import { dispersionOf, ruledOutWith, type Strata, spreadOf, totalOf } from './spread.ts';
import { stallExcuse, stallVerdict } from './stalls.ts';
import {
  type Doubt,
  type Excuse,
  excuseOf,
  type SaidByWindow,
  type Verdict,
  verdictOf,
  type Window,
} from './verdict.ts';

const DAY_SECONDS = 86_400;
/** Fewer groups than this, or less history, do not show how much groups differ anyway. */
const STABLE_LEAST = 3;
/** Seconds. A verdict holds for this time after the last samples, and two windows at least. */
const STALE_SECONDS = 600;

/** An answer with the grid that it was asked for. */
export type Answered = { readonly grid: Grid; readonly series: readonly MetricSeries[] };

/** Of the day and of the week before the step. */
type Before = { readonly day: Answered; readonly week: Answered };

/** Why a failure of a metric is weak: it would lead to a withdrawal at most. */
type Caution = 'fewStableGroups' | 'littleHistory';

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
 * One answer for each metric, in the order of the file, by its past in the same order. The same answers give the same bytes,
 * whenever they were asked for: its time is over by the windows that are closed.
 */
export function judge(
  step: Answered,
  pasts: readonly Past[],
  { analysis, sides, steps }: Judging,
): readonly MetricJudged[] {
  const alpha = alphaOf(analysis, steps);
  const isLate = step.grid.end - gridFrom(newestOf(sides), step.grid.step) >= analysis.waitAtMostSeconds;
  return analysis.metrics.map((metric, place) => {
    const counted = countsOf(step.series, sides, { analysis, metric, grid: step.grid });
    const { name, leadsTo } = metric;
    if (counted.kind !== 'counted') return { name, leadsTo, said: counted };
    const past = pasts[place] ?? UNKNOWN;
    const sizes = { canary: sides.canary.length, stable: sides.stable.length };
    const { dispersion, spread } = past;
    const doubt: Doubt = { alpha, miss: analysis.missPercent / 100, dispersion, spread, sizes };
    const { verdict, windows, ...by } = judged(counted.windows, metric, doubt);
    const answer = isStale(counted.lastWhole, step.grid) ? unknownBy(isLate) : answerOf(verdict, isLate);
    const few: readonly Caution[] = sizes.stable > 0 && stableIn(windows) < STABLE_LEAST ? ['fewStableGroups'] : [];
    return {
      name,
      leadsTo,
      said: {
        kind: 'judged',
        answer,
        verdict,
        excuse: answer === 'failed' ? excused({ verdict, windows, ...by }, metric, sides) : undefined,
        cautions: [...few, ...past.cautions],
        ruledOut: inTruth(verdict.ruledOut, doubt),
        dispersion,
        spread,
        voided: counted.voided,
        unlike: counted.unlike,
        parts: partsOf(windows),
      },
    };
  });
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

function inTruth(ruledOut: number | undefined, { spread, sizes }: Doubt): number | undefined {
  if (ruledOut === undefined || spread === undefined || sizes.stable === 0) return ruledOut;
  return ruledOutWith(ruledOut, { spread, sizes });
}

/** How the stable groups of a metric differ among themselves, and what makes a failure by it weak. */
export type Past = Pick<Doubt, 'dispersion' | 'spread'> & { readonly cautions: readonly Caution[] };

const UNKNOWN: Past = { dispersion: 1, spread: undefined, cautions: ['littleHistory'] };

/** Of each metric, in the order of the file, from before the step: it stays the same through all of it. */
export function pastsOf(before: Before, { analysis, sides }: Pick<Judging, 'analysis' | 'sides'>): readonly Past[] {
  return analysis.metrics.map((metric) => pastOf(before, { analysis, metric, sides }));
}

function pastOf({ day, week }: Before, asking: Omit<Asking, 'past'>): Past {
  const { stable } = asking.sides;
  const windows = alone({ ...asking, past: day });
  const spread = spreadOf(daysOf(alone({ ...asking, past: week })));
  const isLittle = stable.length > 0 && (spread === undefined || windows.length * day.grid.step < DAY_SECONDS);
  const dispersion = dispersionOf(windows.map(({ canary }) => canary));
  return { dispersion, spread, cautions: isLittle ? ['littleHistory'] : [] };
}

type Asking = {
  readonly analysis: Analysis;
  readonly metric: AnalysisMetric;
  readonly sides: Sides;
  readonly past: Answered;
};

/** What the stable groups counted by themselves. A series that cannot be used then tells nothing of the past. */
function alone({ analysis, metric, sides, past }: Asking): readonly Window[] {
  if (sides.stable.length === 0) return [];
  // All requests were theirs before the new version had a share.
  const before = {
    canary: sides.stable.map(({ pod, from, warmFrom = from }) => ({ pod, from: warmFrom })),
    stable: [],
  };
  const counted = countsOf(past.series, before, { analysis, metric, grid: past.grid });
  return counted.kind === 'counted' ? counted.windows : [];
}

/** Each day, with what each group counted in it. */
function daysOf(windows: readonly Window[]): Strata {
  const days = new Map<number, Map<string, Counts>>();
  for (const { end, canary } of windows) {
    const day = Math.floor(end / DAY_SECONDS);
    const groups = days.get(day) ?? new Map<string, Counts>();
    days.set(day, groups);
    for (const counts of canary) groups.set(counts.pod, totalOf([groups.get(counts.pod) ?? { n: 0, x: 0 }, counts]));
  }
  return [...days.values()].map((groups) => [...groups.values()]);
}
