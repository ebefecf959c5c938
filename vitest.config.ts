import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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

/** What takes longest, the longest first. */
const LONG = [
  'test/scenarios/stories-',
  'test/simulation/replay.',
  'test/scenarios/actions.',
  'test/commands/demo.',
  'test/rollout/states/forged-',
  'test/reconcile/folders-of-others-traffic.',
  'test/reconcile/turns.',
  'test/rollout/properties.',
];

/**
 * Where no test has run yet, as in a fresh clone, vitest takes the largest files first, and the longest of all have five
 * lines: one core had nothing to do while the other played the last of them.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((part) => moduleId.includes(part));
      return at === -1 ? LONG.length : at;
    };
    return (await super.sort(files)).sort((left, right) => place(left) - place(right));
  }
}

export default defineConfig({
  test: {
    // TESTS narrows a run to some files, for tools that start vitest themselves.
    include: [process.env['TESTS'] ?? 'test/**/*.test.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    // No deadlines: these only end what hangs, however slow the machine is.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    env: temporaryFolder(),
    pool: 'forks',
    // Passes make much that is soon let go: with room for it, the stories take a tenth less CPU.
    execArgv: ['--max-semi-space-size=32'],
    // One more than the cores of the smallest machine: tests of Git and of processes wait for others half of their time.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    // Each worker loads our modules once. None of ours holds anything that changes (the bundle of the simulation keeps what pure
    // functions said), and every file puts right what it set.
    isolate: false,
    // Names of packages are what Node gives out, not asked of a stand-in at each use, which took a twentieth of what parses
    // much. The one package whose names Node cannot tell has a module of the same next to it.
    deps: { interopDefault: false },
    alias: { 'fast-json-patch': 'fast-json-patch/index.mjs' },
  },
});
