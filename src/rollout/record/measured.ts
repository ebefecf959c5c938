/** What a record keeps of metrics: the last answer of each, for people who ask why a step went on, waits, or went back. */

import type { MeasuredStep, MetricRecord } from '../../api/record-metrics.ts';
import { lineOf } from '../analysis/parts.ts';
import type { AnalysisSeen } from '../analysis/seen.ts';
import { placeOf } from '../analysis/standing.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';

/** What metrics may take of a record, as it is printed: about ten of them, and more without their lines. */
const BYTES_MOST = 4096;

/**
 * Of the step in Git; what was not asked in this pass stays as it was said. In a rollback what led to it stays, and at rest
 * there is nothing.
 */
export function measuredAfter(
  { record, analyses = [] }: Pick<Snapshot, 'record' | 'analyses'>,
  situation: Situation | undefined,
): MeasuredStep | undefined {
  const before = record?.measured;
  const { marks } = situation ?? {};
  if (situation === undefined) return before;
  if (marks?.step === undefined) return undefined;
  if (marks.step.kind === 'rollback') return before;
  const of = placeOf(situation);
  const fresh = measuredNow(analyses, of)?.metrics ?? [];
  const names = new Set(fresh.map(({ name }) => name));
  // A record may name others than there are.
  const known = new Set(analyses.flatMap(({ name, metrics }) => metrics.map((one) => `${name}/${one.name}`)));
  const kept = before?.of === of ? before.metrics.filter(({ name }) => known.has(name) && !names.has(name)) : [];
  const metrics = [...kept, ...fresh].sort((a, b) => (a.name < b.name ? -1 : 1));
  return metrics.length === 0 ? undefined : fitting({ of, metrics });
}

/** Lines go first, then the last by name: the files of the evidence have more of them. */
function fitting(step: MeasuredStep): MeasuredStep {
  const fits = (one: MeasuredStep) => Buffer.byteLength(JSON.stringify({ measured: one }, undefined, 2)) <= BYTES_MOST;
  if (fits(step)) return step;
  const { of } = step;
  let metrics = step.metrics.map(({ line: _line, ...one }) => one);
  while (!fits({ of, metrics })) metrics = metrics.slice(0, -1);
  return { of, metrics };
}

/** What this pass itself was told of a step, which nobody can have written into a record; undefined: nothing. */
export function measuredNow(analyses: readonly AnalysisSeen[] = [], of: string | undefined): MeasuredStep | undefined {
  const metrics = analyses.flatMap((one) => (one.of === of ? metricsOf(one) : []));
  return of === undefined || metrics.length === 0 ? undefined : { of, metrics };
}

function metricsOf({ name: analysis, said }: AnalysisSeen): readonly MetricRecord[] {
  if (said?.kind !== 'judged') return [];
  const { grid, metrics } = said;
  return metrics.flatMap(({ name, said: answer }) => {
    if (!('canary' in answer)) return [];
    const { kind, canary, stable, ruledOut, parts } = answer;
    const shown = { name: `${analysis}/${name}`, answer: kind, canary, stable, until: grid.end };
    return [
      {
        ...shown,
        ...(ruledOut === undefined ? {} : { ruledOut: ruledOut.toFixed(2) }),
        ...(parts === undefined ? {} : { line: lineOf(parts) }),
      },
    ];
  });
}
