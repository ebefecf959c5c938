/** Title and body: what others have written is shown, and does nothing. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/api/json.ts';
import type { MeasuredStep } from '../../../src/api/record-metrics.ts';
import { plan } from '../../../src/rollout/plan.ts';
import { bodyOf, lastingText, type Proposed, titleOf } from '../../../src/rollout/proposals/body.ts';
import { checkText } from '../../../src/rollout/proposals/check-text.ts';
import { block, code, plain } from '../../../src/rollout/proposals/encode.ts';
import { approvalFor } from '../../../src/rollout/proposals/promotion.ts';
import { releaseChanges } from '../../../src/rollout/proposals/release-changes.ts';
import { releaseTable } from '../../../src/rollout/proposals/release-table.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { NOW, world } from '../../support/snapshot.ts';

const HOSTILE = [
  '@team/admins',
  '#12',
  '<img src=x onerror=alert(1)>',
  '<!-- marker -->',
  '[a](javascript:alert(1))',
  '| a | b |',
  '```\n# head\n```',
  '` @ada `',
  '\u202Eevil',
  'a\rb\nc\u2028d\u0000',
  '\\|',
  '``` ` ````',
];
const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(fc.constantFrom('`', '|', '\\', '@', '<', '\n', ' ', 'x'), { maxLength: 20 }).map((parts) => parts.join('')),
);

/** What is left of one line of Markdown when its code spans are taken out, as CommonMark reads them. */
function outsideCode(line: string): string {
  let rest = line;
  let outside = '';
  while (rest !== '') {
    const fence = /`+/.exec(rest);
    if (fence === null) return outside + rest;
    const after = rest.slice(fence.index + fence[0].length);
    const end = [...after.matchAll(/`+/g)].find((run) => run[0].length === fence[0].length);
    outside += rest.slice(0, fence.index);
    rest = end === undefined ? after : after.slice(end.index + end[0].length);
    if (end === undefined) outside += fence[0];
  }
  return outside;
}

test('a value in a line is code from end to end, on one line, and ends no cell', () => {
  fc.assert(
    fc.property(text, (value) => {
      const shown = code(value);
      expect(shown).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
      expect(outsideCode(shown).replace('–', '')).toBe('');
      // Readers differ in what two backslashes before a bar are: escaped by either, it ends no cell.
      expect(shown).not.toMatch(/(?<!\\)\|/);
      expect(shown.replaceAll(/\\./g, '')).not.toContain('|');
    }),
  );
});

test('a block shows what nobody would see, and keeps what ends lines', () => {
  expect(block('+ a: "\u202eb\u200bc\u001b[2J"\r\n\t- d\re\n', 'diff', 300)).toBe(
    '```diff\n+ a: "\\u202eb\\u200bc\\u001b[2J"\r\n\t- d\\u000de\n```\n',
  );
});

test('whichever sign of Unicode nobody sees, a block shows its number, and a line and a title leave it out', () => {
  const all = Array.from({ length: 0x110000 }, (_, number) => number).filter(
    (number) => number < 0xd800 || number > 0xdfff,
  );
  const unseen = all
    .map((number) => String.fromCodePoint(number))
    .filter((sign) => /[^ \n\t\P{Z}]|[^\n\t\P{Cc}]|\p{Cf}|\p{Default_Ignorable_Code_Point}|\u2800/u.test(sign));
  expect(unseen.length).toBeGreaterThan(4000);
  const blocks = block(unseen.map((sign) => `a${sign}b`).join('\n'), '', 1_000_000);
  expect(unseen.filter((sign) => blocks.includes(sign))).toEqual([]);
  expect(block('--model=a\u00adb\u{e0041}\u3164', '', 99)).toContain('--model=a\\u00adb\\u{e0041}\\u3164');
  const left = unseen.filter((sign) => !/\p{Zs}/u.test(sign));
  expect(left.filter((sign) => code(`a${sign}b`).includes(sign) || plain(`a${sign}b`, 9).includes(sign))).toEqual([]);
});

