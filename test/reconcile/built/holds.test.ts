/** What keeps a workload that kustomize builds where it is: its patch lost, overruled or edited, a build that fails, no kustomize. */

import { expect, test } from 'vitest';
import type { Builder } from '../../../src/ports/builder.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { NO_BUILDER } from '../../../src/reconcile/roots/no-builder.ts';
import {
  APPLY,
  adopted,
  BUILT_FILES,
  BuiltWorld,
  COMPONENT,
  NEW_TAG,
  OLD_TAG,
  OVERLAY,
  PATCH,
  ROOT,
} from '../../support/built-world.ts';
import { generated, SETTINGS } from '../../support/generated-settings.ts';
import { recordedBuilder } from '../../support/recorded-builder.ts';

type Files = Readonly<Record<string, string>>;

/** Taken over, and a new tag is asked for. */
async function requested(files: Files = {}): Promise<BuiltWorld> {
  const world = await adopted({ files: { ...BUILT_FILES, ...files } });
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  return world;
}

const LABELS =
  'apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\nlabels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]\n';
const OPEN = `apiVersion: builtin
kind: PatchTransformer
metadata: {name: open}
patch: |-
  apiVersion: leaderworkerset.x-k8s.io/v1
  kind: LeaderWorkerSet
  metadata: {name: prod-vllm, namespace: llm}
  spec: {rolloutStrategy: {rollingUpdateConfiguration: {partition: 0}}}
`;

type Edit = readonly [file: string, from: string, to: string];

test.each<readonly [what: string, files: Files, edits: readonly Edit[], held: string]>([
  ['the entry is lost', {}, [[OVERLAY, 'transformers:\n  - tranche/apply.yaml\n', '']], 'is not applied'],
  [
    'another transformer comes behind it',
    { 'apps/vllm/prod/labels.yaml': LABELS },
    [[OVERLAY, '  - tranche/apply.yaml\n', '  - tranche/apply.yaml\n  - labels.yaml\n']],
    'is not the last entry of transformers',
  ],
  [
    'a field of people in the patch',
    {},
    [[PATCH, 'spec:\n', 'spec:\n  startupPolicy: LeaderReady\n']],
    'spec.startupPolicy of the patch',
  ],
  [
    'a part of a template in the patch',
    {},
    [[PATCH, 'spec:\n', 'spec:\n  leaderWorkerTemplate: {size: 3}\n']],
    'spec.leaderWorkerTemplate of the patch',
  ],
  [
    'a base that does not build',
    {},
    [['apps/vllm/base/kustomization.yaml', 'service.yaml', 'gone.yaml']],
    'takes apps/vllm/base/gone.yaml',
  ],
  ['another name', {}, [[OVERLAY, 'namePrefix: prod-', 'namePrefix: main-']], 'no matches for Id'],
])('%s: no step', async (_, files, edits, held) => {
  const world = await requested(files);
  for (const edit of edits) world.edit(...edit);
  const commits = world.repository.log('main').length;
  for (let pass = 0; pass < 2; pass += 1) {
    const { outcomes } = await world.pass();
    const said = outcomes
      .flatMap(({ plan, error }) => [error, ...(plan?.holds ?? []), ...(plan?.issues ?? [])])
      .map((one) => (typeof one === 'object' ? one.message : one))
      .join('\n');
    expect(said).toContain(held);
  }
  expect(world.repository.log('main').length).toBe(commits);
});

test.each<readonly [what: string, edit: Edit, reason: string, place: string, way: string]>([
  [
    'the entry is lost',
    [OVERLAY, 'transformers:\n  - tranche/apply.yaml\n', ''],
    'PatchNotApplied',
    `${OVERLAY}:transformers`,
    'Order tranche repair vllm: that writes tranche/apply.yaml as the last entry of transformers',
  ],
  [
    'an entry comes behind it',
    [OVERLAY, '  - tranche/apply.yaml\n', '  - tranche/apply.yaml\n  - labels.yaml\n'],
    'PatchNotLast',
    `${OVERLAY}:- tranche/apply.yaml`,
    'or order tranche repair vllm.',
  ],
  [
    'a field of people in the patch',
    [PATCH, 'spec:\n', 'spec:\n  startupPolicy: LeaderReady\n'],
    'PatchEdited',
    `${PATCH}:startupPolicy`,
    'tranche repair vllm writes the patch as it was.',
  ],
  [
    'another name',
    [OVERLAY, 'namePrefix: prod-', 'namePrefix: main-'],
    'BuildFails',
    `${OVERLAY}:namePrefix`,
    'The patch of tranche is for LeaderWorkerSet llm/prod-vllm, which this folder builds no more under that name. Put the name, the prefix or suffix and the namespace back as they were. To rename it, order tranche eject vllm before that.',
  ],
])('%s: the line, and the command to type', async (_, edit, reason, place, way) => {
  const world = await requested(reason === 'PatchNotLast' ? { 'apps/vllm/prod/labels.yaml': LABELS } : {});
  world.edit(...edit);
  const { outcomes } = await world.pass();
  const found = outcomes.flatMap(({ plan }) => plan?.issues ?? []).find((issue) => issue.reason === reason);
  const [file = '', text = ''] = place.split(':');
  const lines = (world.files()[file] ?? '').split('\n');
  expect(`${found?.file}:${found?.line}`).toBe(`${file}:${lines.findIndex((line) => line.includes(text)) + 1}`);
  expect(found?.hint).toContain(way);
});

