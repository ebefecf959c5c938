/** What a freshly rendered manifest gets from the branch: all that tranche has written, and nothing of what people have. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/api/json.ts';
import { type Carried, carryOver } from '../../src/reconcile/carry/carry.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';
import { yamlValues } from '../support/yaml-values.ts';

const RENDER = 'out/all.yaml';
const NEWER = 'vllm/vllm-openai:v0.10.2';
/** As a pipeline renders it: no comments, and the sentinel that lint asks for. */
const SOURCE = LWS_TEXT.replace('# The model server of team search.\n', '').replace(
  'partition: 0',
  'partition: 1000000',
);

function carried(before: string, after: string): Extract<Carried, { kind: 'ok' }> {
  const result = carryOver(new Map([[LWS_FILE, before]]), new Map([[RENDER, after]]));
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.issues));
  return result;
}

function valueOf(text: string): JsonObject {
  const [value] = yamlValues(text);
  if (!isJsonObject(value)) throw new Error('no object');
  return value;
}

/** Every text that the workload's file has had on main. */
function versionsOf(world: World): readonly string[] {
  const { repository } = world;
  const texts = repository.log('main').map(({ oid }) => repository.text(oid, LWS_FILE) ?? '');
  return [...new Set(texts)].filter((text) => text.includes('tranche.dev/release'));
}

async function play(world: World, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await world.pass();
    world.sync();
    world.tick(60);
  }
}

/** A delivery to its pause, an abort and its rollback, and a later one with an extra group. */
async function delivered(): Promise<World> {
  const world = new World({ files: { ...VLLM_FILES, 'tranche.yaml': 'paths: [apps, rollouts]\n' } });
  world.sync();
  await play(world, 4);
  world.edit(LWS_FILE, OLD, NEW);
  await play(world, 12);
  const [release = ''] = /(?<=tranche\.dev\/release: ).*/.exec(world.repository.text('main', LWS_FILE) ?? '') ?? [];
  world.edit(
    ROLLOUT_FILE,
    'namespace: llm\n',
    `namespace: llm\n  annotations:\n    tranche.dev/abort: ${release.replaceAll("'", '').replaceAll('"', '')}\n`,
  );
  await play(world, 12);
  return world;
}

test('carried into the same template it is what the branch had, in every commit of a delivery', async () => {
  const world = await delivered();
  const versions = versionsOf(world);
  const steps = versions.map((text) => /tranche\.dev\/step: .([a-z0-9/]+)/.exec(text)?.[1] ?? 'settled');
  expect(new Set(steps)).toEqual(new Set(['settled', '1/3', '2/3', 'rollback']));
  for (const before of versions) {
    const image = /image: (.*)/.exec(before)?.[1] ?? '';
    const { texts } = carried(before, SOURCE.replaceAll(OLD, image));
    const text = texts.get(RENDER) ?? '';
    expect(valueOf(text)).toEqual(valueOf(before));
    expect(carried(before, text).texts).toEqual(new Map());
    expect(carried(before, before.replace('# The model', '# the model')).texts).toEqual(new Map());
  }
});

test('an aborted release that is rendered again leaves the template of the branch; a newer one does not', async () => {
  const world = await delivered();
  const settled = world.repository.text('main', LWS_FILE) ?? '';
  expect(settled).toMatch(/tranche\.dev\/aborted/);
  const again = carried(settled, SOURCE.replaceAll(OLD, NEW));
  expect(valueOf(again.texts.get(RENDER) ?? '')).toEqual(valueOf(settled));
  expect(again.notes).toEqual([
    `${RENDER}: LeaderWorkerSet vllm brings a release that was aborted: the template of the branch stays`,
  ]);
  const newer = carried(settled, SOURCE.replaceAll(OLD, NEWER));
  expect(newer.texts.get(RENDER)).toContain(NEWER);
  expect(valueOf(newer.texts.get(RENDER) ?? '')['metadata']).toEqual(valueOf(settled)['metadata']);
});

const MARKS = `    tranche.dev/release: ${'a'.repeat(32)}.2
    tranche.dev/step: 1/3@${'a'.repeat(32)}.2
    tranche.dev/stable: ${'b'.repeat(40)}@${'b'.repeat(32)}
`;
const marked = (restore: string, more = ''): string =>
  LWS_TEXT.replace(
    'namespace: llm\n',
    `namespace: llm\n  annotations:\n${MARKS}    tranche.dev/restore: '${restore}'\n${more}`,
  );

