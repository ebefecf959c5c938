/** What metrics said of a step, a line each, for a terminal and for the page of the status branch. */

import type { MeasuredStep } from '../../api/record-metrics.ts';
import { printInstant } from '../../api/time.ts';
import { ANSWERS, countsText } from '../../rollout/analysis/metric-text.ts';

/** `chat/vllm/errors: passed, new 12 of 4180 (0.29 %), stable 71 of 29310 (0.24 %), ▁▂▁▁▃▁, to 2026-11-27T10:00:00Z`. */
export function measuredLines({ metrics }: MeasuredStep): readonly string[] {
  return metrics.map(({ name, answer, canary, stable, until, ruledOut, line }) =>
    [
      `${name}: ${ANSWERS[answer]}`,
      `new ${countsText(canary)}`,
      ...(stable.n === 0 ? [] : [`stable ${countsText(stable)}`]),
      ...(line === undefined ? [] : [line]),
      ...(ruledOut === undefined || answer === 'failed' ? [] : [`×${ruledOut} or more is ruled out`]),
      `to ${printInstant(until)}`,
    ].join(', '),
  );
}