test('not at rest before it is taken over: the kustomization is named, for no patch is there yet', async () => {
  const world = new BuiltWorld({});
  await world.apply();
  const { outcomes } = await world.pass();
  const said = outcomes.flatMap(({ plan }) => plan?.holds ?? []).map(({ message }) => message);
  expect(said.join()).toContain(
    'mend the template in the files that apps/vllm/prod/kustomization.yaml builds, or put the one',
  );
  expect(said.join()).not.toContain(PATCH);
});

test('listed by another folder, where a step would be one as well: no step', async () => {
  const world = await requested();
  await world.apply();
  const stage = { path: 'apps/vllm/stage/kustomization.yaml', text: 'resources: [../prod]\nnameSuffix: -stage\n' };
  world.repository.commit('main', { writes: [stage], message: 'stage' });
  expect(await world.step()).toContain('apps/vllm/stage/kustomization.yaml lists this folder');
  expect(world.files()[PATCH]).toContain('partition: 1000000');
});

test('what overrules the patch in the very file that applies it is seen in the build, and nothing is pushed', async () => {
  const world = await requested();
  await world.apply();
  const text = `${world.files()[APPLY] ?? ''}---\n${OPEN}`;
  world.repository.commit('main', { writes: [{ path: APPLY, text }], message: 'open' });
  const commits = world.repository.log('main').length;
  const { outcomes } = await world.pass();
  expect(outcomes[0]?.plan?.issues.map(({ reason }) => reason)).toContain('BuildCheckFailed');
  expect(world.repository.log('main').length).toBe(commits);
});

const KEPT = 'generatorOptions: {annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}\n';

test.each([
  ['that the agent deletes: no step', '', 'which apps/vllm/prod builds no more'],
  ['that the agent keeps', KEPT, 'step 1/3, partition 1000000 → 3'],
])('another generated ConfigMap %s', async (_, options, said) => {
  const world = new BuiltWorld({ files: { ...BUILT_FILES, ...generated(options) } });
  await world.apply();
  world.tick(120);
  expect((await world.play())[0]).toContain('adopt');
  world.edit(SETTINGS, '8192', '16384');
  await world.apply();
  expect(await world.step()).toContain(said);
});

test('a file of the build that is no manifest, edited while a step is pushed: the step is decided by what it makes', async () => {
  const world = await adopted({ files: { ...BUILT_FILES, ...generated('') } });
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  let pushes = 0;
  const git = world.repository.open({
    before: ({ kind }) => {
      if (kind === 'push' && pushes++ === 0) world.edit(SETTINGS, '8192', '16384');
      return undefined;
    },
  });
  await world.pass({ git });
  expect(pushes).toBeGreaterThan(0);
  expect(world.subject()).toBe(`edit ${SETTINGS}`);
});

test("people's own partition 0, in their overlay, is below ours", async () => {
  const patch = `
patches:
  - target: {kind: LeaderWorkerSet}
    patch: |-
      - {op: add, path: /spec/rolloutStrategy, value: {type: RollingUpdate, rollingUpdateConfiguration: {partition: 0}}}
`;
  const world = await requested({ [OVERLAY]: `${BUILT_FILES[OVERLAY]}${patch}` });
  await world.apply();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  expect(await world.step()).toContain('step 1/3, partition 1000000 → 3');
});

