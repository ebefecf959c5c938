import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * As many as cores, and no more than this. Each compiles the same code once more: on two cores four of them took a fifth more
 * CPU than two and ended later, though tests of Git wait for others.
 */
const WORKERS_MOST = 4;

/** Bytes. A run has less than a tenth of it at a time. */
const ROOM = 1024 ** 3;

/**
 * Where tests make their repositories: in memory, where there is room and hooks may run. On a disk most of their time
 * is waiting for it, because every push is flushed and every repository removed.
 */
function temporaryFolder(): Readonly<Record<string, string>> {
  const memory = '/dev/shm';
  if (process.env['TMPDIR'] !== undefined) return {};
  let trial: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < ROOM) return {};
    trial = mkdtempSync(join(memory, 'tranche-trial-'));
    writeFileSync(join(trial, 'hook'), '#!/bin/sh\n', { mode: 0o755 });
    return spawnSync(join(trial, 'hook')).status === 0 ? { TMPDIR: memory } : {};
  } catch {
    return {};
  } finally {
    if (trial !== undefined) rmSync(trial, { recursive: true, force: true });
  }
}

/**
 * What takes longest, the longest first: whole deliveries, and servers that fail at every place. `npm test` leaves them out,
 * so that its answer comes within four minutes on two cores; `npm run test:long` has them alone, `npm run test:all` everything.
 */
const LONG = {
  // They wait for nothing: one worker keeps one core busy.
  computing: [
    'test/simulation/policies.',
    'test/rollout/policy-mutants.',
    'test/rollout/failing-mutants.',
    'test/rollout/filled-mutants.',
    'test/simulation/measured.',
    'test/scenarios/',
    'test/simulation/',
    'test/rollout/states/delivered-again.',
    'test/rollout/states/line-again.',
    'test/rollout/states/providers.',
    'test/rollout/unsigned-laws.',
    'test/rollout/policy-properties.',
    'test/rollout/properties.',
    'test/rollout/kruise-cases.',
  ],
  others: [
    'test/commands/built-action.',
    'test/commands/on-call-styles.',
    'test/commands/demo.',
    'test/rollout/states/forged-',
    'test/reconcile/proposals.',
    'test/reconcile/guarded-proposals.',
    'test/reconcile/late-merges.',
    'test/reconcile/shards.',
    'test/reconcile/forged-',
    'test/reconcile/leaked-key.',
    'test/reconcile/squashed-marks.',
    'test/reconcile/stale-runner.',
    'test/reconcile/folders-of-others',
    'test/reconcile/hostile-',
    'test/reconcile/built/',
    'test/reconcile/overlay/',
    'test/reconcile/helm/',
    'test/reconcile/queued-proposals.',
    'test/reconcile/carry-delivery.',
    'test/reconcile/rounds-of-many.',
    'test/reconcile/second-proposals.',
    'test/reconcile/measured-proposals.',
    'test/reconcile/unreadable-status.',
    'test/reconcile/cost.',
    'test/adapters/git/cost.',
    'test/adapters/git/faults.',
    'test/adapters/git/marked.',
    'test/adapters/forge/hostile-limits.',
    'test/commands/bad-input.',
    'test/reconcile/forecast.',
    'test/reconcile/turns.',
    'test/reconcile/merged-steps.',
    'test/reconcile/squashed-routed.',
    'test/reconcile/stable-of-no-commit.',
    'test/reconcile/allowed-moves.',
    'test/reconcile/approvals.',
    'test/commands/order',
    'test/commands/undo.',
    'test/commands/passes.',
    'test/commands/verify.',
    'test/commands/watch-hostile.',
    'test/commands/history.',
    'test/commands/analyze-past.',
    'test/commands/lint-traffic.',
    'test/commands/init.',
    'test/commands/brake.',
    'test/commands/repair.',
    'test/commands/servers-that-echo.',
    'test/package.',
    'test/goals.',
    'test/reconcile/crowds.',
    'test/reconcile/ways-out-of-keys.',
    'test/reconcile/earlier-config.',
    'test/reconcile/evidence-begins-again.',
    'test/reconcile/carry.',
    'test/reconcile/analyses.',
    'test/adapters/forge/reviewers.',
    'test/commands/odd-file-names.',
    'test/commands/verify-measured.',
    'test/commands/stop.',
    'test/commands/on-call.',
  ],
} as const;
/** What compares what is remembered with what is not: a check of its own in `.ci/run`. */
const UNREMEMBERED = 'test/simulation/remembered.test.ts';
/**
 * Tastes of what `npm run sim` plays and `npm run mutants` plants: `.ci/run`, which has those for checks of their own, leaves them
 * out by `PLAYED=sim`.
 */
