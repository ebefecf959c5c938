/** The branches that tranche makes are known as its own, wherever their names are made. */

import { expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { isOwnBranch, OWN } from '../../src/api/own-branches.ts';
import { branchesIn } from '../../src/rollout/proposals/branch.ts';

test.each([
  branchesIn('prod-eu'),
  ...Object.values(OWN).map((prefix) => `${prefix}x`),
  DEFAULT_CONFIG.statusBranch,
  'tranche-status-2',
])('%s is of tranche', (branch) => expect(isOwnBranch(branch)).toBe(true));

test.each([
  'main',
  'tranche',
  'release/tranche/x',
  'tranche-orders/x',
  'tranche-status-x',
  'tranche-initial',
  'tranche-init',
])('%s is of people', (branch) => expect(isOwnBranch(branch)).toBe(false));

test('proposals of a cluster are below the one prefix of all', () =>
  expect(branchesIn('prod-eu')).toBe(`${OWN.proposals}prod-eu/`));
