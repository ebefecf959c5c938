/** What people change next to our patch over a HelmRelease: entries of theirs, other overlays, the patch itself, fields in the way. */

import { describe, expect, test } from 'vitest';
import { at } from '../../../src/api/json.ts';
import { NO_OVERRIDES } from '../../../src/reconcile/pass.ts';
import { verify } from '../../../src/reconcile/verify.ts';
import { APPLY, BASE, OVERLAY, OVERLAY_FILES, OverlayWorld, PATCH, VALUES } from '../../support/overlay-world.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const NEW = OLD.replaceAll('v0.10.0', 'v0.10.1');
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
const TEAM = ['spec', 'postRenderers', '0', 'kustomize', 'patches', '0', 'patch'];

function teamIn(release: Awaited<ReturnType<OverlayWorld['built']>>): unknown {
  const list = at(release, ['spec', 'postRenderers']);
  return Array.isArray(list) && list.length === 2
    ? at(list[0], TEAM.slice(3, 5))?.toString() && JSON.stringify(list[0])
    : list;
}

async function reasons(world: OverlayWorld): Promise<readonly string[]> {
  const { outcomes } = await world.pass();
  return [...new Set(outcomes.flatMap(({ plan }) => plan?.issues.map(({ reason }) => reason) ?? []))];
}

describe('entries of people in spec.postRenderers', () => {
  test('changed at rest: the next commit takes them up, as a release', async () => {
    const world = await OverlayWorld.taken();
    world.edit(BASE, 'team: search', 'team: chat');
    await world.deploy();
    expect(teamIn(await world.built())).toContain('search');
    const told = await world.play();
    expect(told[0]).toBe('0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): inputs written');
    expect(told[1]).toBe('0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): step 1/3, partition 1000000 → 3');
    expect(told.at(-1)).toBe('0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): settled');
    expect(teamIn(await world.built())).toContain('chat');
    const commits = world.commits();
    await world.pass();
    expect(world.commits()).toBe(commits);
  });

  test('changed in mid-delivery: no step goes on with the old ones, and the new ones are delivered', async () => {
    const world = await OverlayWorld.half();
    world.edit(BASE, 'team: search', 'team: chat');
    await world.deploy();
    const told = await world.play(30);
    expect(told[0]).not.toMatch(/step 3/);
    expect(teamIn(await world.built())).toContain('chat');
    expect([world.groups(), world.failed]).toEqual([NEW, 0]);
  });

  test('changed in mid-delivery and aborted: those of the version before come back', async () => {
    const world = await OverlayWorld.half();
    world.edit(BASE, 'team: search', 'team: chat');
    await world.deploy();
    await world.step();
    await world.order(ABORT);
    for (let step = 0; step < 8; step += 1) await world.step();
    expect([world.groups(), teamIn(await world.built())]).toEqual([OLD, expect.stringContaining('search')]);
  });

  test('set by the overlay as well: what kustomize makes of both counts', async () => {
    const world = await OverlayWorld.taken();
    const own = `${OVERLAY_FILES[VALUES]}  postRenderers:\n    - kustomize:\n        patches:\n          - {target: {kind: LeaderWorkerSet}, patch: "spec: {leaderWorkerTemplate: {leaderTemplate: {metadata: {labels: {team: overlay}}}}}"}\n`;
    world.repository.commit('main', { writes: [{ path: VALUES, text: own }], message: 'an entry of the overlay' });
    await world.deploy();
    await world.play();
    expect(teamIn(await world.built())).toContain('overlay');
    world.edit(VALUES, /\n {2}postRenderers[^]*$/.exec(own)?.[0] ?? '', '\n');
    await world.play();
    expect(teamIn(await world.built())).toContain('search');
  });

  test('all taken out: ours alone stays', async () => {
    const world = await OverlayWorld.taken();
    const text = (OVERLAY_FILES[BASE] ?? '').replace(/ {2}postRenderers:\n[^]*$/, '');
    world.repository.commit('main', { writes: [{ path: BASE, text }], message: 'no entry' });
    await world.deploy();
    await world.play();
    expect(at(await world.built(), ['spec', 'postRenderers'])).toHaveLength(1);
    expect(world.failed).toBe(0);
  });

  test('edited in our patch: no step, and an order writes it as it was', async () => {
    const world = await OverlayWorld.taken();
    const before = world.patch();
    world.edit(PATCH, 'team: search', 'team: chat');
    world.edit(BASE, 'interval: 5m', 'interval: 6m');
    expect(await reasons(world)).toEqual(['PatchEdited']);
    await world.order({ kind: 'repair' });
    expect(world.patch()).toBe(before);
    expect(await reasons(world)).toEqual([]);
  });
});

