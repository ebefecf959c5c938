import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // TESTS narrows a run to some files, for tools that start vitest themselves.
    include: [process.env['TESTS'] ?? 'test/**/*.test.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    // No deadlines: these only end what hangs, however slow the machine is.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    pool: 'forks',
    maxWorkers: 2,
    // Each worker loads our modules once. No module of ours holds anything that changes, and every file puts right what it set.
    isolate: false,
  },
});
