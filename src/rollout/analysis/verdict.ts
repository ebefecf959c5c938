/** What the windows of one step say of one metric: failed, passed, or neither yet; the same windows give the same answer. */

import type { Instant } from '../../api/time.ts';
import { lnAbove, lnAgainst, lnBelow, rounded } from './evidence.ts';
import { type Counts, gridAbove, gridBelow, LN_RATIOS, logLikelihoods } from './odds.ts';
import { type Sizes, spreadBound, totalOf } from './spread.ts';

/** What one leader counted in a window. */
export type LeaderCounts = Counts & { readonly pod: string };

/** A closed window that counts: with leaders of both versions, or of the new one where it serves alone. */
export type Window = {
  readonly end: Instant;
  readonly canary: readonly LeaderCounts[];
  readonly stable: readonly LeaderCounts[];
};

/** What of a metric decides. Shares are in percent. */
export type MetricRules = {
  /** Fails only beyond both: this factor of the odds, and this number of percentage points. */
  readonly tolerate: { readonly times: number; readonly points: number };
  /** Passes once a rise by this factor is ruled out. */
  readonly ruleOut: { readonly times: number };
  /** Where one version serves alone. */
  readonly bound?: { readonly fail: number; readonly pass: number } | undefined;
};

/** How sure the answer has to be, and how much groups differ anyway. */
export type Doubt = {
  /** The chance of a false alarm by this metric in this step. */
  readonly alpha: number;
  /** The chance of passing what `ruleOut` names. */
  readonly miss: number;
  /** φ, at least 1. */
  readonly dispersion: number;
  /** s; undefined: nothing is known of it, and then no difference of groups is allowed for. */
  readonly spread: number | undefined;
  readonly sizes: Sizes;
};

export type Verdict = {
  readonly kind: 'failed' | 'passed' | 'undecided';
  /** The end of the window that decided; undefined: none has. */
  readonly at: Instant | undefined;
  readonly canary: Counts;
  readonly stable: Counts;
  readonly windows: number;
  /** ln E↑ after the last window, and what it has to reach; undefined: no ratio of the grid is above the one tolerated. */
  readonly lnWorse: number | undefined;
  readonly lnWorseWanted: number;
  /** The ratio that is tolerated, that by which the groups may differ included; on the grid. */
  readonly tolerated: number;
  /** The lowest ratio that is ruled out of the requests; undefined: none of the grid. */
  readonly ruledOut: number | undefined;
};

/** Judges all windows in order. With windows of one version alone its bound decides, and without one nothing does. */
export function verdictOf(
  windows: readonly Window[],
  rules: MetricRules,
  doubt: Doubt,
  known: SaidByWindow = new Map(),
): Verdict {
  const tolerated = toleratedBy(rules, doubt);
  const state: { failing: boolean; kind: Verdict['kind']; at: Instant | undefined } = {
    failing: false,
    kind: 'undecided',
    at: undefined,
  };
  const sums = LN_RATIOS.map(() => 0);
  const ruleOut = gridBelow(rules.ruleOut.times);
  let canary: Counts = { n: 0, x: 0 };
  let stable: Counts = { n: 0, x: 0 };
  for (const window of windows) {
    const [mine, theirs] = [totalOf(window.canary), totalOf(window.stable)];
    canary = totalOf([canary, mine]);
    stable = totalOf([stable, theirs]);
    const said = saidBy(window, { mine, theirs }, known);
    said?.forEach((one, at) => void (sums[at] = (sums[at] ?? 0) + one));
    const so = { sums, canary, stable, tolerated, ruleOut };
    const fails = isWorse(so, rules, doubt);
    // A failure must still be there a window later; what has passed stays so unless it fails.
    if (fails && state.failing && state.kind !== 'failed') Object.assign(state, { kind: 'failed', at: window.end });
    if (state.kind === 'undecided' && isFine(so, rules, doubt))
      Object.assign(state, { kind: 'passed', at: window.end });
    state.failing = fails;
  }
  return {
    kind: state.kind,
    at: state.at,
    canary,
    stable,
    windows: windows.length,
    lnWorse: tolerated === undefined ? undefined : lnAbove(sums, tolerated, doubt.dispersion),
    lnWorseWanted: rounded(Math.log(2 / doubt.alpha)),
    tolerated: tolerated === undefined ? Number.POSITIVE_INFINITY : Math.exp(LN_RATIOS[tolerated] ?? 0),
    ruledOut: ruledOutBy(sums, doubt),
  };
}

/** What windows say, by window: for who looks at most of them twice. */
export type SaidByWindow = Map<Window, ReturnType<typeof logLikelihoods>>;

