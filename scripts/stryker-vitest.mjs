// The tests that Stryker runs for each mutant: the tables, which are fast. Properties, stories and the simulation are not.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/rollout/**/*.test.ts'],
    exclude: ['test/rollout/properties.test.ts', 'test/rollout/states/table.test.ts'],
    testTimeout: 60_000,
    pool: 'threads',
    maxWorkers: 1,
  },
});
