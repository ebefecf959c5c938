/** What metrics said of a step, as a table of Markdown: in a pull request, and in the check run that goes on counting. */

import type { MeasuredStep, MetricRecord } from '../../api/record-metrics.ts';
import { printInstant } from '../../api/time.ts';
import { ANSWERS, countsText } from '../analysis/metric-text.ts';
import { code } from './encode.ts';

/** As many as a record keeps. */
const METRICS_MOST = 30;

/** A line a metric. Names are of files, and a record may be anyone's: all of them stand in code. */
export function metricsTable({ of, metrics }: MeasuredStep): string {
  if (metrics.length === 0) return '';
  const rows = metrics.slice(0, METRICS_MOST).map((one) => `| ${cellsOf(one).join(' | ')} |\n`);
  return `| metric of ${code(of)} | answer | new version | stable version | new version over time | ruled out | counted to |\n| --- | --- | --- | --- | --- | --- | --- |\n${rows.join('')}`;
}

function cellsOf({ name, answer, canary, stable, line = '', ruledOut, until }: MetricRecord): readonly string[] {
  const isTold = ruledOut !== undefined && answer !== 'failed';
  return [
    code(name),
    ANSWERS[answer],
    countsText(canary),
    countsText(stable),
    code(line),
    isTold ? code(`×${ruledOut} or more`) : '–',
    printInstant(until),
  ];
}
