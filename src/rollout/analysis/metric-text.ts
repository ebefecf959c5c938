/** What a metric says of a step, in one line, for holds, commits and pages. Decides nothing. */

import type { Counts } from './odds.ts';
import type { MetricAnswer } from './seen.ts';

type Named = { readonly name: string; readonly said: MetricAnswer };

/** `chat/errors failed: new 71 of 1,200 (5.92 %), stable 12 of 8,400 (0.14 %)`. */
export function metricText({ name, said }: Named): string {
  const { kind, canary, stable, evidence, ruledOut, excuse, voided } = said;
  const counts = [`new ${countsText(canary)}`, ...(stable.n === 0 ? [] : [`stable ${countsText(stable)}`])];
  const notes = [
    ...(ruledOut === undefined || kind === 'failed' ? [] : [`×${ruledOut.toFixed(2)} or more is ruled out`]),
    ...(evidence === undefined || kind === 'passed'
      ? []
      : [`evidence of a failure ${evidence.ln.toFixed(2)} of ${evidence.wanted.toFixed(2)}`]),
    ...(excuse?.kind === 'GroupOutlier' ? [`the worst is ${excuse.pod}`] : []),
    ...(voided === 0 ? [] : [`${voided} windows of leaders were void`]),
  ];
  return `${name} ${WORDS[kind]}: ${[...counts, ...notes].join(', ')}`;
}

const WORDS: Readonly<Record<MetricAnswer['kind'], string>> = {
  failed: 'failed',
  passed: 'passed',
  waiting: 'is open',
  inconclusive: 'is undecided',
  noRequests: 'had no requests',
};

/** An answer by itself, as tables and lists have it. */
export const ANSWERS: Readonly<Record<MetricAnswer['kind'], string>> = {
  failed: 'failed',
  passed: 'passed',
  waiting: 'not decided yet',
  inconclusive: 'inconclusive',
  noRequests: 'no requests',
};

/** `71 of 29310 (0.24 %)`. */
export function countsText({ n, x }: Counts): string {
  return n === 0 ? 'no requests' : `${x} of ${n} (${((x / n) * 100).toFixed(2)} %)`;
}