test('a block is closed by its own fence alone, and a long one says that it is cut', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 60 }), (value, most) => {
      const lines = block(value, 'diff', most).trimEnd().split('\n');
      const fence = /^`+/.exec(lines[0] ?? '')?.[0] ?? '';
      expect(fence.length).toBeGreaterThanOrEqual(3);
      expect(lines.slice(1).findIndex((line) => line.startsWith(fence))).toBe(lines.length - 2);
    }),
  );
  expect(block('a\nb\n', 'diff', 3)).toBe('```diff\na\n… and more\n```\n');
});

test('a title mentions nobody, and no issue', () => {
  expect(plain('v1 closes GH-7, https://github.com/a/b/issues/7', 60)).not.toMatch(/GH-\d|\/issues\/\d/);
  fc.assert(
    fc.property(text, (value) => {
      const shown = plain(value, 20);
      expect(shown.replaceAll('\u200b', '').length).toBeLessThanOrEqual(20);
      expect(shown).not.toMatch(/@\w|#\d|`|\n/);
    }),
  );
});

const STEPPED = world({
  text: 'B',
  rules: { promotion: 'pullRequest' },
  marks: 'B.2 1/3 floor=3',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  record: { doneAgo: 30 },
});

function proposedWith(image: string, diff: string, said = 'use v0.10.1'): Proposed {
  const snapshot = STEPPED;
  const { commit } = plan(snapshot);
  const approval =
    commit === undefined ? undefined : approvalFor(snapshot, { commit, digest: '5be07c115be07c115be07c115be07c11' });
  if (commit === undefined || approval === undefined || snapshot.workload === undefined) throw new Error('no commit');
  const { workload } = snapshot.workload;
  const content = { ...workload.content, leaderWorkerTemplate: { spec: { containers: [{ image }] } } };
  const file = { ...snapshot.workload, workload: { ...workload, content } };
  const brought = [{ oid: 'c'.repeat(40), subject: said, author: said }];
  const links = [{ label: 'dashboard', url: 'https://grafana.example/d/llm?var-name=vllm' }];
  const shown = { ...snapshot, workload: file };
  return {
    snapshot: shown,
    commit,
    approval,
    form: 'GateNotRequired' as const,
    diff,
    stages: '',
    isForeign: false,
    picture: '',
    measured: undefined,
    brought,
    earlier: [11],
    links,
  };
}

test('what it says', () => {
  const of = proposedWith('vllm/vllm-openai:v0.10.1', '-      partition: 3\n+      partition: 2\n');
  expect(titleOf(of)).toBe('llm/vllm 2/3: 1 → 2 of 4 groups on v0.10.1 (default)');
  const body = bodyOf(of);
  expect(body).toContain('Merging this approves ` step 2/3 ` of release ` bbbbbbbb.2 `');
  expect(body).toContain('\n| workload | ` llm/vllm ` |\n| --- | --- |\n| image | ` vllm/vllm-openai:v0.10.1 ` |\n');
  expect(body).toContain(`| change | ${'c'.repeat(40)} \` use v0.10.1 \` by`);
  expect(body).toContain('| steps before | #11 |');
  expect(body).toContain('[dashboard](https://grafana.example/d/llm?var-name=vllm)');
  expect(body).toContain('+ leaderWorkerTemplate.spec.containers[0].image: "vllm/vllm-openai:v0.10.1"');
  expect(body).toContain('+      partition: 2');
  expect(body).toContain('` tranche abort vllm `');
  expect(body).toContain('` 1@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2#3#5be07c115be07c115be07c115be07c11 `');
});

test('whatever an image is called and however long the diff: within the limit, and nothing of it outside of code', () => {
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 90_000 }), (image, said, length) => {
      const of = proposedWith(`x:${image}`, `+${'y`@ada '.repeat(length / 7)}\n`, said);
      const body = bodyOf(of);
      expect(body.length).toBeLessThanOrEqual(60_000);
      const rows = body.split('\n').filter((line) => line.startsWith('| image'));
      expect(rows).toHaveLength(1);
      expect(outsideCode(rows[0] ?? '')).toBe('| image |  |');
      const change = body.split('\n').filter((line) => line.startsWith('| change'));
      expect(change.map(outsideCode)).toEqual([expect.stringMatching(/^\| change \| c{40} (–)? by (–)? ?\|$/)]);
      expect(titleOf(of)).not.toMatch(/@\w|\n/);
    }),
    { numRuns: 30 },
  );
});

