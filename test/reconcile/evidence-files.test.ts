/** What metrics counted, as files and a picture on the status branch: which are there, how large, and that nothing in them acts. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Evidence, MetricShown } from '../../src/reconcile/status/evidence.ts';
import { evidenceFiles } from '../../src/reconcile/status/evidence-files.ts';
import { evidenceText } from '../../src/reconcile/status/evidence-text.ts';
import type { Part } from '../../src/rollout/analysis/parts.ts';
import { started, until } from '../support/measured.ts';

const KEY = 'default/llm/vllm';
const FOLDER = `analysis/${KEY}`;
const COUNTS = { canary: { n: 4180, x: 12 }, stable: { n: 29_310, x: 71 } };
const metric = (name: string, parts: readonly Part[] = [[300, 1, 100, 2, 200]]): MetricShown => ({
  name,
  kind: 'passed',
  ...COUNTS,
  parts,
});
const evidence = (step: string, metrics = [metric('chat/errors')], serial = 7): Evidence => ({
  release: { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial },
  step,
  metrics,
});

/** As an earlier pass has written the file of this name; of any other name something of others. */
function textOf(name: string): string {
  const [, serial, place = ''] = /^(\d+)-(.+)\.json$/.exec(name) ?? [];
  if (serial === undefined) return 'as it was';
  const [, index, rung] = /^(\d+)-?(.*)$/.exec(place) ?? [];
  const step = index === undefined ? place : `${Number(index)}/20 ${rung}`.trimEnd();
  return evidenceText(KEY, evidence(step.replaceAll('-', ' '), undefined, Number(serial)));
}

const filesAfter = (of: Evidence | undefined, ...before: readonly string[]) =>
  evidenceFiles([KEY], new Map(of === undefined ? [] : [[KEY, of]]), {
    cluster: 'default',
    texts: new Map(before.map((name) => [`${FOLDER}/${name}`, textOf(name)])),
  });
const namesOf = (files: ReadonlyMap<string, string>) =>
  [...files.keys()].map((path) => path.slice(FOLDER.length + 1)).sort();

describe('the files of a Rollout', () => {
  test.each<readonly [what: string, of: Evidence | undefined, before: readonly string[], after: readonly string[]]>([
    ['of the first step', evidence('1/3'), [], ['7-001.json', 'newest.svg']],
    ['with its rung', evidence('2/3 traffic'), ['7-001.json'], ['7-001.json', '7-002-traffic.json', 'newest.svg']],
    ['of a promotion', evidence('promote primary'), [], ['7-promote-primary.json', 'newest.svg']],
    ['nothing was asked: they stay', undefined, ['7-001.json', 'newest.svg'], ['7-001.json', 'newest.svg']],
    [
      'five are kept, by release and step',
      evidence('1/3', undefined, 10),
      ['9-001.json', '9-002.json', '9-010.json', '9-promote.json', '8-001.json', '10-001.json'],
      ['10-001.json', '9-001.json', '9-002.json', '9-010.json', '9-promote.json', 'newest.svg'],
    ],
    [
      'names that somebody else has chosen take no place of the one that is written',
      evidence('1/3'),
      ['999-001.json', '999-002.json', '999-003.json', '999-004.json', '999-005.json', 'x.json', 'a-b.json'],
      ['7-001.json', '999-002.json', '999-003.json', '999-004.json', '999-005.json', 'newest.svg'],
    ],
  ])('%s', (_, of, before, after) => {
    expect(namesOf(filesAfter(of, ...before))).toEqual(after);
  });

  test.each<readonly [what: string, name: string, text: string]>([
    ['no JSON', '7-002.json', '{'],
    ['a field more', '7-002.json', evidenceText(KEY, evidence('2/20')).replace('{', '{\n"more": 1,')],
    ['of another step', '7-003.json', evidenceText(KEY, evidence('2/20'))],
    ['of another Rollout', '7-002.json', evidenceText('default/llm/other', evidence('2/20'))],
    ['counts that are none', '7-002.json', evidenceText(KEY, evidence('2/20')).replace('4180', '"4180"')],
    ['other line ends', '7-002.json', evidenceText(KEY, evidence('2/20')).replaceAll('\n', '\r\n')],
  ])('what tranche has not written goes: %s', (_, name, text) => {
    const texts = new Map([
      [`${FOLDER}/7-001.json`, textOf('7-001.json')],
      [`${FOLDER}/${name}`, text],
    ]);
    expect(namesOf(evidenceFiles([KEY], new Map(), { cluster: 'default', texts }))).toEqual([
      '7-001.json',
      'newest.svg',
    ]);
  });

  test('a picture is drawn of the newest counts, whatever stands there', () => {
    const wanted = filesAfter(undefined, '7-001.json', '7-002.json').get(`${FOLDER}/newest.svg`);
    const texts = new Map(['7-001.json', '7-002.json'].map((name) => [`${FOLDER}/${name}`, textOf(name)]));
    texts.set(`${FOLDER}/newest.svg`, '<svg><script>alert(1)</script></svg>');
    expect(evidenceFiles([KEY], new Map(), { cluster: 'default', texts }).get(`${FOLDER}/newest.svg`)).toBe(wanted);
    expect(wanted).toContain('2/20');
  });

  test('those of others are not looked at', () => {
    const before = new Map([[`analysis/other/llm/vllm/7-001.json`, 'theirs']]);
    expect([...evidenceFiles([KEY], new Map(), { cluster: 'default', texts: before })]).toEqual([]);
  });

  test('what another cluster on the branch has drawn stays, whether a key signs for it or not', () => {
    const texts = new Map([
      [`${FOLDER}/7-001.json`, textOf('7-001.json')],
      [`${FOLDER}/newest.svg`, 'as they draw it'],
    ]);
    expect(evidenceFiles([KEY], new Map(), { cluster: 'other', texts })).toEqual(texts);
  });

  test('are 64 KiB at most, and lose no count', () => {
    const parts = Array.from(
      { length: 96 },
      (_, at): Part => [1_764_000_000 + at * 300, 12_345, 12_345_678, 23_456, 98_765_432],
    );
    const metrics = Array.from({ length: 30 }, (_, at) => metric(`chat/${'m'.repeat(60)}${at}`, parts));
    const files = filesAfter(evidence('1/3', metrics));
    for (const text of files.values()) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
    const { metrics: read }: { metrics: { parts: number[][] }[] } = JSON.parse(files.get(`${FOLDER}/7-001.json`) ?? '');
    expect(read).toHaveLength(30);
    for (const one of read) expect(one.parts.reduce((sum, [, bad = 0]) => sum + bad, 0)).toBe(96 * 12_345);
  });

  test('whatever a metric is called: a picture without a tag of its own, and a file that is JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (name) => {
        const files = filesAfter(evidence('1/3', [metric(`<script href="x">&'${name}`)]));
        const picture = files.get(`${FOLDER}/newest.svg`) ?? '';
        expect(new Set([...picture.matchAll(/<\/?([a-z]+)/g)].map(([, tag]) => tag))).toEqual(
          new Set(['svg', 'rect', 'g', 'text', 'path']),
        );
        expect(picture).not.toMatch(/[^\x20-\x7e\n–→×]/u);
        expect(picture).not.toMatch(/<[^>]*href/);
        expect(JSON.parse(files.get(`${FOLDER}/7-001.json`) ?? '').metrics[0].name).toBe(`<script href="x">&'${name}`);
      }),
      { numRuns: 40 },
    );
  });
});

