/** The questions of one pass to servers of metrics: how many, how many at a time, and what is known of closed windows already. */

import type { Instant } from '../api/time.ts';
import type { Metrics, RangeAnswer, RangeQuestion } from '../ports/metrics.ts';
import type { MetricJudged } from '../rollout/analysis/judge.ts';
import type { Grid } from '../rollout/analysis/metric-query.ts';
import type { Past } from '../rollout/analysis/pasts.ts';

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

/**
 * Of one pass; its time starts with its first question. The same question is asked once. A provider that cannot be reached is
 * asked nothing more, so that it takes neither time nor questions from the others.
 */
export function metricsReader(metrics: Metrics, memory: MetricsMemory): MetricsReader {
  let left = QUESTIONS_MOST;
  let round: ReturnType<Metrics['round']> | undefined;
  const asked = new Map<string, Promise<RangeAnswer>>();
  const unreached = new Map<string, RangeAnswer>();
  const inTurn = turns(AT_ONCE);
  const ask = (question: RangeQuestion): Promise<RangeAnswer> =>
    inTurn(async () => {
      const gone = unreached.get(question.provider);
      if (gone !== undefined) {
        left += 1;
        return gone;
      }
      round ??= metrics.round();
      const answer = await round.range(question);
      if (answer.kind === 'failed' && answer.isUnreached === true) unreached.set(question.provider, answer);
      return answer;
    });
  const range: MetricsReader['range'] = async (question) => {
    const key = JSON.stringify([question.provider, question.query, question.start, question.end, question.step]);
    const known = asked.get(key) ?? unreached.get(question.provider);
    if (known !== undefined) return known;
    if (left === 0) return { kind: 'unasked' };
    left -= 1;
    const answer = ask(question);
    asked.set(key, answer);
    return answer;
  };
  return { range, memory };
}

/** Lets this many run at a time, in the order in which they come. */
function turns(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  let open = most;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (open === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else open -= 1;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) open += 1;
      else next();
    }
  };
}

/** Answers by what is remembered alone, and says whether anything else was wanted. */
export function withoutAsking({ memory }: MetricsReader): {
  readonly reader: MetricsReader;
  readonly wants: () => boolean;
} {
  let isWanted = false;
  const range: MetricsReader['range'] = async () => {
    isWanted = true;
    return { kind: 'unasked' };
  };
  return { reader: { range, memory }, wants: () => isWanted };
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
