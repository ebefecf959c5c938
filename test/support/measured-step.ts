/** A step of a plain workload that an Analysis is asked about, and what the Analysis said. */

import { known } from '../../src/api/known.ts';
import type { PolicyRules } from '../../src/api/policy-rules.ts';
import { withFactDigests } from '../../src/reconcile/documents/digests.ts';
import type { AnalysisSaid, AnalysisSeen, MetricAnswer, MetricSaid } from '../../src/rollout/analysis/seen.ts';
import type { Live, Snapshot } from '../../src/rollout/snapshot.ts';
import { NOW, type World, world } from './snapshot.ts';

export const BLOB = '4f1c4f1c4f1c';

/** Step 1 of three, its group ready and its pause over. */
export const done: World = {
  text: 'B',
  marks: 'B.2 1/3 floor=3',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  record: { doneAgo: 3600 },
  steps: '25%/0 50%/0 100%/0',
};
/** All groups are on the release, and locked again. */
export const whole: World = { ...done, marks: 'B.2 3/3 floor=0', p: 1_000_000, groups: '0:B+ 1:B+ 2:B+ 3:B+' };

const UNUSABLE = ['SeriesMissing', 'SeriesTwice', 'SidesNotApart'] as const;
export type Answer = MetricAnswer['kind'] | 'BothSidesBad' | 'GroupOutlier' | 'weak' | (typeof UNUSABLE)[number];

export function metric(answer: Answer, leadsTo: MetricSaid['leadsTo'] = 'rollback'): MetricSaid {
  if (answer === 'SeriesMissing' || answer === 'SeriesTwice' || answer === 'SidesNotApart')
    return {
      name: 'errors',
      leadsTo,
      said: { kind: answer, why: 'vllm-3 has no series up; check that it is scraped' },
    };
  const isFailed = answer === 'BothSidesBad' || answer === 'GroupOutlier' || answer === 'weak';
  const counts = answer === 'noRequests' ? { n: 0, x: 0 } : { n: 1200, x: 71 };
  return {
    name: 'errors',
    leadsTo,
    said: {
      kind: isFailed ? 'failed' : answer,
      canary: counts,
      stable: { ...counts, x: 0 },
      evidence: { ln: 9.1, wanted: 7.6 },
      voided: 0,
      ...(answer === 'BothSidesBad' ? { excuse: { kind: answer } } : {}),
      ...(answer === 'GroupOutlier' ? { excuse: { kind: answer, pod: 'vllm-3' } } : {}),
      ...(answer === 'weak' ? { isWeak: true } : {}),
    },
  };
}

const GRID = { start: NOW - 3600, end: NOW - 300, step: 300 };
export const judged = (...metrics: readonly MetricSaid[]): AnalysisSaid => ({ kind: 'judged', grid: GRID, metrics });

/** One Analysis with one metric: what its provider said, of this step. */
export function chat(
  said: AnalysisSaid | undefined,
  of = '1/3',
  more: Partial<AnalysisSeen> = {},
): readonly AnalysisSeen[] {
  const [first] = said?.kind === 'judged' ? said.metrics : [];
  const metrics = [{ name: 'errors', leadsTo: first?.leadsTo ?? ('rollback' as const), isBound: true }];
  return [{ name: 'chat', blob: BLOB, metrics, ...(said === undefined ? {} : { said, of }), ...more }];
}

export const answered = (answer: Answer, of = '1/3'): readonly AnalysisSeen[] => chat(judged(metric(answer)), of);

export function at(of: World, analyses: readonly AnalysisSeen[], rules: Partial<PolicyRules> = {}): Snapshot {
  const snapshot = world({ ...of, rules: { ...of.rules, ...rules } });
  return withFactDigests(dated({ ...snapshot, analyses }));
}

/** Every ready leader says since when: an hour, if nothing else is said. */
export function dated(snapshot: Snapshot, seconds = 3600): Snapshot {
  const { live, traffic, now } = snapshot;
  const inLive = (of: Live): Live => ({
    ...of,
    leaders:
      of.leaders.kind === 'known'
        ? known(of.leaders.value.map((one) => (one.ready ? { ...one, readyAt: now - seconds } : one)))
        : of.leaders,
  });
  const second = traffic === undefined ? {} : { traffic: { ...traffic, second: inLive(traffic.second) } };
  return { ...snapshot, live: inLive(live), ...second };
}
