/** Every event of a pull request, and its one answer. */

import { expect, test } from 'vitest';
import type { ProposalRecord } from '../../../src/api/proposal-record.ts';
import { branchOf, namedBy } from '../../../src/rollout/proposals/branch.ts';
import { heard, judge, type View } from '../../../src/rollout/proposals/judge.ts';
import { releaseOf } from '../../support/marks-notation.ts';

const KEY = { cluster: 'prod-eu', namespace: 'llm', name: 'vllm' };
const NOW = 2_000_000_000;
const OURS = 'a'.repeat(40);
const release = releaseOf('B.2');
const approvable = { index: 1, release };

function wantedOf(digest: string, index = 1) {
  const approval = { index, release, partition: 3, digest };
  return { ...approval, branch: branchOf(KEY, approval) };
}
const same = wantedOf('11111111111111111111111111111111');
const other = wantedOf('22222222222222222222222222222222');

function record(state: ProposalRecord['state'], rest: Partial<ProposalRecord> = {}): ProposalRecord {
  const { branch, index, digest } = same;
  const ended = state === 'vetoed' ? { vetoes: [digest], by: 'ada' } : {};
  return {
    branch,
    index,
    release,
    digest,
    head: OURS,
    number: 12,
    url: 'https://forge.example/12',
    openedAt: NOW - 3600,
    state,
    vetoes: [],
    ...ended,
    ...rest,
  };
}

const open: View = { kind: 'open', number: 12, url: 'https://forge.example/12', head: OURS };
const merged: View = { kind: 'merged', by: 'ada' };
const byAda: View = { kind: 'closed', by: 'ada', closer: 'person' };
const byBot: View = { kind: 'closed', by: 'stale[bot]', closer: 'machine' };
const byUs: View = { kind: 'closed', by: 'tranche[bot]', closer: 'us' };
const none: View = { kind: 'none' };
const unknown: View = { kind: 'unknown' };

/** Nobody has said anything of it as well. */
const quiet = {
  isGiven: false,
  fresh: undefined,
  isGateRequired: false,
  isUnguarded: false,
  hasConflict: false,
  now: NOW,
  earliest: NOW,
};

type Row = readonly [
  what: string,
  known: ProposalRecord | undefined,
  view: View,
  wanted: typeof same | undefined,
  then: string,
];

test.each<Row>([
  ['nothing to approve', undefined, none, undefined, 'none'],
  ['the first one', undefined, none, same, 'propose'],
  ['it waits for people', record('open'), open, same, 'waits'],
  ['the forge does not answer', record('open'), unknown, same, 'waits'],
  ['a crash before the pull request was opened', record('open', { number: undefined }), none, same, 'propose'],
  ['a gate shuts', record('open'), open, undefined, 'shut'],
  ['it is shut still, a pass later', record('open', { gates: 'shut' }), open, undefined, 'withdraw shut'],
  ['the same while the forge does not answer', record('open', { gates: 'shut' }), unknown, undefined, 'shut'],
  ['closed by us in a pass whose record was lost', record('open'), byUs, same, 'propose'],
  ['a gate shuts while the forge does not answer', record('open'), unknown, undefined, 'shut'],
  ['another commit is next', record('open'), open, other, 'withdraw changed'],
  [
    'the same commit is next from another place',
    record('open'),
    open,
    wantedOf('11111111111111111111111111111111', 2),
    'withdraw changed',
  ],
  ['open for eight days', record('open', { openedAt: NOW - 8 * 86_400 }), open, same, 'withdraw old'],
  ['somebody pushes to its branch', record('open'), { ...open, head: 'b'.repeat(40) }, same, 'foreign'],
  ['merged, main as it was read before', record('open'), merged, same, 'merging'],
  ['merged, main has lost its approval', record('merged'), merged, same, 'reverted'],
  ['merged, and another commit is next', record('merged'), merged, other, 'propose'],
  ['its step is in Git', record('merged'), merged, undefined, 'none'],
  ['closed by someone', record('open'), byAda, same, 'vetoed'],
  ['still closed', record('vetoed'), byAda, same, 'vetoed'],
  ['closed by someone, a gate shuts', record('vetoed'), byAda, undefined, 'none'],
  ['opened again', record('vetoed'), open, same, 'waits'],
  ['closed by someone, and another commit is next', record('vetoed'), byAda, other, 'propose'],
  [
    'back to what was vetoed',
    record('withdrawn', { vetoes: ['22222222222222222222222222222222'] }),
    none,
    other,
    'vetoed',
  ],
  ['closed by a bot', record('open'), byBot, same, 'closed'],
  ['its branch was deleted', record('open'), none, same, 'closed'],
  ['closed by a bot, opened again', record('closed'), open, same, 'waits'],
  ['withdrawn, and it holds again', record('withdrawn'), byBot, same, 'propose'],
  ['the same a minute after', record('withdrawn', { openedAt: NOW - 60 }), byBot, same, 'early 540'],
  [
    'another commit of the same step, a minute after',
    record('withdrawn', { openedAt: NOW - 60 }),
    byBot,
    other,
    'early 540',
  ],
  [
    'the next step, a minute after',
    record('merged', { openedAt: NOW - 60 }),
    merged,
    wantedOf('22222222222222222222222222222222', 2),
    'propose',
  ],
  [
    'the next step, a minute after a word by commit',
    record('open', { openedAt: NOW - 60 }),
    byBot,
    wantedOf('22222222222222222222222222222222', 2),
    'propose',
  ],
  ['dated by a clock that ran ahead', record('withdrawn', { openedAt: NOW + 9999 }), byBot, same, 'propose'],
  ['opened as a word before the rules guarded it', record('open', { form: 'NotUpToDate' }), open, same, 'waits'],
  ['a brake took its branch, which could not be deleted', record('withdrawn'), open, undefined, 'withdraw ended'],
])('%s', (_, known, view, wanted, then) => {
  expect(show(judge({ ...quiet, known, view, wanted, approvable }))).toBe(then);
});

