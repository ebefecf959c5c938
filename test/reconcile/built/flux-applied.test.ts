/** What a Flux Kustomization merges into a kustomize folder is part of it: delivered in steps, and gone back from. */

import { expect, test } from 'vitest';
import { issueLine } from '../../../src/api/issue-line.ts';
import { BUILT_FILES, BuiltWorld, COMPONENT, OVERLAY, PATCH, ROOT } from '../../support/built-world.ts';

const FILE = 'clusters/prod.yaml';
const FLUX = (fields: string): string => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: vllm, namespace: flux-system}
spec:
  path: ./${ROOT}
${fields}`;
const NAMES = '  targetNamespace: llm\n  namePrefix: prod-\n';
const IMAGES = (tag: string): string => `  images:\n    - {name: vllm/vllm-openai, newTag: ${tag}}\n`;
const MORE = `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images: [{name: REPLACE_MODEL_SERVER_IMAGE, newName: vllm/vllm-openai, newTag: v0.10.0}]
`;

/** The same workload as ever, of which these lines are written by Flux. */
async function adopted(lines: readonly string[], fields: string): Promise<BuiltWorld> {
  const overlay = lines.reduce((text, line) => text.replace(line, ''), BUILT_FILES[OVERLAY] ?? '');
  expect(overlay).not.toBe(lines.length === 0 ? '' : BUILT_FILES[OVERLAY]);
  const world = new BuiltWorld({
    files: { ...BUILT_FILES, [OVERLAY]: overlay, [FILE]: FLUX(fields), 'components/more/kustomization.yaml': MORE },
  });
  await world.apply();
  world.tick(120);
  expect(await world.play()).toEqual([expect.stringMatching(/adopt, partition unset → 1000000$/)]);
  return world;
}

const NAMED = ['namespace: llm\n', 'namePrefix: prod-\n'];
const COMPONENTS = ['components:\n  - ../../../components/images\n'];

test.each<readonly [what: string, lines: readonly string[], fields: string, file: string, old: string, line: number]>([
  ['a tag in the component, names of Flux', NAMED, NAMES, COMPONENT, 'v0.10.0', 6],
  ['a tag of Flux', [], IMAGES('v0.10.0'), FILE, 'v0.10.0', 7],
  [
    'a tag in a component of Flux',
    COMPONENTS,
    '  components: [../../../components/more]\n',
    'components/more/kustomization.yaml',
    'v0.10.0',
    3,
  ],
])('%s is a release in steps', async (_, lines, fields, file, old, line) => {
  const world = await adopted(lines, fields);
  world.edit(file, old, 'v0.10.1');
  await world.apply();
  const told = await world.play();
  expect(told[0]).toBe('0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  expect(told.at(-1)).toBe('0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): settled');
  const said = world.repository.log('main').map(({ message }) => message.replaceAll(/\s+/g, ' '));
  expect(said.filter((message) => message.includes(`It was asked for by ${file}:${line} (commit `))).toHaveLength(1);
});

test('an abort goes back to what the fields of then made, and stays there', async () => {
  const world = await adopted([], IMAGES('v0.10.0'));
  world.edit(FILE, 'v0.10.0', 'v0.10.1');
  await world.apply();
  for (let step = 0; step < 2; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.1+');
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  for (let step = 0; step < 6; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  expect(world.files()[FILE]).toBe(FLUX(IMAGES('v0.10.1')));
  expect(world.files()[PATCH]).toContain('"$patch": "replace"');
  expect(await world.step()).toContain(`${FILE}:7`);
});

test('a patch that opens the partition: ours is the last', async () => {
  const open =
    '  patches: [{target: {kind: LeaderWorkerSet}, patch: "- {op: add, path: /spec/rolloutStrategy, value: {rollingUpdateConfiguration: {partition: 0}}}"}]\n';
  const world = await adopted([], '');
  world.edit(FILE, FLUX(''), FLUX(open));
  world.edit(COMPONENT, 'v0.10.0', 'v0.10.1');
  await world.apply();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  expect((await world.play())[0]).toContain('step 1/3, partition 1000000 → 3');
});

test.each<readonly [what: string, now: string, said: string]>([
  ['another namespace', '  targetNamespace: other\n  namePrefix: prod-\n', `${FILE}:7: `],
  ['another prefix', '  targetNamespace: llm\n  namePrefix: blue-\n', `${FILE}:7: `],
  ['no prefix', '  targetNamespace: llm\n', `${FILE}:6: `],
])('%s: nothing builds there or here, nothing is written, and it says what to put back', async (_, now, said) => {
  const world = await adopted(NAMED, NAMES);
  world.edit(FILE, NAMES, now);
  const commits = world.repository.log('main').length;
  await world.apply();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  const { outcomes } = await world.pass();
  const issues = outcomes.flatMap(({ plan }) => plan?.issues ?? []);
  expect(issues.map(issueLine).join('\n')).toContain(said);
  expect(issues.map(({ hint }) => hint).join('\n')).toContain(
    'Put the name, the prefix or suffix and the namespace back',
  );
  expect(world.repository.log('main').length).toBe(commits);
});

test('a file of Flux that cannot be read any more: no step, because what Flux merges is not known', async () => {
  const world = await adopted([], IMAGES('v0.10.0'));
  world.edit(FILE, '  images:', ' images: [');
  const commits = world.repository.log('main').length;
  const { outcomes } = await world.pass();
  const issues = outcomes.flatMap(({ plan }) => plan?.issues ?? []);
  expect(issues.map(({ file }) => file)).toContain(FILE);
  expect(outcomes.flatMap(({ written }) => written ?? [])).toEqual([]);
  expect(world.repository.log('main').length).toBe(commits);
});

test('nothing is built at rest', async () => {
  const world = await adopted(NAMED, NAMES);
  const built = world.builder.built.length;
  await world.pass();
  expect(world.builder.built.length).toBe(built);
});
