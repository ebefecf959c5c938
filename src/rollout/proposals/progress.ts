/** What became of a pull request that was merged, as its one comment says it: nothing that ticks. */

import type { RolloutRecord } from '../../api/record.ts';
import { printRelease } from '../../api/release.ts';
import { code } from './encode.ts';

/** Kruise's words for where a step stands, as people say them. */
const STANDS: { readonly [S in RolloutRecord['currentStepState']]: string } = {
  BeforeStepUpgrade: 'the commit is written',
  StepUpgrade: 'its groups come up',
  StepTrafficRouting: 'its traffic follows',
  StepMetricsAnalysis: 'it is measured',
  StepPaused: 'its groups are ready, and what comes next waits',
  StepReady: 'it is done',
  Completed: 'the delivery is over',
};

/** Lines of Markdown; the same for as long as nothing has changed. `next`: where what comes next is proposed. */
export function progressText(record: RolloutRecord, next = ''): string {
  const { marks, currentStepState, holds } = record;
  const step =
    marks?.step?.kind === 'step' ? `step ${marks.step.index}/${marks.step.of}` : (marks?.step?.kind ?? 'settled');
  const of = marks === undefined ? '' : ` of ${code(printRelease(marks.release))}`;
  const reasons = holds.map(({ reason }) => code(reason)).join(', ');
  const lines = [
    `${code(step)}${of}: ${STANDS[currentStepState]}.`,
    ...(reasons === '' || next !== '' ? [] : [`It waits for ${reasons}.`]),
    ...(next === '' ? [] : [`Next: ${next}`]),
  ];
  return `${lines.join('\n')}\n`;
}