test.each([
  ['as they were: the delivery has them', 'replicas: 4', 'maxUnavailable: 1 ', 6, 2],
  ['changed by people: theirs', 'replicas: 8', 'maxUnavailable: 3 ', 8, 3],
])('numbers that a delivery has put aside, rendered %s', (_, replicas, budget, groups, unavailable) => {
  const restore = '{"floor":3,"maxUnavailable":{"was":1,"set":2},"replicas":{"was":4,"set":6}}';
  const before = marked(restore)
    .replace('replicas: 4', 'replicas: 6')
    .replace('maxUnavailable: 1 ', 'maxUnavailable: 2 ');
  const { texts } = carried(before, SOURCE.replace('replicas: 4', replicas).replace('maxUnavailable: 1 ', budget));
  expect(valueOf(texts.get(RENDER) ?? '')).toMatchObject({
    spec: {
      replicas: groups,
      rolloutStrategy: { rollingUpdateConfiguration: { maxUnavailable: unavailable, partition: 0 } },
    },
  });
});

test('a render without a partition gets one, and is named', () => {
  const bare = SOURCE.replace(/ {2}rolloutStrategy:[^]*?(?= {2}leaderWorkerTemplate)/, '');
  const { texts, notes } = carried(marked('{"floor":3}').replace('partition: 0', 'partition: 3'), bare);
  expect(texts.get(RENDER)).toContain('partition: 3');
  expect(notes).toEqual([
    `${RENDER}: LeaderWorkerSet vllm is rendered without a partition. Write partition: 1000000 in its source, so that a render that is committed without carry restarts nothing.`,
  ]);
  expect(carried(marked('{"floor":3}'), SOURCE.replace('1000000', '2')).notes).toEqual([
    expect.stringContaining('is rendered with partition 2. Write partition: 1000000'),
  ]);
});

test('a partition that the branch has lost leaves that of the render, and an abort on the workload stays', () => {
  const order = `    tranche.dev/abort: ${'a'.repeat(32)}.2\n`;
  const before = marked('{"floor":3}', order).replace('      partition: 0\n', '');
  const text = carried(before, SOURCE).texts.get(RENDER) ?? '';
  expect(text).toContain('partition: 1000000');
  expect(valueOf(text)['metadata']).toEqual(valueOf(before)['metadata']);
});

const image = (text: string): string => /image: (.*)/.exec(text)?.[1] ?? '';
const partition = (text: string): string => /partition: (\d+)/.exec(text)?.[1] ?? 'none';

test('in every commit of a delivery another template arrives locked, and the template to go back to at the partition there is', async () => {
  const world = await delivered();
  for (const before of versionsOf(world)) {
    expect(partition(carried(before, SOURCE.replaceAll(OLD, NEWER)).texts.get(RENDER) ?? '')).toBe('1000000');
    const back = carried(before, SOURCE).texts.get(RENDER) ?? '';
    expect([image(back), partition(back)]).toEqual([OLD, partition(before)]);
  }
});

test.each(['', '      partition: 3\n'])('another template is locked whatever the branch has lost: %j', (there) => {
  const before = marked('{"floor":3}').replace('      partition: 0\n', there);
  const fresh = LWS_TEXT.replaceAll(OLD, NEW).replace('      partition: 0\n', '');
  expect(partition(carried(before, fresh).texts.get(RENDER) ?? '')).toBe('1000000');
});

test('the label of the version stays with its template, and does not go with another', () => {
  const label = `tranche.dev/version: "${'a'.repeat(32)}.2"`;
  const before = marked('{"floor":3}').replace(/\{app: vllm, role: leader\}/, `{app: vllm, role: leader, ${label}}`);
  expect(carried(before, SOURCE).texts.get(RENDER)).toContain(label);
  expect(carried(before, SOURCE.replaceAll(OLD, NEW)).texts.get(RENDER)).not.toContain(label);
});

test('orders that stand on the Rollout stay there, with a brake', () => {
  const ordered = ROLLOUT_TEXT.replace(
    'namespace: llm\n',
    `namespace: llm\n  annotations:\n    tranche.dev/approve: 2@${'a'.repeat(32)}.2#2\n    tranche.dev/paused: '{"by":"kim"}'\n`,
  ).replace('  strategy:\n', '  strategy:\n    paused: true\n');
  const fresh = ROLLOUT_TEXT.replace('duration: 0', 'duration: 60');
  const result = carryOver(new Map([[ROLLOUT_FILE, ordered]]), new Map([[RENDER, fresh]]));
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.issues));
  const text = result.texts.get(RENDER) ?? '';
  expect(valueOf(text)['metadata']).toEqual(valueOf(ordered)['metadata']);
  expect(text).toContain('duration: 60');
  expect(text).toContain('paused: true');
});