test('a folder is taken over only where somebody has named kustomize; one that has a patch is built in any case', async () => {
  const world = new BuiltWorld();
  await world.apply();
  world.tick(120);
  const commits = world.repository.log('main').length;
  const found = { ...recordedBuilder(), isNamed: false };
  const { outcomes } = await world.pass({ builder: found });
  expect(outcomes[0]?.plan?.issues.map(({ reason }) => reason)).not.toEqual([]);
  expect([found.built, world.repository.log('main').length]).toEqual([[], commits]);
  expect(await world.step()).toContain('adopt');
  const { outcomes: after } = await world.pass({ builder: found });
  expect(after[0]?.plan?.issues).toEqual([]);
});

test('without kustomize such a Rollout stands still, and is not taken for another', async () => {
  const world = await requested();
  await world.apply();
  const { outcomes } = await world.pass({ builder: NO_BUILDER });
  expect(outcomes[0]?.plan?.issues.map(({ reason }) => reason)).toContain('BuilderMissing');
  expect(outcomes[0]?.plan?.commit).toBeUndefined();
  expect(await world.step()).toContain('step 1/3');
});

const PLAIN: Files = {
  'plain/lws.yaml': `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: plain, namespace: llm}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 1
    workerTemplate: {spec: {containers: [{name: main, image: "example.com/vllm:1"}]}}
`,
  'rollouts/plain.yaml': (BUILT_FILES['rollouts/vllm.yaml'] ?? '')
    .replace('name: vllm', 'name: plain')
    .replace('name: prod-vllm', 'name: plain'),
};

test.each([
  ['before', false],
  ['after', true],
])('a machine that cannot build, %s it was taken over, ends the pass of nobody else', async (_, isTaken) => {
  const world = isTaken ? await requested() : new BuiltWorld();
  world.repository.commit('main', {
    writes: Object.entries(PLAIN).map(([path, text]) => ({ path, text })),
    message: 'plain',
  });
  const fails: Builder = {
    isNamed: true,
    build: () => {
      const fields = { port: 'builder', operation: 'build', retryable: true, hint: 'Make room in /tmp.' };
      return Promise.reject(new PortError('files for kustomize cannot be written: EROFS', fields));
    },
  };
  world.builds.clear();
  const { outcomes } = await world.pass({ builder: fails });
  const of = (name: string) => outcomes.find(({ key }) => key.name === name)?.plan;
  expect(of('plain')?.holds.map(({ reason }) => reason)).toEqual(['WorkloadAbsent']);
  expect(of('vllm')?.commit).toBeUndefined();
  if (isTaken) expect(of('vllm')?.issues.map(({ reason }) => reason)).toContain('BuilderMissing');
});

const ROUTES = 'canary:\n      trafficRoutings: [{service: vllm, gateway: {httpRouteName: vllm}}]\n';
const RENDERED = 'rendered/all.yaml';

test.each([
  [
    'a second workload',
    'canary:\n',
    'canary:\n      enableExtraWorkloadForCanary: true\n',
    'the strategy canary is not built',
  ],
  ['routes', 'canary:\n', ROUTES, 'traffic by routes is not built'],
  ['two colours', 'canary:\n', 'blueGreen:\n', 'the strategy blueGreen is not built'],
])('%s: refused, with a way out that works as it is written', async (_, from, to, held) => {
  const rollout = BUILT_FILES['rollouts/vllm.yaml'] ?? '';
  const world = new BuiltWorld({ files: { ...BUILT_FILES, 'rollouts/vllm.yaml': rollout.replace(from, to) } });
  await world.apply();
  world.tick(120);
  const { outcomes } = await world.pass();
  const [issue] = outcomes
    .flatMap(({ plan }) => plan?.issues ?? [])
    .filter(({ reason }) => reason === 'NotSupportedYet');
  expect(issue?.message).toContain(held);
  expect(issue?.hint).toContain(`kustomize build ${ROOT} > ${RENDERED}`);
  expect(world.files()[APPLY]).toBeUndefined();
  const parts = Object.entries(BUILT_FILES).filter(([path]) => !path.startsWith('rollouts/'));
  const build = await world.builder.build({ root: ROOT, files: parts.map(([path, text]) => ({ path, text })) });
  const text = build.kind === 'built' ? build.text : '';
  world.repository.commit('main', { writes: [{ path: RENDERED, text }], message: 'rendered' });
  const after = await world.pass();
  const said = after.outcomes.flatMap(({ plan }) => plan?.issues ?? []).map(({ reason }) => reason);
  expect(said).not.toContain('NotSupportedYet');
  expect(said).not.toContain('UnsupportedLayout');
});
