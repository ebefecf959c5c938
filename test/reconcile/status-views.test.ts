/** Everything that is shown of one state, side by side: badge, page, table, tree and JSON. UPDATE_GOLDEN=1 writes fixtures/status again. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { jsonText } from '../../src/api/printable.ts';
import type { RolloutRecord } from '../../src/api/record.ts';
import { NOTHING_SINCE, type Picture, type Shown } from '../../src/reconcile/read-picture.ts';
import type { BrakeShown } from '../../src/reconcile/status/brakes.ts';
import { statusFrame, statusLine } from '../../src/reconcile/status/status-frame.ts';
import { statusJson } from '../../src/reconcile/status/status-json.ts';
import { badge, statusPage } from '../../src/reconcile/status/status-page.ts';
import { statusTable, statusTree } from '../../src/reconcile/status/status-text.ts';
import { plan } from '../../src/rollout/plan.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { passed, settledOn } from '../support/ladder-pass.ts';
import { abort, after, asked, stands } from '../support/ladder-stands.ts';
import { checkedOutput, fieldsOf, pathsOf } from '../support/output-schemas.ts';
import { emptyRecord } from '../support/record.ts';
import { MAIN, NOW, type World, world } from '../support/snapshot.ts';
import { NEW, OLD } from '../support/vllm.ts';

const recordOf = (of: World): RolloutRecord => plan(world(of)).record;
const begun: World = { text: 'B', marks: 'B.2 1/3 floor=3', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B-', record: {} };
const done: World = { ...begun, groups: '0:A+ 1:A+ 2:A+ 3:B+' };
const blueGreen = ladderFiles(
  ladderRollout('blueGreen', [
    'replicas: 1, traffic: 5%, pause: {duration: 60}',
    'replicas: 100%, traffic: 50%, pause: {duration: 60}',
  ]),
);
const over = after('promote, switch: vllm-svc → vllm-green', asked(passed(settledOn(blueGreen)).stand, OLD, NEW));
const aborted: World = { text: 'A', marks: 'A.1 rollback floor=3 aborted=B.2', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B-' };
const told = { namespace: 'llm', name: 'vllm' };
const UNSEEN = { oid: '5be0'.repeat(10), message: 'notes: more\n', committedAt: NOW, parents: [] };
const AUTHOR = { name: 'Ada', email: 'ada@example.com', atSeconds: NOW - 30 };

const STOP: BrakeShown = {
  kind: 'stop',
  rollout: undefined,
  file: 'rollouts/stop.yaml',
  note: { since: NOW - 3600, by: 'ada', why: 'INC-7' },
  until: NOW + 3600,
  ends: 'tranche go',
};
const PAUSE: BrakeShown = {
  kind: 'pause',
  rollout: 'llm/vllm',
  file: 'rollouts/vllm.yaml',
  note: undefined,
  until: undefined,
  ends: 'tranche resume vllm',
};

type State = {
  readonly record: RolloutRecord;
  readonly now?: number;
  readonly shown?: Partial<Shown>;
  readonly picture?: Partial<Picture>;
};

const NONE = { n: 0, x: 0 };

const STATES: Readonly<Record<string, State>> = {
  settled: { record: recordOf({ record: {} }) },
  'not-adopted': { record: recordOf({ marks: 'none', record: {} }) },
  requested: {
    record: recordOf({ text: 'B', sizes: { B: 4 }, record: {} }),
    shown: { since: { orders: ['abort'], files: [] } },
    picture: { brakes: [STOP, PAUSE] },
  },
  step: {
    record: {
      ...recordOf(begun),
      approved: { release: `${'b'.repeat(32)}.2`, step: '1/3', by: 'Ada (claim)', at: MAIN },
      measured: {
        of: '1/3',
        metrics: [
          { name: 'chat/vllm/empty', answer: 'noRequests', canary: NONE, stable: NONE, until: NOW - 180 },
          {
            name: 'chat/vllm/errors',
            answer: 'passed',
            canary: { n: 4180, x: 12 },
            stable: { n: 29_310, x: 71 },
            until: NOW - 180,
            ruledOut: '1.56',
            line: '▁▂▁·▁▃▁█',
          },
        ],
      },
    },
    shown: { next: 'rollout(llm/vllm): step 2/3, partition 3 → 2' },
  },
  'step-with-an-extra-group': {
    record: recordOf({ ...begun, n: 5, marks: 'B.2 1/3 floor=3 r=4>5', groups: `${begun.groups} 4:B+` }),
    shown: { since: { orders: [], files: ['apps/vllm/lws.yaml'] } },
  },
  'step-overdue': {
    record: recordOf({
      ...begun,
      now: NOW + 7200,
      record: { ...recordOf({ ...begun, record: { loads: [600] } }), loads: [600] },
    }),
  },
  rollback: {
    record: recordOf({ ...aborted, record: { ...recordOf(begun), phase: 'Progressing' } }),
  },
  'not-readable': { record: recordOf({ ...begun, live: 'unknown' }), picture: { fresh: ['llm/llama'] } },
  'canary-with-a-share': { record: passed(stands.second).plan.record, now: stands.second.now },
  'canary-rollback': {
    record: passed(passed(stands.second, abort(stands.second)).stand).plan.record,
    now: stands.second.now,
  },
  'blue-green-over': { record: passed(over).plan.record, now: over.now },
  'pull-request': {
    record: {
      ...recordOf({ ...done, record: recordOf({ ...done, record: recordOf(begun) }) }),
      holds: [{ reason: 'PullRequestWaiting', message: 'it waits', lines: ['1 of 2 approvals', 'checks pass'] }],
      proposal: {
        branch: 'tranche/x',
        head: MAIN,
        index: 2,
        release: { digest: 'b'.repeat(32), serial: 2 },
        digest: 'c',
        number: 12,
        url: 'https://forge.example/12',
        openedAt: NOW,
        state: 'merged',
        by: 'octocat',
        vetoes: [],
      },
      approved: { release: `${'b'.repeat(32)}.2`, step: '2/3', by: 'Ada, octocat', at: 'https://forge.example/12' },
    },
  },
};

const inTurnAt = (now: number) => [
  { process: '0000000a', at: now - 60 },
  { process: '0000000b', at: now - 90 },
];

/** The picture of a state, as `status` reads it. */
function pictureOf({ record, shown = {}, picture = {}, now = NOW }: State): Picture & { readonly one: Shown } {
  const one: Shown = { record, since: NOTHING_SINCE, next: undefined, ...shown };
  const asOf = {
    kind: 'recorded',
    at: now - 60,
    main: MAIN,
    unseen: one.since.orders.length === 0 ? [] : [{ ...UNSEEN, author: AUTHOR, committer: AUTHOR }],
    more: false,
    writtenBy: now + 600,
    overdueSince: picture.fresh === undefined ? undefined : now - 50,
    ...(picture.fresh === undefined ? {} : { inTurn: inTurnAt(now) }),
  } as const;
  return { asOf, shown: [one], fresh: [], brakes: [], ...picture, one };
}

