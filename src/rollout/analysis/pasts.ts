/** How the stable groups of a metric differed among themselves before a step: the same through all of it. */

import type { Analysis } from '../../api/analysis.ts';
import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import { countsOf, type Sides } from './counting.ts';
import type { Grid } from './metric-query.ts';
import type { Counts } from './odds.ts';
import { dispersionOf, type Strata, spreadOf, totalOf } from './spread.ts';
import type { Doubt, Window } from './verdict.ts';

const DAY_SECONDS = 86_400;

/** An answer with the grid that it was asked for. */
export type Answered = { readonly grid: Grid; readonly series: readonly MetricSeries[] };

/** Of the day and of the week before the step. */
type Before = { readonly day: Answered; readonly week: Answered };

/** Why a failure of a metric is weak: it would lead to a withdrawal at most. `byService`: nothing tells the groups apart. */
export type Caution = 'fewStableGroups' | 'littleHistory' | 'byService';

/** How the stable groups of a metric differ among themselves, and what makes a failure by it weak. */
export type Past = Pick<Doubt, 'dispersion' | 'spread'> & { readonly cautions: readonly Caution[] };

/** Nothing was found out. */
export const UNKNOWN: Past = { dispersion: 1, spread: undefined, cautions: ['littleHistory'] };

/** Of each metric, in the order of the file, from before the step: it stays the same through all of it. */
export function pastsOf(before: Before, { analysis, sides }: Omit<Asking, 'past' | 'metric'>): readonly Past[] {
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
