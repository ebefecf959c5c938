/** `tranche simulate`: golden tables, the published stages, refusals, and recorded traces state for state. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { alignedTable, widthOf } from '../../src/commands/simulate/aligned.ts';
import { trace } from '../simulator/trace-files.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const GOLDEN = join(FIXTURES, 'simulate');
const TRACES = join(FIXTURES, 'lws-traces');

const MANIFEST = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: vllm
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 1
    workerTemplate:
      spec:
        containers:
          - name: worker
            image: vllm/vllm-openai:v0.10.0
`;

const files = {
  'one.yaml': MANIFEST,
  'two.yaml': `${MANIFEST}---\n${MANIFEST.replace('name: vllm', 'name: other')}`,
  'none.yaml': 'apiVersion: v1\nkind: Service\nmetadata:\n  name: vllm\n',
  'broken.yaml': `${MANIFEST}  replicas: [1\n`,
  'refused.yaml': MANIFEST.replace('    size: 1', '    size: 2\n    subGroupPolicy:\n      subGroupSize: 7'),
  'leader-ready.yaml': MANIFEST.replace('size: 1', 'size: 3').replace(
    'spec:\n',
    'spec:\n  startupPolicy: LeaderReady\n',
  ),
  'event.json': '{"initial":{"replicas":1},"events":[{"type":"dance"}]}',
  'initial.json': '{"initial":3,"events":[]}',
  'no-events.json': '{"initial":{"replicas":1}}',
  'bare.json': '{"events":[{"type":"create"},{"type":"patch","replicas":2000000,"colour":"red"},{"type":"readyAll"}]}',
  'syntax.json': '{"initial":\n]',
  'list.json': '[]',
  'no-event.json': '{"events":[{"type":"create"},"readyAll"]}',
  'number.json': '{"lws":0.8,"events":[]}',
  'gate.json': '{"maxUnavailableGate":"On","events":[]}',
  'deep.json': `{"events":${'['.repeat(99)}${']'.repeat(99)}}`,
  'large.json': '{"initial":{"replicas":1},"events":[{"type":"scale","replicas":100000}]}',
};

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-simulate-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});

afterAll(() => rmSync(folder, { recursive: true }));

async function run(line: string, from = folder): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await runProgram(['simulate', ...line.split(' ').filter((word) => word !== '')], {
    env: {},
    folder: from,
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, out, err };
}

const NEW = '--set image=vllm/vllm-openai:v0.10.1';
const PAGE_ORDER = '--ready-order 4,5,3,1';

test.each([
  ['page-0.8-on.txt', `lws.yaml ${NEW} ${PAGE_ORDER} --lws 0.8 --gate on`],
  ['page-0.8-off.txt', `lws.yaml ${NEW} ${PAGE_ORDER} --lws 0.8 --gate off`],
  ['page-0.10-on.txt', `lws.yaml ${NEW} ${PAGE_ORDER} --lws 0.10 --gate on`],
  ['page-0.10-off.txt', `lws.yaml ${NEW} ${PAGE_ORDER} --lws 0.10 --gate off`],
  ['page-0.8-on.md', `lws.yaml ${NEW} ${PAGE_ORDER} --lws v0.8.0 --gate on --output markdown`],
  ['page-0.10-on.md', `lws.yaml ${NEW} ${PAGE_ORDER} --lws 0.9.1 --gate on --output markdown`],
  ['partition-3.txt', `lws.yaml ${NEW} --partition 3 --max-surge 2`],
  ['partition-3.json', `lws.yaml ${NEW} --partition 3 --max-surge 2 --output json`],
  ['locked.txt', `lws.yaml ${NEW} --partition 1000000 --max-surge 0`],
  ['percent-and-replicas.md', `lws.yaml --set worker.image=x --replicas 6 --max-unavailable 50% --output markdown`],
  ['nothing-moves.txt', 'lws.yaml --set image=vllm/vllm-openai:v0.10.0'],
  ['scenario.txt', '--scenario ../lws-traces/0.10-on/20-gated-surge.json'],
  ['claims.txt', '--scenario claims.json'],
  ['fails.txt', 'lws.yaml --max-surge 1 --max-unavailable 0 --lws 0.8 --gate on'],
])('%s', async (golden, line) => {
  const { code, out, err } = await run(line, GOLDEN);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  await expect(out).toMatchFileSnapshot(join(GOLDEN, golden));
});

/** The table of the LWS page, stage by stage. */
const PAGE = [
  '0/4 ●●●●',
  '4/6 ○○○○~~',
  '2/6 ○○~~~~',
  '2/6 ○○~~●~',
  '0/6 ~~~~●●',
  '0/6 ~~~●●●',
  '0/5 ~●~●●',
  '0/4 ●~●●',
  '0/4 ●●●●',
];

