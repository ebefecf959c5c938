/** What rules of a forge make of a delivery: [rules] → findings, with the worst first. */

import { expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { absent, type Known, known, unknown } from '../../src/api/known.ts';
import type { BranchRules } from '../../src/ports/forge-rules.ts';
import { policyOwners } from '../../src/reconcile/policy-owners.ts';
import { preflight } from '../../src/reconcile/preflight.ts';
import { type PolicyOwners, PREFLIGHT } from '../../src/reconcile/preflight-findings.ts';
import { FakeRepository } from '../support/fake-git.ts';

const open: BranchRules = {
  checks: known([{ context: 'tranche/gate', app: 77 }]),
  isStrict: known(false),
  hasMergeQueue: known(false),
  approvals: known(1),
  needsLastPushApproval: known(true),
  needsOwnersReview: known(true),
  needsSignatures: known(false),
  needsLinearHistory: known(false),
  takesDirectPush: known(true),
  isOpenToOthers: known(false),
  mergeMethods: known(['merge', 'squash', 'rebase']),
};
const shut = { takesDirectPush: known(false) };
const openToOthers = { isOpenToOthers: known(true) };
const queued = { hasMergeQueue: known(true) };
const signed = { needsSignatures: known(true) };

type Rules = Partial<BranchRules>;
type Row = readonly [
  what: string,
  main: Rules,
  status: Rules,
  proposals: Rules,
  names: readonly string[],
  owned?: PolicyOwners | undefined,
  login?: string | undefined,
  app?: Known<number> | undefined,
  accepting?: readonly string[],
  isSigned?: boolean,
];

const owned: PolicyOwners = { policyPaths: ['policies'], file: '.github/CODEOWNERS', unowned: [] };

const rows: readonly Row[] = [
  ['what fits', {}, {}, {}, []],
  ['no bypass on main', shut, {}, {}, ['MainTakesNoPush']],
  [
    'no bypass on main, which a policy accepts',
    { ...shut, isStrict: known(true) },
    {},
    {},
    ['WithoutPush', 'MovesUnderProposals'],
    undefined,
    undefined,
    undefined,
    ['RolloutPolicy production (policies/production.yaml:7)'],
  ],
  [
    'the same, where what is behind may be merged',
    shut,
    {},
    {},
    ['MainTakesNoPush'],
    undefined,
    undefined,
    undefined,
    ['RolloutPolicy production (policies/production.yaml:7)'],
  ],
  ['no bypass on the status branch', {}, shut, {}, ['StatusTakesNoPush']],
  ['no ruleset for the status branch', {}, openToOthers, {}, ['StatusOpenToOthers']],
  ['no bypass on proposals', {}, {}, shut, ['ProposalsTakeNoPush']],
  ['no ruleset for proposals', {}, {}, { isOpenToOthers: known(true) }, ['ProposalsOpenToOthers']],
  ['an approval before the last push', { needsLastPushApproval: known(false) }, {}, {}, ['LastPushNeedsNoApproval']],
  ['an App that main does not name', {}, {}, {}, ['AppNotNamed'], undefined, 'acme-tranche[bot]'],
  ['the token of a run', {}, {}, {}, ['TokenOfRun'], undefined, 'github-actions[bot]'],
  ['no check', { checks: known([]) }, {}, {}, ['GateNotRequired']],
  ['up to date', { isStrict: known(true) }, {}, {}, ['MovesUnderProposals']],
  ['a merge queue', { ...queued, checks: known([]) }, {}, {}, ['GateNotRequired', 'MovesUnderProposals']],
  ['a queue that waits for our status', queued, {}, {}, ['NothingMerges', 'MovesUnderProposals']],
  [
    'our status by anybody',
    { checks: known([{ context: 'tranche/gate', app: undefined }]) },
    {},
    {},
    ['GateOpenToOthers'],
  ],
  [
    'the check run that says nothing',
    {
      checks: known([
        { context: 'tranche/gate', app: 77 },
        { context: 'tranche/progress', app: 77 },
      ]),
    },
    {},
    {},
    ['NumbersRequired'],
  ],
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
  ['our status from another App alone', {}, {}, {}, ['NothingMerges'], undefined, undefined, known(78)],
  ['our status from an App, and someone is who we are', {}, {}, {}, ['NothingMerges'], undefined, 'ada', absent],
  [
    'our status from an App, and nobody tells which we are',
    {},
    {},
    {},
    ['RulesUnreadable'],
    undefined,
    undefined,
    unknown('hidden'),
  ],
  ['policies that are owned', {}, {}, {}, [], owned],
  ['a file that nobody owns', {}, {}, {}, ['PoliciesUnguarded'], { ...owned, unowned: ['tranche.yaml'] }],
  ['no CODEOWNERS', {}, {}, {}, ['PoliciesUnguarded'], { ...owned, file: undefined }],
  ['policies anywhere', {}, {}, {}, ['PoliciesUnguarded'], { ...owned, policyPaths: undefined }],
  ['no review of owners', { needsOwnersReview: known(false) }, {}, {}, ['PoliciesUnguarded'], owned],
  ['a review of owners, unread', { needsOwnersReview: unknown('hidden') }, {}, {}, ['RulesUnreadable'], owned],
  ['no review of owners, and no policies', { needsOwnersReview: known(false) }, {}, {}, []],
  [
    'the worst first',
    { ...shut, isStrict: known(true), checks: known([]) },
    {},
    {},
    ['MainTakesNoPush', 'GateNotRequired', 'MovesUnderProposals'],
  ],
];

test.each(rows.map((row) => ({ what: row[0], row })))('$what', ({ row }) => {
  const [, main, status, proposals, names, owners, login = 'tranche[bot]', app = known(77), accepting = [], isSigned] =
    row;
  const found = preflight({
    branch: 'main',
    statusBranch: 'tranche-status',
    prefix: 'tranche/prod/',
    gate: 'tranche/gate',
    ...(isSigned === undefined ? {} : { isSigned }),
    accepting,
    app: 'tranche',
    owned: owners,
    self: { login, isBot: login.endsWith('[bot]'), app },
    main: { ...open, ...main },
    status: { ...open, ...status },
    proposals: { ...open, ...proposals },
  });
  expect(found.map(({ name }) => name)).toEqual(names);
  for (const { seen, action } of found) expect([seen, action]).not.toContain('');
});

test('every finding is found by some row', () => {
  // Without a forge there are no rules to read: see test/commands/preflight.test.ts.
  const found = new Set(['ForgeNotAsked', ...rows.flatMap(([, , , , names]) => names)]);
  expect([...found].sort()).toEqual(Object.keys(PREFLIGHT).sort());
});

const POLICY = 'kind: RolloutPolicy\n';

test.each<
  readonly [
    what: string,
    files: Readonly<Record<string, string>>,
    paths: readonly string[] | undefined,
    wanted: unknown,
  ]
>([
  ['no policies', { CODEOWNERS: '* @a\n' }, undefined, undefined],
  ['policies without anything', { 'p/a.yaml': POLICY }, undefined, { file: undefined, unowned: [] }],
  ['one owner of all', { 'p/a.yaml': POLICY, CODEOWNERS: '* @a\n' }, ['p'], { file: 'CODEOWNERS', unowned: [] }],
  [
    'the configuration forgotten, and itself',
    { 'p/a.yaml': POLICY, '.github/CODEOWNERS': '/p/ @org/team\n', CODEOWNERS: '* @a\n' },
    ['p'],
    { file: '.github/CODEOWNERS', unowned: ['tranche.yaml', '.github/CODEOWNERS'] },
  ],
  [
    'a later line that takes the owner away',
    { 'p/a.yaml': POLICY, CODEOWNERS: '* @a\n/p/a.yaml\n' },
    ['p'],
    { file: 'CODEOWNERS', unowned: ['p/a.yaml'] },
  ],
  [
    'only the files of a folder, not those below it',
    { 'p/a.yaml': POLICY, CODEOWNERS: '* @a\n/p/*/** nobody @b\n/p/b/\n/p/any/\n' },
    ['p'],
    { file: 'CODEOWNERS', unowned: ['p/any/any.yaml'] },
  ],
])('who owns policies: %s', async (_, files, policyPaths, wanted) => {
  const git = FakeRepository.withFiles(files).open();
  const commit = (await git.heads(['main']))[0] ?? '';
  const found = await policyOwners(git, { commit, config: { ...DEFAULT_CONFIG, policyPaths } });
  expect(found).toEqual(wanted === undefined ? undefined : { policyPaths, ...Object(wanted) });
});

const STATUS_OPEN = {
  branch: 'main',
  statusBranch: 'tranche-status',
  prefix: 'tranche/prod/',
  gate: 'tranche/gate',
  accepting: [],
  owned: undefined,
  main: open,
  status: { ...open, ...openToOthers },
  proposals: open,
};

test.each<readonly [what: string, login: string, isSigned: boolean, level: string, action: RegExp]>([
  ['the App pushes, and no key signs', 'tranche[bot]', false, 'error', /^Import .*ruleset-status\.json, or name a key/],
  ['an account pushes, and no key signs', 'deployer', false, 'error', /^Import .*ruleset-status\.json, or name a key/],
  ['the App pushes, and a key signs', 'tranche[bot]', true, 'warning', /import .*ruleset-status\.json$/],
  ['the token of a run, and no key signs', 'github-actions[bot]', false, 'warning', /^Use a GitHub App/],
  ['the token of a run, and a key signs', 'github-actions[bot]', true, 'warning', /import .*ruleset-status\.json$/],
])('a status branch that is open to others: %s', (_, login, isSigned, level, action) => {
  const self = { login, isBot: login.endsWith('[bot]'), app: known(77) };
  const found = preflight({ ...STATUS_OPEN, isSigned, self }).filter(({ name }) => name === 'StatusOpenToOthers');
  expect(found.map((one) => one.level ?? PREFLIGHT[one.name].level)).toEqual([level]);
  expect(found[0]?.action).toMatch(action);
  expect(found[0]?.seen).toContain('tranche-status');
  // Imported as it is, the ruleset would leave a branch of another name open.
  const other = preflight({ ...STATUS_OPEN, isSigned, self, statusBranch: 'rollouts' }).find(
    ({ name }) => name === 'StatusOpenToOthers',
  );
  expect(other?.action).toContain('ruleset-status.json with refs/heads/rollouts in the place of its branches');
  // What a signature says nothing of: see SECURITY.md, An earlier status branch that is signed.
  expect(found[0]?.seen).toMatch(isSigned ? /, or put all of an earlier one back/ : /use up what an agent takes/);
});