test('a clock that runs eight days ahead of the servers closes none as old', () => {
  const [now, week] = [NOW + 8 * 86_400, { known: record('open'), view: open, wanted: same, approvable }];
  expect(show(judge({ ...quiet, ...week, now }))).toBe('waits');
  expect(show(judge({ ...quiet, ...week, now, earliest: now }))).toBe('withdraw old');
});

const gatesShut = { ...quiet, known: record('open'), view: open, wanted: undefined };

test.each<
  readonly [
    what: string,
    approvable: { readonly index: number; readonly release: typeof release } | undefined,
    then: string,
  ]
>([
  ['a later step is in Git', { index: 2, release }, 'withdraw overtaken'],
  ['a newer request has taken over', { index: 1, release: releaseOf('C.3') }, 'withdraw overtaken'],
  ['it goes back', undefined, 'withdraw overtaken'],
])('gates shut, and %s', (_, at, then) => {
  expect(show(judge({ ...gatesShut, approvable: at }))).toBe(then);
});

test('a veto is kept with who gave it, and forgotten when that person opens the pull request again', () => {
  const vetoed = heard(record('open'), byAda);
  expect(vetoed).toMatchObject({ state: 'vetoed', by: 'ada', vetoes: ['11111111111111111111111111111111'] });
  expect(heard(vetoed, open)).toMatchObject({ state: 'open', vetoes: [] });
  const many = record('open', { vetoes: Array.from({ length: 10 }, (_, k) => `0000000${k}`) });
  expect(heard(many, byAda).vetoes).toEqual([...many.vetoes.slice(1), '11111111111111111111111111111111']);
});

test('the branch says what it approves, and no other Rollout takes it for its own', () => {
  expect(same.branch).toBe(
    'tranche/prod-eu/llm/vllm/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2-1-11111111111111111111111111111111',
  );
  expect(namedBy(KEY, same.branch)).toEqual({ index: 1, release, digest: '11111111111111111111111111111111' });
  expect(namedBy({ ...KEY, name: 'vllm-2' }, same.branch)).toBeUndefined();
  const step = `${same.branch}-fields`;
  expect(branchOf(KEY, { ...same, form: 'Guarded' })).toBe(step);
  expect(namedBy(KEY, step)).toEqual({
    index: 1,
    release,
    digest: '11111111111111111111111111111111',
    form: 'Guarded',
  });
  for (const bad of ['', 'tranche/prod-eu/llm/vllm/x', `${same.branch}0`, `${same.branch}/x`, 'main'])
    expect(namedBy(KEY, bad)).toBeUndefined();
});

function show(verdict: ReturnType<typeof judge>): string {
  if (verdict.kind === 'withdraw') return `withdraw ${verdict.why}`;
  return verdict.kind === 'early' ? `early ${verdict.seconds}` : verdict.kind;
}

test('a gate that stays shut fails the status where a rule wants that, and nothing is withdrawn', () => {
  const known = record('open', { gates: 'shut' });
  expect(show(judge({ ...gatesShut, known, approvable, isGateRequired: true }))).toBe('shut');
});

test('a step that nothing guards any more is withdrawn, whatever its gates say; what has ended is not', () => {
  const lost = { ...quiet, isUnguarded: true, view: open, approvable };
  for (const wanted of [same, other, undefined])
    expect(show(judge({ ...lost, wanted, known: record('open') }))).toBe('withdraw unguarded');
  expect(show(judge({ ...lost, wanted: same, known: record('merged'), view: merged }))).toBe('reverted');
});

test('what conflicts with main is proposed again from there, unless somebody has pushed to it', () => {
  const conflicting = { ...quiet, hasConflict: true, wanted: same, approvable, known: record('open') };
  expect(show(judge({ ...conflicting, view: open }))).toBe('withdraw conflict');
  expect(show(judge({ ...conflicting, view: { ...open, head: 'b'.repeat(40) } }))).toBe('foreign');
});

test('main has the word: anyone who gave it is to be shown, whatever the forge says of the pull request', () => {
  for (const known of [undefined, record('open'), record('merged'), record('vetoed')])
    for (const view of [open, merged, byAda, none])
      expect(show(judge({ ...quiet, known, view, wanted: same, approvable, isGiven: true }))).toBe('unproven');
});

test.each<readonly [what: string, known: ProposalRecord, view: View, wanted: typeof same, then: string]>([
  ['of a veto', record('vetoed'), byAda, same, 'propose'],
  ['of an end by a bot', record('closed'), byBot, same, 'propose'],
  ['of a revert', record('merged'), merged, same, 'propose'],
  ['of an earlier veto', record('withdrawn', { vetoes: ['22222222222222222222222222222222'] }), byUs, other, 'propose'],
  ['of what somebody pushed to', record('open'), { ...open, head: 'b'.repeat(40) }, same, 'withdraw fresh'],
  ['of one that stands as it should', record('open'), open, same, 'waits'],
  ['of an earlier one than that which was vetoed', record('vetoed', { number: 13 }), byAda, same, 'vetoed'],
  [
    'of another step that was vetoed',
    record('vetoed', { index: 2, vetoes: ['11111111111111111111111111111111'] }),
    byAda,
    same,
    'vetoed',
  ],
])('someone wants it proposed again: instead %s', (_, known, view, wanted, then) => {
  expect(show(judge({ ...quiet, known, view, wanted, approvable, fresh: 12 }))).toBe(then);
});