test.each([
  // LWS → stages of the page that the model does not go through; fixtures/simulate/README.md says why
  ['0.8', [3, 4, 5, 6, 8]],
  ['0.10', [7, 8]],
])('of the nine published stages LWS %s with the gate on differs in %j', async (lws, wanted) => {
  const { out } = await run(`lws.yaml ${NEW} ${PAGE_ORDER} --lws ${lws} --gate on --output markdown`, GOLDEN);
  const stages = out.split('\n').flatMap((line) => {
    const [, name, partition, replicas, ...cells] = line.split('|').map((cell) => cell.trim());
    return name?.startsWith('Stage') === true ? [`${partition}/${replicas} ${cells.slice(0, -2).join('')}`] : [];
  });
  // In the same order, the page's stages that are there.
  const met = PAGE.filter((stage) => stages.includes(stage));
  expect(stages.filter((stage, at) => met.includes(stage) && stages.indexOf(stage) === at)).toEqual([...new Set(met)]);
  expect(PAGE.flatMap((stage, at) => (stages.includes(stage) ? [] : [at + 1]))).toEqual(wanted);
});

test('a group whose workers wait for the leader becomes ready in the end', async () => {
  const { code, out } = await run('leader-ready.yaml --set image=x --output json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ outcome: 'completed', namespace: '', name: 'vllm' });
});

test('one of several LeaderWorkerSets is chosen by name', async () => {
  const { out } = await run('two.yaml --name other --set worker.image=x --output json');
  expect(JSON.parse(out)).toMatchObject({ name: 'other', outcome: 'completed' });
});

test.each([
  // call, exit code, what the error starts with
  ['', 2, 'name the file of the LeaderWorkerSet, or a --scenario'],
  ['one.yaml', 2, 'no change is named'],
  ['gone.yaml --partition 1', 2, 'gone.yaml cannot be read: ENOENT'],
  ['none.yaml --partition 1', 2, 'none.yaml:1: no LeaderWorkerSet in this file (WorkloadMissing)'],
  ['two.yaml --partition 1', 2, 'two.yaml:15: 2 LeaderWorkerSets: vllm (line 1), other (line 15) (SeveralWorkloads)'],
  ['two.yaml --partition 1 --name x', 2, 'two.yaml:1: no LeaderWorkerSet x, but vllm, other'],
  ['broken.yaml --partition 1', 2, 'broken.yaml:'],
  ['one.yaml --set color=red', 2, '--set color: unknown setting, wanted one of image, leader.image, worker.image'],
  ['one.yaml --set constructor=red', 2, '--set constructor: unknown setting'],
  ['one.yaml --set image', 2, '--set image: no image, wanted image=<image>'],
  ['one.yaml --set leader.image=x', 2, 'one.yaml:7: no containers in spec.leaderWorkerTemplate.leaderTemplate'],
  ['one.yaml --partition -1', 2, '--partition is -1, wanted a whole number'],
  ['one.yaml --max-surge 1.5', 2, '--max-surge is 1.5, wanted a whole number or a percentage'],
  ['one.yaml --partition 1 --lws 0.5', 2, '--lws is 0.5, wanted 0.6, 0.8'],
  ['one.yaml --partition 1 --gate maybe', 2, '--gate is maybe, wanted on, off or on-1.37'],
  ['one.yaml --partition 1 --output yaml', 2, '--output is yaml, wanted text, markdown or json'],
  ['one.yaml --partition 1 --ready-order top', 2, '--ready-order is top, wanted ordinals'],
  ['one.yaml --replicas 100000', 2, 'one.yaml:6: 100000 groups of 1 pods, the limits'],
  ['one.yaml --max-unavailable 0', 1, 'one.yaml:5: the API server would refuse this change of LeaderWorkerSet vllm'],
  ['refused.yaml --partition 1', 1, 'refused.yaml:10: the API server would refuse LeaderWorkerSet vllm as it stands'],
  ['one.yaml --scenario event.json --partition 1', 2, 'a scenario says what happens: leave out one.yaml, --partition'],
  ['--scenario event.json', 2, 'event.json: events[0]: unknown event dance, wanted one of create, readyAll'],
  ['--scenario initial.json', 2, 'initial.json: initial is no object'],
  ['--scenario no-events.json', 2, 'no-events.json: events are missing, wanted a list'],
  ['--scenario syntax.json', 2, 'syntax.json'],
  ['--scenario list.json', 2, 'list.json: no scenario, wanted a JSON object'],
  ['--scenario no-event.json', 2, 'no-event.json: events[1] is no object'],
  ['--scenario number.json', 2, 'number.json: lws is 0.8, wanted "0.6" to "0.10" as text'],
  ['--scenario gate.json', 2, 'gate.json: maxUnavailableGate is "On", wanted on, off or on-1.37'],
  ['--scenario deep.json', 2, 'deep.json: more than 200000 values, or deeper than 64: split the scenario'],
  ['--scenario large.json', 2, 'large.json: 100000 groups of 1 pods, the limits'],
  ['--scenario event.json --output markdown', 2, '--output is markdown, wanted text or json'],
])('%s → %i: %s', async (line, code, begin) => {
  const result = await run(line);
  expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
  expect(result.err.slice(0, begin.length + 7)).toBe(`error: ${begin}`);
});

const sized = (replicas: number, size: number): string =>
  MANIFEST.replace('replicas: 2', `replicas: ${replicas}`).replace('size: 1', `size: ${size}`);
const withoutContainers = MANIFEST.replace(/ {8}containers:[^]*/, '        hostNetwork: true\n');
const CONTAINERS = '        containers:\n          - name: worker\n            image: x\n';

type Try = readonly [text: string, line: string];
test.each<readonly [what: string, wrong: Try, hint: string, right: Try]>([
  [
    'TooManyGroups by the change',
    [sized(2, 1000), '--replicas 999'],
    'Simulate with fewer: --replicas 4.',
    [sized(2, 1000), '--replicas 4'],
  ],
  [
    'TooManyGroups in the file, whatever the change makes of it',
    [sized(300, 1), '--replicas 4'],
    'In a copy of the file, write replicas: 256.',
    [sized(256, 1), '--replicas 4'],
  ],
  [
    'TooManyGroups where one alone has too many pods',
    [sized(0, 5000), '--replicas 1'],
    'In a copy of the file, write a size of at most 4096.',
    [sized(0, 4096), '--replicas 1'],
  ],
  [
    'NoContainers of leaders',
    [MANIFEST, '--set leader.image=x'],
    'Without a leaderTemplate leaders use the workerTemplate: set image or worker.image.',
    [MANIFEST, '--set worker.image=x'],
  ],
  [
    'NoContainers of workers',
    [withoutContainers, '--set worker.image=x'],
    'Add them.',
    [withoutContainers + CONTAINERS, '--set worker.image=y'],
  ],
])('%s: the hint works as it says', async (what, wrong, hint, right) => {
  const tried = async ([text, line]: Try) => {
    writeFileSync(join(folder, 'hinted.yaml'), text);
    return run(`hinted.yaml ${line}`);
  };
  const { code, err } = await tried(wrong);
  expect([code, err.slice(err.indexOf('('))]).toEqual([2, `(${what.split(' ')[0]}). ${hint}\n`]);
  expect(await tried(right)).toMatchObject({ code: 0, err: '' });
});

test('a scenario needs no more than its events: the rest has the defaults of the API server', async () => {
  const { code, out, err } = await run('--scenario bare.json --output json');
  expect(code).toBe(0);
  expect(err).toBe(
    'warning: bare.json: events[1].colour is no key that the model knows (BadScenario). Leave it out, or correct its spelling.\n',
  );
  const { steps } = JSON.parse(out) as { steps: { lws: object; rejected?: object }[] };
  expect(steps[0]!.lws).toMatchObject({ replicas: 1, size: 1, partition: 0, maxSurge: 0, maxUnavailable: 1 });
  expect(steps[1]!.rejected).toMatchObject({ code: 422 });
  expect(steps[2]!.lws).toMatchObject({ readyReplicas: 1, conditions: { Available: 'True' } });
});

const recorded = [
  '0.8-off/04-append-promote.json',
  '0.8-off/26-percent.json',
  '0.8-off/13b-single-U0S1.json',
  '0.8-on/02-inplace-steps.json',
  '0.8-on/19-stage-table.json',
  '0.8-on/31m-broken-second-canary.json',
  '0.10-off/05-revert-kept.json',
  '0.10-off/17-size-change.json',
  '0.10-off/24-partition-removed-apply.json',
  '0.10-on/18-surge-partition-upstream.json',
  '0.10-on/20-gated-surge.json',
  '0.10-on/30d-crash-canary-bound.json',
  '0.10-on/30i-stage-table-bound.json',
  '0.10-on/34i-three-versions-then-abort.json',
  'upgrade-0.8-to-0.10/u4-mid-canary.json',
];

test.each(recorded)('--scenario %s gives the recorded states', async (file) => {
  const { code, out } = await run(`--scenario ${file} --output json`, TRACES);
  expect(code).toBe(0);
  const { steps, ...rest } = trace(file).raw as Record<string, unknown>;
  const { steps: settled, ...head } = JSON.parse(out) as { steps: unknown[] };
  const { kubernetes: _, ...kept } = rest;
  expect(head).toEqual(kept);
  expect(settled).toEqual(trace(file).steps);
  expect(steps).toHaveLength(settled.length);
});

test('what it prints is a scenario again, the full recorded format', async () => {
  const first = await run('--scenario 0.10-on/20-gated-surge.json --output json', TRACES);
  writeFileSync(join(folder, 'again.json'), first.out);
  const again = await run('--scenario again.json --output json');
  expect(again).toEqual(first);
});

test('flags overrule the versions that a scenario names', async () => {
  const file = '30i-stage-table-bound.json';
  const { out } = await run(`--scenario 0.10-on/${file} --output json --lws 0.8 --gate off`, TRACES);
  const printed = JSON.parse(out) as Record<string, unknown>;
  expect(printed).toMatchObject({ lws: '0.8', maxUnavailableGate: 'off' });
  expect(printed['steps']).toEqual(trace(`0.8-off/${file}`).steps);
});

test('emoji count as two', () => {
  expect([widthOf('✅'), widthOf('❎⏳'), widthOf('R-0')]).toEqual([2, 4, 3]);
  const columns = [
    { title: 'a', align: 'right' },
    { title: 'R-0', align: 'left' },
    { title: 'n', align: 'left' },
  ] as const;
  expect(
    alignedTable(columns, [
      ['10', '✅', 'x'],
      ['1', '', ''],
    ]),
  ).toBe(' a  R-0  n\n10  ✅   x\n 1\n');
});
