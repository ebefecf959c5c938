/** What rules of a forge make of a delivery: [rules] → findings, with the worst first. */

import { expect, test } from 'vitest';
import { known, unknown } from '../../src/api/known.ts';
import type { BranchRules } from '../../src/ports/forge.ts';
import { PREFLIGHT, preflight } from '../../src/reconcile/preflight.ts';

const open: BranchRules = {
  checks: known([{ context: 'tranche/gate', app: 77 }]),
  isStrict: known(false),
  hasMergeQueue: known(false),
  approvals: known(1),
  needsLastPushApproval: known(true),
  needsSignatures: known(false),
  needsLinearHistory: known(false),
  takesDirectPush: known(true),
  isOpenToOthers: known(false),
  mergeMethods: known(['merge', 'squash', 'rebase']),
};
const shut = { takesDirectPush: known(false) };
const signed = { needsSignatures: known(true) };

type Rules = Partial<BranchRules>;
type Row = readonly [what: string, main: Rules, status: Rules, proposals: Rules, names: readonly string[]];

const rows: readonly Row[] = [
  ['what fits', {}, {}, {}, []],
  ['no bypass on main', shut, {}, {}, ['MainTakesNoPush']],
  ['no bypass on the status branch', {}, shut, {}, ['StatusTakesNoPush']],
  ['no bypass on proposals', {}, {}, shut, ['ProposalsTakeNoPush']],
  ['no ruleset for proposals', {}, {}, { isOpenToOthers: known(true) }, ['ProposalsOpenToOthers']],
  ['an approval before the last push', { needsLastPushApproval: known(false) }, {}, {}, ['LastPushNeedsNoApproval']],
  ['no check', { checks: known([]) }, {}, {}, ['GateNotRequired']],
  ['up to date', { isStrict: known(true) }, {}, {}, ['MovesUnderProposals']],
  ['a merge queue', { hasMergeQueue: known(true) }, {}, {}, ['MovesUnderProposals']],
  ['signatures with squash', { ...signed, mergeMethods: known(['squash']) }, {}, {}, []],
  ['signatures with rebase only', { ...signed, mergeMethods: known(['rebase']) }, {}, {}, ['NothingMerges']],
  [
    'signatures and a linear history without squash',
    { ...signed, needsLinearHistory: known(true), mergeMethods: known(['merge', 'rebase']) },
    {},
    {},
    ['NothingMerges'],
  ],
  [
    'what cannot be read, which is never fine',
    { takesDirectPush: unknown('hidden'), checks: unknown('hidden') },
    {},
    { isOpenToOthers: unknown('hidden') },
    ['RulesUnreadable', 'RulesUnreadable'],
  ],
  [
    'the worst first',
    { ...shut, isStrict: known(true), checks: known([]) },
    {},
    {},
    ['MainTakesNoPush', 'GateNotRequired', 'MovesUnderProposals'],
  ],
];

test.each(rows)('%s', (_what, main, status, proposals, names) => {
  const found = preflight({
    branch: 'main',
    statusBranch: 'tranche-status',
    prefix: 'tranche/prod/',
    gate: 'tranche/gate',
    main: { ...open, ...main },
    status: { ...open, ...status },
    proposals: { ...open, ...proposals },
  });
  expect(found.map(({ name }) => name)).toEqual(names);
  for (const { seen, action } of found) expect([seen, action]).not.toContain('');
});

test('every finding is found by some row', () => {
  const found = new Set(rows.flatMap(([, , , , names]) => names));
  expect([...found].sort()).toEqual(Object.keys(PREFLIGHT).sort());
});
