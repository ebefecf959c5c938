/** The shape of what a record keeps of metrics. */

import type { MeasuredStep, MetricRecord } from '../../api/record-metrics.ts';
import { instant } from './record-proposal-shape.ts';
import { count, list, object, optional, type Shape, text, word } from './shape.ts';

const counts = object({ n: count, x: count } satisfies Shape<MetricRecord['canary']>);

export const measured = object({
  of: text,
  metrics: list(
    object({
      name: text,
      answer: word<MetricRecord['answer']>({
        failed: true,
        passed: true,
        waiting: true,
        inconclusive: true,
        noRequests: true,
      }),
      canary: counts,
      stable: counts,
      until: instant,
      ruledOut: optional(text),
      line: optional(text),
    } satisfies Shape<MetricRecord>),
  ),
} satisfies Shape<MeasuredStep>);
