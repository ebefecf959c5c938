/** What a gauge of a leader says of a window: whether it stood above a share at its end. It informs, and decides nothing. */

import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import type { Grid } from './metric-query.ts';
import { gaugeOf, type Unusable } from './readings.ts';
import type { WindowReader } from './stalls.ts';

/** Each rank is one sample. undefined: the metric has no gauge; of a window: it has no sample. */
export function samplesAbove(
  pod: string,
  series: readonly MetricSeries[],
  { metric, grid }: { readonly metric: AnalysisMetric; readonly grid: Grid },
): WindowReader | Unusable | undefined {
  const { bad, of } = metric;
  if (bad.kind !== 'above') return undefined;
  const gauge = gaugeOf(pod, series, { part: of, metric, grid });
  if (typeof gauge !== 'function') return gauge;
  return ({ end }) => {
    const values = gauge(end);
    return values.length === 0
      ? undefined
      : { pod, n: values.length, x: values.filter((value) => value > bad.share).length };
  };
}
