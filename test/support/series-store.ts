/** Series in memory behind the port of metrics, found by the matchers of a selector as a server finds them. */

import type { Metrics } from '../../src/ports/metrics.ts';

/** `at`: what a server gives for this second; undefined: no sample. */
export type Series = {
  readonly labels: Readonly<Record<string, string>>;
  readonly at: (second: number) => number | undefined;
};

const MATCHER = /([a-zA-Z_]+)(=~|=)"((?:[^"\\]|\\.)*)"/g;

function matches(labels: Series['labels'], query: string): boolean {
  return [...query.matchAll(MATCHER)].every(([, label = '', operator, written = '']) => {
    const value = labels[label] ?? '';
    const wanted = written.replace(/\\(["\\])/g, '$1');
    return operator === '=' ? value === wanted : new RegExp(`^(?:${wanted})$`).test(value);
  });
}

/** Answers every question by these series; `asked`: the selectors, in their order. */
export function seriesStore(series: readonly Series[]): { readonly metrics: Metrics; readonly asked: string[] } {
  const asked: string[] = [];
  const range: ReturnType<Metrics['round']>['range'] = async ({ query, start, end, step }) => {
    asked.push(query);
    const result = series
      .filter(({ labels }) => matches(labels, query))
      .map(({ labels, at }) => ({
        metric: labels,
        values: Array.from({ length: (end - start) / step + 1 }, (_, place) => start + place * step).flatMap(
          (second) => {
            const value = at(second);
            return value === undefined ? [] : [[second, String(value)]];
          },
        ),
      }))
      .filter(({ values }) => values.length > 0);
    return { kind: 'answered', body: { status: 'success', data: { resultType: 'matrix', result } } };
  };
  return { metrics: { round: () => ({ range }) }, asked };
}