describe('the patch', () => {
  test.each<readonly [what: string, path: string, text: (was: string) => string | undefined, reason: string]>([
    ['is gone', PATCH, () => undefined, 'UnsupportedLayout'],
    ['is no YAML', PATCH, () => 'a: [\n', 'BuildFails'],
    ['has a field of somebody', PATCH, (was) => was.replace('spec:\n', 'spec:\n  interval: 1m\n'), 'PatchEdited'],
    [
      'has lost our entry',
      PATCH,
      (was) => was.replace(/ {2}- kustomize:\n {6}patches:\n {6}- patch: '[^]*$/, ''),
      'PatchNotApplied',
    ],
    ['is applied by nothing', APPLY, () => undefined, 'UnsupportedLayout'],
    ['has lost its entry in transformers', OVERLAY, (was) => was.replace(/transformers:[^]*$/, ''), 'PatchNotApplied'],
  ])('%s: said, and repaired byte for byte', async (_, path, edited, reason) => {
    const world = await OverlayWorld.half();
    const text = world.files()[path] ?? '';
    world.repository.commit('main', { writes: [{ path, text: edited(text) }], message: 'by hand' });
    const { outcomes, issues } = await world.pass();
    const said = [...issues, ...outcomes.flatMap(({ plan }) => plan?.issues ?? [])].map((one) => one.reason);
    expect(said).toContain(reason);
    await world.order({ kind: 'repair' });
    await world.order({ kind: 'repair' });
    expect(world.files()[path]).toBe(text);
    await world.play();
    expect(world.groups()).toBe(NEW);
  });
});

const STAGE = 'apps/vllm/stage';
const STAGED = {
  ...OVERLAY_FILES,
  [`${STAGE}/kustomization.yaml`]: (OVERLAY_FILES[OVERLAY] ?? '').replace('namespace: llm', 'namespace: llm-stage'),
  [`${STAGE}/values.yaml`]: OVERLAY_FILES[VALUES] ?? '',
  'rollouts/stage.yaml': (OVERLAY_FILES[ROLLOUT_FILE] ?? '')
    .replaceAll('llm/prod', 'llm-stage/prod')
    .replace('namespace: llm\n', 'namespace: llm-stage\n'),
};

test('two overlays of one base: each is delivered by a patch of its own', async () => {
  const world = new OverlayWorld({ files: STAGED });
  await world.deploy();
  world.tick(120);
  const subjects: string[] = [];
  for (let pass = 0; pass < 14; pass += 1) {
    const { outcomes } = await world.pass();
    expect(outcomes.map(({ key, error }) => `${key.namespace} ${error}`).sort()).toEqual([
      'llm undefined',
      'llm-stage undefined',
    ]);
    subjects.push(world.subject());
    if (pass === 1) world.edit(BASE, 'v0.10.0', 'v0.10.1');
    await world.deploy();
    world.tick(60);
  }
  expect([world.groups(), subjects.at(-1)]).toEqual([NEW, 'rollout(llm/vllm): settled']);
  expect(Object.keys(world.files()).filter((file) => file.includes('/tranche/'))).toEqual([APPLY, PATCH].sort());
});

test('two overlays that build one HelmRelease are refused by name', async () => {
  const files = {
    ...STAGED,
    [`${STAGE}/kustomization.yaml`]: OVERLAY_FILES[OVERLAY] ?? '',
    'rollouts/stage.yaml': '# none\n',
  };
  const world = new OverlayWorld({ files });
  const said = await reasons(world);
  expect(said).toContain('DuplicateObject');
});

test.each<readonly [what: string, file: string, from: string, to: string, reason: string, said: string]>([
  [
    'null in the values',
    BASE,
    '{tag: v0.10.0}',
    '{tag: v0.10.0, pullPolicy: null}',
    'UnsupportedLayout',
    'spec.values.image.pullPolicy is null',
  ],
  [
    'a word of kustomize',
    VALUES,
    'telemetry: off',
    'a: {$keep: 1}',
    'UnsupportedLayout',
    'is a word of kustomize in a patch',
  ],
  ['a range of versions', BASE, 'version: 1.3.0', 'version: "1.x"', 'UnsupportedLayout', 'may become another chart'],
  [
    'chartRef',
    BASE,
    '  chart:\n',
    '  chartRef: {kind: OCIRepository, name: nim}\n  chart:\n',
    'UnsupportedLayout',
    'chartRef names another object',
  ],
  [
    'remediation',
    BASE,
    '  chart:\n',
    '  upgrade: {remediation: {retries: 3}}\n  chart:\n',
    'HelmRemediates',
    'rolls it back',
  ],
])('refused before it is taken over: %s', async (_, file, from, to, reason, said) => {
  const text = (OVERLAY_FILES[file] ?? '').replace(from, to);
  const world = new OverlayWorld({ files: { ...OVERLAY_FILES, [file]: text } });
  const commits = world.commits();
  await world.deploy();
  world.tick(120);
  const { outcomes } = await world.pass();
  const issues = outcomes.flatMap(({ plan }) => plan?.issues ?? []);
  expect(issues.find((one) => one.reason === reason)?.message).toContain(said);
  expect(world.commits()).toBe(commits);
});

test.each<
  readonly [what: string, file: string, from: string, to: string, broken: readonly string[], effects: readonly string[]]
>([
  ['a tag in the base', BASE, 'v0.10.0', 'v0.10.1', [], ['LocksRelease']],
  ['nothing that is rendered', BASE, 'interval: 5m', 'interval: 6m', [], []],
  [
    'the entry of transformers is lost',
    OVERLAY,
    'transformers:\n  - tranche/apply.yaml\n',
    '',
    ['PatchNotApplied'],
    [],
  ],
  ['another release name', BASE, 'releaseName: vllm', 'releaseName: other', ['Reinstalled'], ['LocksRelease']],
  ['a field in the way', BASE, '  chart:\n', '  suspend: true\n  chart:\n', ['NotAutomated'], []],
  ['a base that is gone', OVERLAY, '../base', '../gone', ['UnsupportedLayout'], []],
])('a merge in CI: %s', async (_, file, from, to, broken, effects) => {
  const world = await OverlayWorld.taken();
  const [base] = await world.repository.open().heads(['main']);
  world.edit(file, from, to);
  const verdict = await verify(world.ports(), { overrides: NO_OVERRIDES, ref: 'main', base });
  expect([...new Set(verdict.broken.map(({ reason }) => reason))]).toEqual(broken);
  expect(verdict.effects.map(({ reason }) => reason)).toEqual(effects);
});

test('a merge in CI before it is taken over: every group may restart', async () => {
  const world = new OverlayWorld();
  const [base] = await world.repository.open().heads(['main']);
  world.edit(VALUES, 'workers: 2', 'workers: 4');
  const verdict = await verify(world.ports(), { overrides: NO_OVERRIDES, ref: 'main', base });
  expect(verdict.effects.map(({ reason, file, message }) => [reason, file, message])).toEqual([
    ['ReachesGroups', OVERLAY, expect.stringContaining('spec.values.multiNode.workers')],
  ]);
});

test('without kustomize nothing is written, and the Rollout says what it needs', async () => {
  const world = await OverlayWorld.half();
  const commits = world.commits();
  world.builds.clear();
  const result = await world.pass({ builder: undefined });
  const said = result.outcomes.flatMap(({ plan }) => plan?.issues.map(({ reason }) => reason) ?? []);
  expect([said.includes('BuilderMissing'), world.commits()]).toEqual([true, commits]);
});