test.each<[string, string, string, string]>([
  ['a workload that is gone', marked('{"floor":3}'), ROLLOUT_TEXT, 'WorkloadMissing'],
  ['one of another name', marked('{"floor":3}'), SOURCE.replace('name: vllm', 'name: vllm-2'), 'WorkloadMissing'],
  ['annotations that cannot be read', marked('{"floor":-1}'), SOURCE, 'BadAnnotation'],
  [
    'a partition that two readers take differently',
    marked('{"floor":3}').replace('partition: 0', "partition: '3'"),
    SOURCE,
    'NotAPlainNumber',
  ],
  ['a second workload', marked('{"floor":3}', '    tranche.dev/rung: pods\n'), SOURCE, 'NotSupportedYet'],
  [
    'annotations of a delivery without their release',
    marked('{"floor":3}').replace(/.*tranche\.dev\/release.*\n/, ''),
    SOURCE,
    'BadAnnotation',
  ],
  ['a render that is no YAML', marked('{"floor":3}'), `${SOURCE}  a: [\n`, 'UnparsableYaml'],
])('refused: %s', (_, before, after, reason) => {
  const result = carryOver(new Map([[LWS_FILE, before]]), new Map([[RENDER, after]]));
  expect(result).toMatchObject({
    kind: 'refused',
    issues: expect.arrayContaining([expect.objectContaining({ reason })]),
  });
});

const PAUSED = ROLLOUT_TEXT.replace(
  'namespace: llm\n',
  `namespace: llm\n  annotations:\n    tranche.dev/paused: '{"by":"kim"}'\n`,
);
test.each<[string, readonly string[], readonly string[]]>([
  [
    'a workload twice on the branch, one released further',
    [marked('{"floor":3}').replace('partition: 0', 'partition: 3'), marked('{"floor":3}')],
    [SOURCE],
  ],
  ['the same, one without annotations', [marked('{"floor":3}'), LWS_TEXT], [SOURCE]],
  ['a workload twice in the render, in two files', [marked('{"floor":3}')], [SOURCE, SOURCE]],
  ['a paused Rollout twice on the branch', [PAUSED, ROLLOUT_TEXT], [ROLLOUT_TEXT]],
  ['a paused Rollout twice in the render', [PAUSED], [ROLLOUT_TEXT, ROLLOUT_TEXT]],
])('refused, whichever of them an agent applies last: %s', (_, before, after) => {
  for (const order of [before, [...before].reverse()]) {
    const filesOf = (texts: readonly string[], of: string) =>
      new Map(texts.map((text, at) => [`${of}/${at}.yaml`, text]));
    const result = carryOver(filesOf(order, 'old'), filesOf(after, 'new'));
    const twice = { reason: 'ObjectTwice', file: expect.stringContaining('1.yaml') };
    expect(result).toMatchObject({ kind: 'refused', issues: expect.arrayContaining([expect.objectContaining(twice)]) });
  }
});

test('refused: a render of a workload that is out of its file to be re-created', () => {
  const note =
    '# tranche: LeaderWorkerSet llm/vllm is deleted here to be re-created; its next commit puts it back in this place\n';
  const result = carryOver(new Map([[LWS_FILE, note]]), new Map([[RENDER, SOURCE]]));
  const issue = { reason: 'NotSupportedYet', file: RENDER, line: 4 };
  expect(result).toMatchObject({ kind: 'refused', issues: [issue] });
});

test('what tranche does not step stays as it is rendered', () => {
  expect(carried(LWS_TEXT, SOURCE).texts).toEqual(new Map());
});

/** Documents as they may be on a branch and in a render, with and without what a delivery has changed. */
const numbers = fc.record({
  image: fc.constantFrom(OLD, NEW, NEWER),
  replicas: fc.constantFrom(4, 6, 8),
  budget: fc.constantFrom(1, 2, 3),
  partition: fc.constantFrom('', '0', '3', '1000000'),
});
type Numbers = typeof numbers extends fc.Arbitrary<infer T> ? T : never;
const written = (text: string, { image: to, replicas, budget, partition: at }: Numbers): string =>
  text
    .replaceAll(OLD, to)
    .replace('replicas: 4', `replicas: ${replicas}`)
    .replace('maxUnavailable: 1', `maxUnavailable: ${budget}`)
    .replace(/      partition: .*\n/, at === '' ? '' : `      partition: ${at}\n`);
const RESTORES = ['{"floor":3}', '{"floor":3,"maxUnavailable":{"was":1,"set":2},"replicas":{"was":4,"set":6}}'];
const OWN = /.*(tranche\.dev\/|annotations:|partition:|maxUnavailable:|replicas:|rolloutStrategy:|rollingUpdate).*\n/gi;

test('carried twice is carried once, nothing but our own fields changes, and no template comes to groups before its step', () => {
  const before = fc.tuple(fc.constantFrom(...RESTORES), numbers).map(([restore, of]) => written(marked(restore), of));
  const after = numbers.map((of) => `# as rendered\n---\n${written(SOURCE, of)}---\nkind: Other # stays\n`);
  fc.assert(
    fc.property(before, after, (branch, fresh) => {
      const once = carried(branch, fresh).texts.get(RENDER) ?? fresh;
      expect(carried(branch, once).texts.get(RENDER) ?? once).toBe(once);
      expect(once.replace(OWN, '')).toBe(fresh.replace(OWN, ''));
      if (image(once) !== image(branch)) expect(partition(once)).toBe('1000000');
    }),
    { numRuns: 150 },
  );
});
