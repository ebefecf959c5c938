/** Whether an Analysis would have called a healthy group worse: each group plays the new version in stretches of the past. */

import type { Analysis } from '../../api/analysis.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import type { Live } from '../snapshot.ts';
import { judge, type MetricJudged } from './judge.ts';
import { dayBefore, type Grid, ofLeaders, WINDOWS_MOST, weekBefore } from './metric-query.ts';
import { pastsOf } from './pasts.ts';

/** Seconds, where no step is known. */
const STRETCH_SECONDS = 3600;
/** A failure must still be there a window later. */
const WINDOWS_LEAST = 2;

/** One metric over all stretches; a play is one group in one stretch. */
export type BacktestMetric = {
  readonly name: string;
  readonly leadsTo: MetricJudged['leadsTo'];
  /** In which it was judged at least once, by requests of both sides. */
  readonly stretches: number;
  readonly plays: number;
  /** Nothing was wrong with the version: each of these is a false alarm. */
  readonly failed: number;
  /** Of those, by what a step would only be held: all groups were bad. */
  readonly excused: number;
  readonly passed: number;
  readonly undecided: number;
  /** Where a series was missing, twice or in another form. */
  readonly unusable: number;
  /** The first false alarm. */
  readonly first?: { readonly pod: string; readonly at: Instant };
  /** φ and s of the newest play; undefined: there is none. */
  readonly dispersion: number | undefined;
  readonly spread: number | undefined;
};

/**
 * Seconds of a stretch: whole windows, as long as the median of the steps that were gone through, so that a failure has as much
 * time as in one. No longer than the Analysis waits, or than one answer has room for.
 */
export function stretchOf({ windowSeconds, waitAtMostSeconds }: Analysis, steps: readonly number[]): number {
  const usual = [...steps].sort((a, b) => a - b)[Math.floor((steps.length - 1) / 2)] ?? STRETCH_SECONDS;
  const windows = Math.floor(Math.min(usual, waitAtMostSeconds) / windowSeconds);
  return Math.min(Math.max(WINDOWS_LEAST, windows), WINDOWS_MOST) * windowSeconds;
}

/** The pods of the leaders of the user's own workload that serve. */
export function servingLeaders({ leaders }: Pick<Live, 'leaders'>): readonly string[] {
  if (leaders.kind !== 'known') return [];
  return leaders.value.filter(({ ready, deleting }) => ready && !deleting).map(({ name }) => name);
}

/** What was counted: in windows, from a day before the stretch to its end, and in hours, for the week before it. */
type Counted = { readonly windows: readonly MetricSeries[]; readonly hours: readonly MetricSeries[] };

export type Play = { readonly pod: string; readonly start: Instant; readonly metrics: readonly MetricJudged[] };

/** Every group once, by the function that judges a step: against the others, and with the past that they had then. */
export function playsOf(
  grid: Grid,
  { windows, hours }: Counted,
  { analysis, pods, steps }: { readonly analysis: Analysis; readonly pods: readonly string[]; readonly steps: number },
): readonly Play[] {
  const { start } = grid;
  const day = { grid: dayBefore(start, analysis.windowSeconds), series: windows };
  const week = { grid: weekBefore(start), series: hours };
  return pods.map((pod) => {
    const others = pods.filter((one) => one !== pod);
    const sides = { canary: [{ pod, from: start }], stable: others.map((one) => ({ pod: one, from: start })) };
    const pasts = pastsOf({ day, week }, { analysis, sides: { ...sides, stable: sides.stable.map(sinceEver) } });
    return { pod, start, metrics: judge({ grid, series: windows }, pasts, { analysis, sides, steps }) };
  });
}

/** It served before the stretch as well. */
function sinceEver({ pod }: { readonly pod: string }): { readonly pod: string; readonly from: Instant } {
  return { pod, from: 0 };
}

/** In the order of the file; what a gateway counts tells no group from another, and is not tried. */
export function tallyOf(plays: readonly Play[], { metrics }: Analysis): readonly BacktestMetric[] {
  return metrics.filter(ofLeaders).map(({ name, leadsTo }) => {
    const own = plays.flatMap(({ pod, start, metrics: all }) => {
      const said = all.find((one) => one.name === name)?.said;
      return said === undefined ? [] : [{ pod, start, said }];
    });
    const judged = own.flatMap(({ said, ...play }) => (said.kind === 'judged' ? [{ ...play, said }] : []));
    const counted = judged.filter(({ said }) => said.verdict.canary.n > 0 && said.verdict.stable.n > 0);
    const those = (answer: string) => counted.filter(({ said }) => said.answer === answer);
    const failed = those('failed');
    const [first] = failed;
    const newest = counted.at(-1)?.said;
    return {
      name,
      leadsTo,
      stretches: new Set(counted.map(({ start }) => start)).size,
      plays: own.length,
      failed: failed.length,
      excused: failed.filter(({ said }) => said.excuse !== undefined).length,
      passed: those('passed').length,
      undecided: judged.length - failed.length - those('passed').length,
      unusable: own.length - judged.length,
      ...(first === undefined ? {} : { first: { pod: first.pod, at: first.said.verdict.at ?? first.start } }),
      dispersion: newest?.dispersion,
      spread: newest?.spread,
    };
  });
}

/** Stretches without a false alarm that are wanted before a failure may lead back by itself. */
const STRETCHES_WANTED = 50;

/** Why a failure of this Analysis should not lead back by itself, a text a metric; empty: nothing speaks against it. */
export function notYet(metrics: readonly BacktestMetric[]): readonly string[] {
  const leading = metrics.filter(({ leadsTo }) => leadsTo === 'rollback');
  if (leading.length === 0) return ['no metric has then: rollback, so that nothing of it leads back'];
  return leading.flatMap(({ name, failed, stretches }) => {
    if (failed > 0)
      return [
        `${name} called a group worse ${failed === 1 ? 'once' : `${failed} times`} though its version had not changed`,
      ];
    return stretches < STRETCHES_WANTED
      ? [`${name} was judged in ${stretches} stretches, wanted at least ${STRETCHES_WANTED}`]
      : [];
  });
}
