/** How often the verdict errs and how soon it comes, on drawn deliveries: ANALYSIS_RUNS=6000 draws as many as the specification. */

import { describe, expect, test } from 'vitest';
import { dispersionOf, spreadOf } from '../../../src/rollout/analysis/spread.ts';
import { type Doubt, type MetricRules, verdictOf, type Window } from '../../../src/rollout/analysis/verdict.ts';

const RUNS = Number(process.env['ANALYSIS_RUNS'] ?? 40);

type Draw = () => number;

function chanceOf(seed: number): Draw {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Exact, by jumps from one success to the next. */
function binomial(draw: Draw, n: number, p: number): number {
  if (p < 1e-12) return 0;
  if (p >= 1) return n;
  const lnMiss = Math.log1p(-p);
  let hits = 0;
  for (let at = Math.floor(Math.log(1 - draw()) / lnMiss); at < n; hits += 1)
    at += 1 + Math.floor(Math.log(1 - draw()) / lnMiss);
  return hits;
}

const normal = (draw: Draw) => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
const shifted = (p: number, ln: number) => 1 / (1 + ((1 - p) / p) * Math.exp(-ln));

/** A gamma variate of a shape (Marsaglia and Tsang), for shares that burst. */
function gamma(draw: Draw, shape: number): number {
  if (shape < 1) return gamma(draw, shape + 1) * (1 - draw()) ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const z = normal(draw);
    const v = (1 + z / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - draw()) < (z * z) / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

type World = {
  readonly stable: number;
  readonly canary: number;
  readonly looks: number;
  /** sd of the log odds of groups. */
  readonly tau?: number;
  /** Correlation of requests of one group within a window. */
  readonly rho?: number;
  /** Shares of both versions by the hour, and the canary's part of the requests in it. */
  readonly hours?: boolean;
  readonly canaryGroups?: number;
};

const GROUPS = 8;
const EACH = 50;

function drawn(world: World, draw: Draw) {
  const effects = Array.from({ length: GROUPS }, () => (world.tau ?? 0) * normal(draw));
  const burst = (p: number) => {
    const { rho = 0 } = world;
    if (rho === 0 || p <= 0) return p;
    const sum = 1 / rho - 1;
    const [a, b] = [gamma(draw, p * sum), gamma(draw, (1 - p) * sum)];
    return a / (a + b);
  };
  const window = (end: number, isHistory: boolean): Window => {
    const bad = world.hours === true && draw() < 0.2;
    // In a bad hour everything is worse, and the canary has another part of the requests than else.
    const n = world.hours === true ? (bad ? 200 : 20) : EACH;
    const counts = (group: number, p: number, requests: number) => ({
      pod: `vllm-${group}`,
      n: requests,
      x: binomial(draw, requests, burst(shifted(bad ? Math.min(0.5, p * 10) : p, effects[group] ?? 0))),
    });
    const canaryGroups = world.canaryGroups ?? 1;
    const all = Array.from({ length: GROUPS }, (_, group) => group);
    if (isHistory) return { end, canary: [], stable: all.map((group) => counts(group, world.stable, EACH)) };
    return {
      end,
      canary: all.slice(GROUPS - canaryGroups).map((group) => counts(group, world.canary, n)),
      stable: all.slice(0, GROUPS - canaryGroups).map((group) => counts(group, world.stable, EACH)),
    };
  };
  return { window, effects };
}

const RULES: MetricRules = { tolerate: { times: 1.25, points: 0 }, ruleOut: { times: 2 } };

/** Of each run: when it was decided, in requests of the new version, and how. */
function play(
  world: World,
  settings: Partial<Doubt> & { readonly measured?: boolean; readonly rules?: MetricRules } = {},
) {
  return Array.from({ length: RUNS }, (_, run) => {
    const draw = chanceOf(run * 7919 + 17);
    const { window } = drawn(world, draw);
    const day = Array.from({ length: settings.measured === true ? 96 : 0 }, (_unused, at) => window(at, true).stable);
    const days =
      settings.measured === true
        ? [0, 1, 2, 3, 4, 5, 6].map(() => dayOf(Array.from({ length: 24 }, (_unused, at) => window(at, true).stable)))
        : [];
    const canary = world.canaryGroups ?? 1;
    const doubt: Doubt = {
      // Half of it is for the requests: 0.1 %, as the specification measures.
      alpha: 0.002,
      miss: 0.05,
      dispersion: settings.measured === true ? dispersionOf(day) : 1,
      spread: settings.measured === true ? spreadOf(days) : undefined,
      sizes: { canary, stable: GROUPS - canary },
      ...settings,
    };
    const windows = Array.from({ length: world.looks }, (_unused, at) => window(at + 1, false));
    const { kind, at } = verdictOf(windows, settings.rules ?? RULES, doubt);
    return { kind, requests: at === undefined ? Number.POSITIVE_INFINITY : at * EACH * canary };
  });
}

function dayOf(windows: readonly Window['stable'][]) {
  return (windows[0] ?? []).map(({ pod }, group) => ({
    pod,
    n: windows.reduce((sum, one) => sum + (one[group]?.n ?? 0), 0),
    x: windows.reduce((sum, one) => sum + (one[group]?.x ?? 0), 0),
  }));
}

type Played = ReturnType<typeof play>;
const shareOf = (runs: Played, kind: string) => runs.filter((run) => run.kind === kind).length / runs.length;
function medianOf(runs: Played, kind: string): number {
  const sorted = runs.map((run) => (run.kind === kind ? run.requests : Number.POSITIVE_INFINITY)).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** More than chance would make of a rate that is kept. */
const tolerable = (rate: number) => rate + 3 * Math.sqrt((rate * (1 - rate)) / RUNS);
const said = (text: string) =>
  process.env['ANALYSIS_RUNS'] === undefined ? undefined : process.stdout.write(`${text}\n`);

describe('false failures', () => {
  test.each<readonly [what: string, world: World, most: number, measured: boolean]>([
    ['equal versions, 200 looks', { stable: 0.01, canary: 0.01, looks: 200 }, 0, false],
    ['at the bound itself', { stable: 0.01, canary: 0.0125, looks: 200 }, 0.001, false],
    ['groups that differ, τ 0.3', { stable: 0.01, canary: 0.01, looks: 100, tau: 0.3 }, 0.001, true],
    ['groups that differ, τ 0.5', { stable: 0.01, canary: 0.01, looks: 100, tau: 0.5 }, 0.001, true],
    ['bursts, ρ 0.05', { stable: 0.01, canary: 0.01, looks: 100, rho: 0.05 }, 0.01, true],
    ['bad hours of both with an unequal share', { stable: 0.01, canary: 0.01, looks: 100, hours: true }, 0.001, false],
  ])('%s', { timeout: 3_600_000 }, (what, world, most, measured) => {
    const runs = play(world, { measured });
    said(`${what}: ${shareOf(runs, 'failed')} failed of ${RUNS}`);
    expect(shareOf(runs, 'failed')).toBeLessThanOrEqual(tolerable(most));
  });
});

describe('requests of the new version until it is known, in the median', () => {
  test.each<
    readonly [what: string, stable: number, canary: number, looks: number, kind: 'failed' | 'passed', most: number]
  >([
    ['1 % to 5 %', 0.01, 0.05, 30, 'failed', 400],
    ['1 % to 2 %', 0.01, 0.02, 200, 'failed', 6500],
    ['5 % to 8 %', 0.05, 0.08, 200, 'failed', 4800],
    ['twice as much is ruled out at 5 %', 0.05, 0.05, 60, 'passed', 700],
  ])('%s', { timeout: 3_600_000 }, (what, stable, canary, looks, kind, most) => {
    const runs = play({ stable, canary, looks });
    said(`${what}: ${medianOf(runs, kind)} requests, ${shareOf(runs, kind)} ${kind}`);
    // The figures are those of the first window that shows it; a failure has to be there a window later as well.
    expect(medianOf(runs, kind)).toBeLessThanOrEqual(most + (kind === 'failed' ? EACH : 0));
  });
});
