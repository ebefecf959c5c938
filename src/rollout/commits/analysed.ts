/** What a commit says of metrics: of the step that it leaves, or that it leads back from. */

import { metricText } from '../analysis/metric-text.ts';
import { analysisStanding, isAnswer, type MetricJudgedSo } from '../analysis/standing.ts';
import { MOVES, type Move } from '../move.ts';
import type { Situation } from '../situation.ts';

/** A commit names no more of them than this. */
const NAMED_MOST = 10;

type Said = Pick<Move, 'reason' | 'way'>;

/** A sentence with a space before it; empty: no metric was judged, or nothing of the step is left by this commit. */
export function analysedText(move: Said, situation: Situation): string {
  // What has failed is in the reason of a rollback already.
  const metrics = move.way === 'forward' ? judgedBy(move, situation) : [];
  return metrics.length === 0 ? '' : ` Metrics: ${metrics.map(metricText).join('; ')}.`;
}

/** `chat/vllm/errors passed 12/4180 71/29310`: of each metric its verdict, and what of both versions was bad, of how many. */
export function analysedLines(move: Said, situation: Situation): readonly string[] {
  return judgedBy(move, situation).map(
    ({ name, said: { kind, canary, stable } }) => `${name} ${kind} ${canary.x}/${canary.n} ${stable.x}/${stable.n}`,
  );
}

function judgedBy({ reason, way }: Said, situation: Situation): readonly MetricJudgedSo[] {
  const isLeft = way === 'forward' && ('proposed' in MOVES[reason] || reason === 'Settled');
  if (!isLeft && reason !== 'Failed' && reason !== 'TrafficWithdrawn') return [];
  return (analysisStanding(situation)?.metrics ?? []).filter(isAnswer).slice(0, NAMED_MOST);
}