const badgeText = (record: RolloutRecord): string => /aria-label="([^"]*)"/.exec(badge(record))?.[1] ?? '';
/** The row, and the section that it leads to. */
const pageOf = (record: RolloutRecord): string => statusPage([record]).split('\n').slice(4).join('\n');

const views: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(STATES).map(([name, state]) => {
    const { one, ...picture } = pictureOf(state);
    const { asOf, brakes } = picture;
    const now = state.now ?? NOW;
    const failed = state.picture?.fresh === undefined ? [] : [{ ...told, why: 'the API server did not answer' }];
    const json = jsonText(statusJson(picture, failed));
    const tree = asOf === undefined ? '' : statusTree(one, { asOf, now, brakes });
    const frame = asOf === undefined ? '' : statusFrame(one, { asOf, now, brakes }).join('\n');
    return [
      name,
      `## badge\n\n${badgeText(one.record)}\n\n## page\n\n${pageOf(one.record)}\n## table\n\n${statusTable(picture, now)}\n## tree\n\n${tree}\n## watched\n\n${frame}\n\n${statusLine(one)}\n\n## json\n\n${json}`,
    ];
  }),
);

test.each(Object.entries(views))('%s', (name, text) => {
  const golden = new URL(`../../fixtures/status/${name}.txt`, import.meta.url);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, text);
  expect(existsSync(golden) ? readFileSync(golden, 'utf8') : '').toBe(text);
});

const printed = (text: string): string => text.slice(text.indexOf('## json\n\n') + 9);

test.each(Object.entries(views))('%s is as schemas/status.schema.json says', (_, text) => {
  expect(checkedOutput('status', printed(text))).toMatchObject({ version: 1 });
});

test('the goldens have every field of the schema: none is described that nobody has seen', () => {
  const seen = new Set(Object.values(views).flatMap((text) => pathsOf(JSON.parse(printed(text)))));
  expect(fieldsOf('status').filter((path) => !seen.has(path))).toEqual([]);
});

test('before the first pass there is no picture, and the JSON says so by its absence', () => {
  const none: Picture = { asOf: undefined, shown: [], fresh: [], brakes: [] };
  expect(checkedOutput('status', jsonText(statusJson(none)))).toEqual({
    version: 1,
    brakes: [],
    rollouts: [],
    notLookedAt: [],
    failed: [],
  });
});

test.each<readonly [what: string, change: object]>([
  ['another version', { version: 2 }],
  ['a time that is a number', { asOf: { kind: 'live', at: NOW, main: MAIN, commitsAhead: 0, moreAhead: false } }],
  ['a Rollout without holds', { rollouts: [{ ...emptyRecord() }] }],
])('the schema refuses %s', (_, change) => {
  const value = { ...(JSON.parse(printed(views['step'] ?? '')) as object), ...change };
  expect(() => checkedOutput('status', JSON.stringify(value))).toThrow('not as schemas/status.schema.json');
});

test('a row of the page leads to a section that is there', () => {
  const page = statusPage([emptyRecord({ namespace: 'llm', name: 'v.llm-2', cluster: 'eu_1' })]);
  const anchor = /\]\(#([^)]*)\)/.exec(page)?.[1];
  // What GitHub makes of a heading: lower case, without signs, spaces as hyphens.
  const heading = /^### (.*)$/m.exec(page)?.[1] ?? '';
  expect(
    heading
      .toLowerCase()
      .replace(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  ).toBe(anchor);
  expect(heading).toBe('llm/v.llm-2 in eu1');
});

test('a live look that got no answer does not say that it has read the cluster', () => {
  const { one, asOf } = pictureOf(STATES['not-readable']!);
  const live = { ...asOf!, kind: 'live' as const };
  const frame = statusFrame(one, { asOf: live, now: NOW, brakes: [] }).join('\n');
  expect(frame).toContain('the cluster could not be read');
  expect(frame).not.toContain('read from the cluster');
  const seen = pictureOf(STATES['settled']!).one;
  expect(statusFrame(seen, { asOf: live, now: NOW, brakes: [] }).join('\n')).toContain(', read from the cluster');
});
