/** The questions of one pass to servers of metrics: how many, how many at a time, and what is known of closed windows already. */

import type { Instant } from '../api/time.ts';
import type { Metrics, RangeAnswer, RangeQuestion } from '../ports/metrics.ts';
import type { MetricJudged, Past } from '../rollout/analysis/judge.ts';
import type { Grid } from '../rollout/analysis/metric-query.ts';

/** A pass asks this often at most; what is left comes with the next one. */
const QUESTIONS_MOST = 20;
const AT_ONCE = 4;
/** The newest of this many are remembered. */
const KNOWN_MOST = 200;

export type Analysed =
  | { readonly kind: 'judged'; readonly grid: Grid; readonly metrics: readonly MetricJudged[] }
  /** No window is closed yet; `from`: the first starts then, and is closed at `until` where its samples have come. */
  | { readonly kind: 'early'; readonly from: Instant; readonly until: Instant }
  | { readonly kind: 'SeriesUnusable' | 'MetricsUnreadable'; readonly why: string }
  /** This pass has asked as often as it may. */
  | { readonly kind: 'unasked' };

/** What one process remembers: by what was asked of which windows. Losing it costs questions only. */
export type MetricsMemory = {
  readonly judged: Map<string, Analysed>;
  readonly pasts: Map<string, readonly Past[]>;
};

export type MetricsReader = {
  /** `unasked`: this pass has asked as often as it may. */
  readonly range: (question: RangeQuestion) => Promise<RangeAnswer | { readonly kind: 'unasked' }>;
  readonly memory: MetricsMemory;
};

/** Of one pass; its time starts with its first question. */
export function metricsReader(metrics: Metrics, memory: MetricsMemory): MetricsReader {
  let left = QUESTIONS_MOST;
  let round: ReturnType<Metrics['round']> | undefined;
  let open = AT_ONCE;
  const waiting: (() => void)[] = [];
  const range: MetricsReader['range'] = async (question) => {
    if (left === 0) return { kind: 'unasked' };
    left -= 1;
    if (open === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else open -= 1;
    try {
      round ??= metrics.round();
      return await round.range(question);
    } finally {
      const next = waiting.shift();
      if (next === undefined) open += 1;
      else next();
    }
  };
  return { range, memory };
}

/** Keeps a value as the newest, and forgets the oldest where there are too many. */
export function remember<T>(known: Map<string, T>, key: string, value: T): T {
  known.delete(key);
  known.set(key, value);
  for (const oldest of known.keys()) {
    if (known.size <= KNOWN_MOST) break;
    known.delete(oldest);
  }
  return value;
}
