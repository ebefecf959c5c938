import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // TESTS narrows a run to some files, for tools that start vitest themselves.
    include: [process.env['TESTS'] ?? 'test/**/*.test.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
