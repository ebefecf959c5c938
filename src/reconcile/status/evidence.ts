/** What metrics counted in the step in Git, as this pass was answered: what the status branch keeps and draws of it. */

import type { Marks } from '../../api/marks.ts';
import type { Part } from '../../rollout/analysis/parts.ts';
import type { AnalysisSeen, MetricAnswer } from '../../rollout/analysis/seen.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';

/** As many as a record keeps. */
const METRICS_MOST = 30;

/** What was counted in one step. */
export type Evidence = {
  readonly release: Marks['release'];
  /** The step with its rung, as `2/4 traffic`. */
  readonly step: string;
  readonly metrics: readonly MetricShown[];
};

/** One metric with its Analysis, as `chat/vllm/errors`. */
export type MetricShown = Pick<MetricAnswer, 'kind' | 'canary' | 'stable' | 'ruledOut'> & {
  readonly name: string;
  readonly parts: readonly Part[];
};

/** Of the step in Git, where this pass was answered by all that can be asked; undefined: what is there stays as it is. */
export function evidenceIn(snapshot: Snapshot | undefined): Evidence | undefined {
  const open = (snapshot?.analyses ?? []).filter(({ wrong }) => wrong === undefined);
  const [first] = open;
  const marks = snapshot?.lostMarks ?? snapshot?.workload?.workload.marks;
  if (first?.of === undefined || marks === undefined) return undefined;
  if (open.some(({ of, said }) => of !== first.of || said?.kind !== 'judged')) return undefined;
  const metrics = open.flatMap(shownOf).slice(0, METRICS_MOST);
  return metrics.length === 0 ? undefined : { release: marks.release, step: first.of, metrics };
}

function shownOf({ name: analysis, said }: AnalysisSeen): readonly MetricShown[] {
  if (said?.kind !== 'judged') return [];
  return said.metrics.flatMap(({ name, said: answer }) => {
    if (!('canary' in answer)) return [];
    const { kind, canary, stable, ruledOut, parts = [] } = answer;
    const shown = { name: `${analysis}/${name}`, kind, canary, stable, parts };
    return [ruledOut === undefined ? shown : { ...shown, ruledOut }];
  });
}