const TASTES = ['seeds-even', 'seeds-odd', 'exhaustive', 'built', 'mutants'].map(
  (name) => `test/simulation/${name}.test.ts`,
);
const LONG_STARTS = [...LONG.computing, ...LONG.others];
const filesOf = (starts: readonly string[]): string[] =>
  starts.map((start) => `${start}${start.endsWith('/') ? '**/' : ''}*test.ts`);

const namesFiles = process.argv.slice(2).some((word) => word.startsWith('test/'));
/** The part whose tests run against the bundle that its script in package.json has just made. */
const bundledPart = namesFiles || process.env['TESTS'] !== undefined ? undefined : process.env['PART'];

/** Which tests are meant. Who names files means those; TESTS is for tools that start vitest themselves. */
function meant(): { readonly include: string[]; readonly exclude: string[] } {
  const { TESTS, PART, LONG_PART, PLAYED } = process.env;
  const all = { include: [TESTS ?? 'test/**/*.test.ts'], exclude: [] };
  if (TESTS !== undefined || namesFiles) return all;
  if (PART === 'quick') return { ...all, exclude: filesOf(LONG_STARTS) };
  if (PART !== 'long') return all;
  const starts = LONG_PART === 'computing' || LONG_PART === 'others' ? LONG[LONG_PART] : LONG_STARTS;
  return { include: filesOf(starts), exclude: [UNREMEMBERED, ...(PLAYED === 'sim' ? TASTES : [])] };
}

/**
 * Where no test has run yet, as in a fresh clone, vitest takes the largest files first, and the longest of all have five
 * lines: one core had nothing to do while the other played the last of them.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONG_STARTS.findIndex((start) => moduleId.includes(start));
      return at === -1 ? LONG_STARTS.length : at;
    };
    return (await super.sort(files)).sort((left, right) => place(left) - place(right));
  }
}

/**
 * The sources as one bundle, which scripts/test-bundle.mjs has made, in the place of each of them. Who names test files has the
 * sources themselves, so that what fails is told by their lines.
 */
function bundled(part: string): Plugin {
  const sources = join(import.meta.dirname, 'src/');
  const name = `${part}${process.env['LONG_PART'] ?? ''}`;
  const folder = join(import.meta.dirname, 'node_modules/.cache/tranche-tests', name, 'src');
  return {
    name: 'bundled',
    enforce: 'pre',
    resolveId: (asked, importer) => {
      if (importer === undefined || !asked.startsWith('.')) return undefined;
      const file = resolve(importer, '..', asked);
      return file.startsWith(sources) ? join(folder, file.slice(sources.length).replace(/\.ts$/, '.mjs')) : undefined;
    },
  };
}

export default defineConfig({
  plugins: bundledPart === undefined ? [] : [bundled(bundledPart)],
  test: {
    ...meant(),
    setupFiles: ['test/support/property-seed.ts'],
    // No deadlines: these only end what hangs, however slow the machine is.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    env: temporaryFolder(),
    pool: 'forks',
    // Passes make much that is soon let go: with room for it, the stories take a tenth less CPU. And each worker plays many
    // tests for a short time each: compiled again only after more calls, they take a fifth less.
    execArgv: ['--max-semi-space-size=32', '--interrupt-budget=1000000'],
    maxWorkers: Number(process.env['CORES'] ?? Math.min(WORKERS_MOST, availableParallelism())),
    sequence: { sequencer: LongFirst },
    // Each worker loads our modules once. None of ours holds anything that changes (bundles keep what pure functions said), and
    // every file puts right what it set.
    isolate: false,
    // Names of packages are what Node gives out, not asked of a stand-in at each use, which took a twentieth of what parses
    // much. The one package whose names Node cannot tell has a module of the same next to it.
    deps: { interopDefault: false },
    alias: { 'fast-json-patch': 'fast-json-patch/index.mjs' },
  },
});