test('a release is told by the fields that it changes, and an argument more changes none of the others', () => {
  const spec = (image: string, args: readonly string[]): JsonObject => ({
    template: { containers: [{ name: 'vllm', image, args: [...args], env: [{ name: 'A', value: '1' }] }] },
  });
  const before = spec('vllm:1', ['--model=x', '--tp=8']);
  expect(releaseChanges(before, before, 9)).toEqual([]);
  expect(releaseChanges(before, spec('vllm:2', ['--fast', '--model=x', '--tp=8']), 9)).toEqual([
    '- template.containers[vllm].image: "vllm:1"',
    '+ template.containers[vllm].image: "vllm:2"',
    '+ template.containers[vllm].args[]: "--fast"',
  ]);
  expect(releaseChanges(spec('vllm:1', ['a', 'a']), spec('vllm:1', ['a']), 9)).toEqual([
    '- template.containers[vllm].args[]: "a"',
  ]);
  expect(releaseChanges({}, { a: 1, b: [2, 3], c: null }, 2)).toEqual(['+ a: 1', '+ b[]: 2', '… and 2 more']);
  // A key with a line end makes up no line of its own, which who approves would take for another field.
  expect(releaseChanges({}, { 'a\n- image: "good"': 1 }, 9)).toEqual(['+ a\\n- image: "good": 1']);
});

const GPU = { name: 'vllm', resources: { limits: { 'nvidia.com/gpu': 8 } } };

const WAITS = { reason: 'Soaking', message: 'The soak of the step lasts until x', until: NOW + 250 };

test('a check run shows each gate that is shut on a line, what restarted, and what is left; only that ticks', () => {
  const { record } = plan(STEPPED);
  const step = record.step === undefined ? undefined : { ...record.step, restarts: [{ index: 3, uid: 'u', count: 2 }] };
  const of = { record: { ...record, step, loads: [40, 60] }, shut: [WAITS, { reason: 'Paused', message: 'Paused.' }] };
  const [now, later] = [checkText({ ...of, now: NOW }), checkText({ ...of, now: NOW + 10 })];
  expect(now.title).toBe('4 of 4 groups ready, 1 on the release; not now: Soaking, Paused');
  expect(now.summary).toContain('| restarts | ` group 3: 2 ` |\n| loaded in | ` 40 s, 60 s ` |\n| as of | ` 2025-');
  expect(now.summary).toContain(
    '\n- ` Soaking `: ` The soak of the step lasts until x `, 4 min left\n- ` Paused `: ` Paused. `\n',
  );
  expect([now.ticks, now.lasting === later.lasting, now.summary === later.summary]).toEqual([true, true, false]);
  expect(checkText({ ...of, shut: [], now: NOW })).toMatchObject({
    ticks: false,
    summary: expect.stringContaining('\n- every gate but yours is open\n'),
  });
  expect(checkText({ ...of, record: { ...record, unseen: { why: 'unread', since: NOW } }, now: NOW }).title).toMatch(
    /^groups not read;/,
  );
});

test('nothing that others have written is outside of code in a check run, and it fits', () => {
  const { record } = plan(STEPPED);
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 400 }), (said, length) => {
      const held = { reason: 'Paused', message: said, lines: [said] };
      const { title, summary } = checkText({ record, shut: Array.from({ length }, () => held), now: NOW });
      expect(summary.length).toBeLessThanOrEqual(65_535);
      expect(title).not.toMatch(/@\w|`/);
      const lines = summary.split('\n').filter((line) => /^ *- `/.test(line));
      for (const line of lines) expect(outsideCode(line).trim()).toMatch(/^-(:| *: –| *–)?\s*:?$/);
    }),
  );
});

const measuredAs = (name: string, line = '▁▃▁'): MeasuredStep => ({
  of: name,
  metrics: [
    {
      name,
      answer: 'passed',
      canary: { n: 4180, x: 12 },
      stable: { n: 29_310, x: 71 },
      until: NOW,
      ruledOut: '1.56',
      line,
    },
  ],
});