test('each step leaves its counts on the status branch, with a picture on the page; at rest nothing is written again', async () => {
  const of = await started();
  const files = () => of.world.repository.files('tranche-status');
  const own = () => Object.keys(files()).filter((path) => path.startsWith('analysis/'));
  expect(own()).toEqual([]);
  await until(of, /^step 2\//);
  expect(own()).toEqual([`${FOLDER}/2-001.json`, `${FOLDER}/newest.svg`]);
  const first = files()[`${FOLDER}/2-001.json`] ?? '';
  const said = JSON.parse(first);
  expect(said).toMatchObject({ rollout: KEY, step: '1/3', metrics: [{ name: 'chat/vllm/errors', answer: 'passed' }] });
  const [, bad, all] = said.metrics[0].parts[0];
  expect([bad, all]).toEqual([30, 3000]);
  // What somebody else puts there goes with the next write; what another cluster has stays.
  const writes = ['default/llm/gone/1-001.json', 'other/llm/vllm/1-001.json'].map((path) => ({
    path: `analysis/${path}`,
    text: '{}',
  }));
  of.world.repository.commit('tranche-status', { writes, message: 'mine' });
  await until(of, /Analysing|^step 3\//, 4);
  expect(files()['README.md']).toContain(`![share of bad requests over time](${FOLDER}/newest.svg)`);
  await until(of, /^settled/);
  expect(own()).toEqual(
    ['1', '2', '3']
      .map((step) => `${FOLDER}/2-00${step}.json`)
      .concat(`${FOLDER}/newest.svg`, 'analysis/other/llm/vllm/1-001.json'),
  );
  expect(files()[`${FOLDER}/2-001.json`]).toBe(first);
  of.world.sync();
  await of.pass();
  const head = of.world.repository.head('tranche-status');
  await of.pass();
  expect(of.world.repository.head('tranche-status')).toBe(head);
});

describe.each([
  ['no key signs', false],
  ['a key signs', true],
] as const)('%s', (_, signed) => {
  test('a picture that somebody has pushed is drawn again by the next pass, and counts that no key has signed go', async () => {
    const of = await started('', { signed });
    const { repository } = of.world;
    const files = () => repository.files('tranche-status');
    await until(of, /^settled/);
    of.world.sync();
    await of.pass();
    await of.pass();
    const before = files();
    const forged = (before[`${FOLDER}/2-001.json`] ?? '').replace(/"n":\d+/, '"n":7');
    const writes = [
      { path: `${FOLDER}/newest.svg`, text: '<svg><script>alert(1)</script></svg>' },
      { path: `${FOLDER}/2-001.json`, text: forged },
      { path: `${FOLDER}/9-001.json`, text: '{"mine": 1}' },
    ];
    repository.commit('tranche-status', { writes, message: 'mine' });
    await of.pass();
    const after = files();
    expect(after[`${FOLDER}/newest.svg`]).toBe(before[`${FOLDER}/newest.svg`]);
    expect(after[`${FOLDER}/newest.svg`]?.includes('No key signs these counts')).toBe(!signed);
    expect(after[`${FOLDER}/9-001.json`]).toBeUndefined();
    expect(after[`${FOLDER}/2-001.json`]).toBe(signed ? undefined : forged);
    const head = repository.head('tranche-status');
    await of.pass();
    expect(repository.head('tranche-status')).toBe(head);
  });
});