function saidBy(
  window: Window,
  { mine, theirs }: { readonly mine: Counts; readonly theirs: Counts },
  known: SaidByWindow,
) {
  const said = known.has(window) ? known.get(window) : logLikelihoods(mine, theirs);
  known.set(window, said);
  return said;
}

/** ψ0 as a position of the grid; undefined: it is above the grid, and then nothing can fail. */
function toleratedBy({ tolerate }: MetricRules, { spread, sizes, alpha }: Doubt): number | undefined {
  const groups = spread === undefined ? 1 : spreadBound(spread, sizes, alpha);
  return gridAbove(Math.max(tolerate.times, groups));
}

type SoFar = {
  readonly sums: readonly number[];
  readonly canary: Counts;
  readonly stable: Counts;
  readonly tolerated: number | undefined;
  /** What is to be ruled out, as a position of the grid; undefined: it is below. */
  readonly ruleOut: number | undefined;
};

function isWorse({ sums, canary, stable, tolerated }: SoFar, rules: MetricRules, doubt: Doubt): boolean {
  const wanted = rounded(Math.log(2 / doubt.alpha));
  if (canary.n === 0) return false;
  if (doubt.sizes.stable === 0) {
    const fail = rules.bound?.fail;
    if (fail === undefined || percentOf(canary) <= fail) return false;
    return rounded(lnAgainst(canary, fail / 100) / doubt.dispersion) >= wanted;
  }
  if (stable.n === 0 || tolerated === undefined || percentOf(canary) - percentOf(stable) < rules.tolerate.points)
    return false;
  return (lnAbove(sums, tolerated, doubt.dispersion) ?? 0) >= wanted;
}

function isFine({ sums, canary, stable, ruleOut }: SoFar, { bound }: MetricRules, doubt: Doubt): boolean {
  const wanted = rounded(Math.log(1 / doubt.miss));
  if (canary.n === 0) return false;
  const isBelow = bound !== undefined && percentOf(canary) < bound.pass;
  if (isBelow && rounded(lnAgainst(canary, bound.pass / 100) / doubt.dispersion) >= wanted) return true;
  if (ruleOut === undefined || stable.n === 0 || doubt.sizes.stable === 0) return false;
  return (lnBelow(sums, ruleOut, doubt.dispersion) ?? 0) >= wanted;
}

function percentOf({ n, x }: Counts): number {
  return (x / n) * 100;
}

/** The lowest ratio of the grid for which all that is below is so much likelier. */
function ruledOutBy(sums: readonly number[], { miss, dispersion }: Doubt): number | undefined {
  const wanted = rounded(Math.log(1 / miss));
  const at = LN_RATIOS.findIndex((_, from) => (lnBelow(sums, from, dispersion) ?? 0) >= wanted);
  return at < 0 ? undefined : Math.exp(LN_RATIOS[at] ?? 0);
}

/** Why a failure is no reason to go back by itself: it may not be the version. undefined: nothing says so. */
export type Excuse = { readonly kind: 'BothSidesBad' } | { readonly kind: 'GroupOutlier'; readonly pod: string };

/** Asked of a failed metric: whether stable breaks the bound as well, or whether one group alone makes it fail. */
export function excuseOf(windows: readonly Window[], rules: MetricRules, doubt: Doubt): Excuse | undefined {
  const stableAlone = windows.map(({ end, stable }) => ({ end, canary: stable, stable: [] }));
  const alone = { ...doubt, sizes: { canary: doubt.sizes.stable, stable: 0 } };
  if (doubt.sizes.stable > 0 && verdictOf(stableAlone, rules, alone).kind === 'failed') return { kind: 'BothSidesBad' };
  const pods = [...new Set(windows.flatMap(({ canary }) => canary.map(({ pod }) => pod)))];
  if (pods.length < 2) return undefined;
  const [worst] = pods
    .map((pod) => ({ pod, share: shareOf(windows, pod) }))
    .sort((a, b) => b.share - a.share || (a.pod < b.pod ? -1 : 1));
  if (worst === undefined) return undefined;
  const others = windows.map((window) => ({
    ...window,
    canary: window.canary.filter(({ pod }) => pod !== worst.pod),
  }));
  const sizes = { ...doubt.sizes, canary: Math.max(1, doubt.sizes.canary - 1) };
  const without = verdictOf(others, rules, { ...doubt, sizes });
  return without.kind === 'failed' ? undefined : { kind: 'GroupOutlier', pod: worst.pod };
}

function shareOf(windows: readonly Window[], pod: string): number {
  const { n, x } = totalOf(windows.flatMap(({ canary }) => canary.filter((counts) => counts.pod === pod)));
  return n === 0 ? 0 : x / n;
}