test('what metrics said is a line each in the body and in the check run; counts that grow make neither another one', () => {
  const of = { ...proposedWith('vllm:1', 'diff'), measured: measuredAs('chat/vllm/errors') };
  const row =
    /\n\| ` chat\/vllm\/errors ` \| passed \| 12 of 4180 \(0\.29 %\) \| 71 of 29310 \(0\.24 %\) \| ` ▁▃▁ ` \| ` ×1\.56 or more ` \| 20/;
  expect(bodyOf(of)).toMatch(row);
  expect(lastingText(of, NOW)).toBe(lastingText({ ...of, measured: undefined }, NOW));
  const { record } = plan(STEPPED);
  const check = checkText({ record: { ...record, measured: of.measured }, shut: [], now: NOW });
  expect(check.summary).toMatch(row);
  expect(check.ticks).toBe(true);
  expect(check.lasting).toBe(checkText({ record, shut: [], now: NOW }).lasting);
});

test('a pull request, and its check run, say of each metric what they were looked at to say', async () => {
  const [passed] = measuredAs('chat/vllm/errors').metrics;
  const more = [
    { ...passed!, name: 'chat/vllm/ttft', answer: 'waiting', ruledOut: undefined, line: '▁' },
    { ...passed!, name: 'chat/vllm/length', answer: 'failed', canary: { n: 4180, x: 250 }, ruledOut: undefined },
    {
      ...passed!,
      name: 'other/refusals',
      answer: 'inconclusive',
      stable: { n: 0, x: 0 },
      ruledOut: undefined,
      line: undefined,
    },
  ] as const;
  const measured = { of: '2/3', metrics: [passed!, ...more] };
  const { record } = plan(STEPPED);
  const { title, summary } = checkText({ record: { ...record, measured }, shut: [], now: NOW });
  const body = bodyOf({ ...proposedWith('vllm:1', 'diff'), measured });
  await expect(`${body}\n\n--- check run: ${title}\n\n${summary}\n`).toMatchFileSnapshot(
    new URL('../../../fixtures/analysis/pull-request.md', import.meta.url).pathname,
  );
});

test('a name of a metric, or a line that somebody else has written, is nothing but code', () => {
  const { record } = plan(STEPPED);
  fc.assert(
    fc.property(text, text, (name, line) => {
      const measured = measuredAs(`m${name}`, `l${line}`);
      const body = bodyOf({ ...proposedWith('vllm:1', 'diff'), measured });
      const { summary } = checkText({ record: { ...record, measured }, shut: [], now: NOW });
      for (const shown of [body, summary]) {
        const rows = shown.split('\n').filter((each) => each.includes('4180'));
        expect(rows.map(outsideCode)).toEqual([
          expect.stringMatching(/^\| {2}\| passed \| 12 of 4180 \S+ %\) \| 71 of \S+ \S+ %\) \| {2}\| {2}\| 20\S+ \|$/),
        ]);
      }
    }),
    { numRuns: 30 },
  );
});

test('what a step and waiting for it cost is told in GPUs', () => {
  const pod = { spec: { containers: [GPU] } };
  const of = proposedWith('vllm:2', '');
  const { snapshot } = of;
  if (snapshot.workload === undefined) throw new Error('no workload');
  const { workload } = snapshot.workload;
  const content = { leaderWorkerTemplate: { workerTemplate: pod } };
  const restore = { floor: undefined, maxUnavailable: undefined, replicas: { was: 4, set: 5 } };
  const marks = workload.marks === undefined ? undefined : { ...workload.marks, restore };
  const file = { ...snapshot.workload, workload: { ...workload, replicas: 5, size: 2, content, marks } };
  const rows = releaseTable({ ...of, snapshot: { ...snapshot, workload: file } });
  expect(rows).toContain('| GPUs | 80 in all, 16 a group; 16 of them restart with this step |');
  expect(rows).toContain('| more GPUs while this waits | 16 GPUs of 1 extra group |');
});

