/** What became of a pull request, as its one comment says it: nothing that ticks. */

import type { RolloutRecord } from '../../api/record.ts';
import { shortRelease } from '../../api/release.ts';
import type { RolloutKey } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { code } from './encode.ts';

/** Kruise's words for where a step stands, as people say them. */
const STANDS: { readonly [S in RolloutRecord['currentStepState']]: string } = {
  BeforeStepUpgrade: 'the commit is written',
  StepUpgrade: 'its groups are being updated',
  StepTrafficRouting: 'its traffic is being shifted',
  StepMetricsAnalysis: 'its metrics are analysed',
  StepPaused: 'its groups are ready, and the next step waits',
  StepReady: 'it is done',
  Completed: 'the delivery is over',
};

/** Lines of Markdown; the same for as long as nothing has changed. `next`: where what comes next is proposed. */
export function progressText(record: RolloutRecord, next = ''): string {
  const { marks, currentStepState, holds } = record;
  const step =
    marks?.step?.kind === 'step' ? `step ${marks.step.index}/${marks.step.of}` : (marks?.step?.kind ?? 'settled');
  const of = marks === undefined ? '' : ` of ${code(shortRelease(marks.release))}`;
  const reasons = holds.map(({ reason }) => code(reason)).join(', ');
  const lines = [
    `${code(step)}${of}: ${STANDS[currentStepState]}.`,
    ...(reasons === '' || next !== '' ? [] : [`It waits for ${reasons}.`]),
    ...(next === '' ? [] : [`Next: ${next}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** On one that is open: whether its branch holds what we have made; undefined: nothing is to be said. */
export function branchText({ isForeign, key, told }: BranchSeen): string | undefined {
  if (isForeign)
    return `Someone has pushed to this branch. It no longer holds what tranche has proposed, so its status fails. A merge includes the pushed change. To have the step proposed again: ${code(command('propose', key))}.\n`;
  return told === undefined ? undefined : 'This branch again holds exactly what tranche has proposed.\n';
}

type BranchSeen = {
  readonly isForeign: boolean;
  /** The Rollout, for a command. */
  readonly key: RolloutKey;
  /** What the comment says; undefined: there is none. */
  readonly told: string | undefined;
};