test('what the groups next to the primary have shown counts, and what they hold: of two versions of one workload nothing', () => {
  const of = proposedWith('vllm:2', '');
  const { record, rollout, workload } = of.snapshot;
  const content = { leaderWorkerTemplate: { workerTemplate: { spec: { containers: [GPU] } } } };
  const sides = [
    { side: 'stable', name: 'vllm', groups: 4, ready: 4, serving: 4 },
    { side: 'canary', name: 'vllm-canary', groups: 2, ready: 2, serving: 2 },
  ] as const;
  const rowsOf = (style: 'canary' | 'partition', ready: number | undefined): string => {
    if (record === undefined || rollout?.rollout === undefined || workload === undefined) throw new Error('no record');
    const shown = { rungs: [], sides: sides.map((side) => ({ ...side, ready })) };
    const snapshot = {
      ...of.snapshot,
      rollout: { ...rollout, rollout: { ...rollout.rollout, style } },
      workload: { ...workload, workload: { ...workload.workload, size: 2, content } },
      record: { ...record, loads: [600, 660, 720], traffic: { shown } },
    };
    return releaseTable({ ...of, snapshot });
  };
  expect(rowsOf('canary', 2)).toContain('| so far | ` 2 groups ready on the release;');
  expect(rowsOf('canary', undefined)).toContain('| so far | ` its groups were not read;');
  expect(rowsOf('canary', 2)).toContain('| more GPUs while this waits | 32 GPUs of 2 extra groups |');
  expect(rowsOf('canary', 2)).toContain(
    '| more GPUs at most | 64 GPUs of 4 extra groups; the last groups took 11 min to load |',
  );
  expect(rowsOf('partition', 2)).toContain('| more GPUs while this waits | none |');
  expect(rowsOf('partition', 2)).not.toContain('| more GPUs at most |');
});

test('where no commit of ours comes through, it offers none', () => {
  const body = bodyOf({ ...proposedWith('vllm:1', 'diff'), form: 'WithoutPush' });
  expect(body).toMatch(/^> \[!CAUTION\]\n> tranche cannot push to this branch/);
  expect(body).not.toMatch(/tranche (approve|abort)|it is put back/);
  expect(body).toContain('- To roll back: put the earlier template back into the file');
});

test('the pull request that takes a workload over warns of edits before it is merged, and no other does', () => {
  const step = proposedWith('vllm:1', 'diff');
  const adoption = { ...step, commit: { ...step.commit, reason: 'Adopted' as const } };
  expect(bodyOf(adoption)).toContain('an edit of the template restarts all groups at once');
  expect(bodyOf(adoption)).toContain('Merging this lets tranche adopt the workload. Nothing restarts.');
  expect(bodyOf(adoption)).toContain('` tranche eject vllm `');
  expect(bodyOf(adoption)).not.toContain('tranche abort');
  expect(bodyOf(step)).not.toContain('WARNING');
  expect(bodyOf(step)).toMatch(/\| so far \| ` .*all of step 1 for 30 s; 0 restarts ` \|/);
});

test('worth writing again: a restart, a policy, a branch that others have pushed to; never the hour', () => {
  const of = proposedWith('vllm:1', 'diff');
  const { snapshot } = of;
  const { record, now } = snapshot;
  if (record?.step === undefined) throw new Error('no record');
  const lasting = (seen: Partial<Snapshot>, more: Partial<Proposed> = {}) =>
    lastingText({ ...of, ...more, snapshot: { ...snapshot, ...seen } }, now);
  expect(lasting({ now: now + 3600 })).toBe(lasting({}));
  expect(lasting({}, { diff: 'the commit of main that the text goes back to', stages: 'played', brought: [] })).toBe(
    lasting({}),
  );
  const restarts = [{ index: 3, uid: 'new', count: 1 }];
  const others: readonly string[] = [
    lasting({ record: { ...record, step: { ...record.step, restarts } } }),
    lasting({ policy: { ...snapshot.policy, approvals: [{ people: 1, bots: [], notAuthor: false }] } }),
    lasting({}, { isForeign: true }),
    lasting({}, { links: [] }),
    lasting({}, { picture: '../blob/tranche-status/timelines/default/llm/vllm.svg?raw=true' }),
    lasting({}, { form: 'NotUpToDate' }),
  ];
  expect(new Set([lasting({}), ...others]).size).toBe(7);
});
