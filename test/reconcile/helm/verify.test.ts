/** A pull request that changes a HelmRelease which a Rollout names: what is said of the groups. */

import { describe, expect, test } from 'vitest';
import { renderersIn } from '../../../src/api/helm-release.ts';
import { NO_OVERRIDES } from '../../../src/reconcile/pass.ts';
import { verify } from '../../../src/reconcile/verify.ts';
import { HELM_FILES, RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { HelmWorld } from '../../support/helm-world.ts';
import { ROLLOUT_FILE, ROLLOUT_TEXT } from '../../support/vllm.ts';
import { World } from '../../support/world.ts';
import { yamlValues } from '../../support/yaml-values.ts';

type Files = Readonly<Record<string, string>>;

async function judged(files: Files, write: { readonly path: string; readonly text: string | undefined }) {
  const world = new World({ files });
  const [base] = await world.repository.open().heads(['main']);
  world.repository.commit('main', { writes: [write], message: 'a change' });
  return verify(world.ports(), { overrides: NO_OVERRIDES, ref: 'main', base });
}

const edited = (from: string, to: string) => ({ path: RELEASE_FILE, text: RELEASE_TEXT.replace(from, to) });

test.each<readonly [what: string, from: string, to: string, line: number, said: string]>([
  ['a value', 'v0.10.0', 'v0.10.1', 14, 'spec.values.image.tag changed, so Flux renders LeaderWorkerSet vllm again'],
  ['the chart', '1.3.0', '1.4.0', 11, 'spec.chart.spec.version changed'],
  ['a value that goes', '    multiNode: {workers: 2}\n', '', 13, 'spec.values.multiNode changed'],
  [
    'more than are shown',
    '    image: {tag: v0.10.0}\n    multiNode: {workers: 2}\n',
    '    image: {tag: v1}\n    multiNode: {workers: 3}\n    a: 1\n    b: [1]\n    c: {d: 1}\n',
    14,
    'spec.values.image.tag, spec.values.multiNode.workers, spec.values.a and 2 more changed',
  ],
  [
    'a patch of people',
    '  values:\n',
    '  postRenderers: [{kustomize: {patches: []}}]\n  values:\n',
    13,
    'spec.postRenderers',
  ],
])('%s: no step holds it', async (_, from, to, line, said) => {
  const { effects, broken } = await judged(HELM_FILES, edited(from, to));
  expect(broken).toEqual([]);
  expect(effects).toEqual([
    expect.objectContaining({ file: RELEASE_FILE, line, reason: 'ReachesGroups', level: 'warning' }),
  ]);
  expect(effects[0]?.message).toContain(said);
  expect(effects[0]?.message).toContain('every group of it may restart');
});

test.each<readonly [what: string, files: Files, from: string, to: string]>([
  ['how often it is looked at', HELM_FILES, 'interval: 5m', 'interval: 10m'],
  ['a comment', HELM_FILES, '  values:\n', '  # of team search\n  values:\n'],
  [
    'the order of values',
    HELM_FILES,
    'image: {tag: v0.10.0}\n    multiNode: {workers: 2}',
    'multiNode: {workers: 2}\n    image: {tag: v0.10.0}',
  ],
  ['one that no Rollout names', { ...HELM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT }, 'v0.10.0', 'v0.10.1'],
])('%s: nothing is said', async (_, files, from, to) => {
  expect((await judged(files, edited(from, to))).effects).toEqual([]);
});

test('a field in the way is what forbids a merge, where it was not in the way before', async () => {
  const { broken, known } = await judged(HELM_FILES, edited('version: 1.3.0', 'version: 1.x'));
  expect(broken.map(({ reason }) => reason)).toEqual(['UnsupportedLayout']);
  expect(known).toEqual([]);
});

test('a HelmRelease that is new, or goes', async () => {
  const there = { [ROLLOUT_FILE]: HELM_FILES[ROLLOUT_FILE] };
  expect((await judged(there, { path: RELEASE_FILE, text: RELEASE_TEXT })).effects).toEqual([]);
  const { broken, effects } = await judged(HELM_FILES, { path: RELEASE_FILE, text: undefined });
  expect([broken.map(({ reason }) => reason), effects]).toEqual([['WorkloadMissing'], []]);
});

test('one that is taken over: what a merge asks for comes locked, and who takes the entry out is told', async () => {
  const world = await HelmWorld.adopted();
  const files = world.repository.files('main');
  const text = world.release();
  const newer = { path: RELEASE_FILE, text: text.replace('v0.10.0', 'v0.10.1') };
  const { effects, broken } = await judged(files, newer);
  expect([effects.map(({ reason }) => reason), broken]).toEqual([['LocksRelease'], []]);
  const lost = { path: RELEASE_FILE, text: text.replace(/ {2}postRenderers:[^]*$/, '') };
  expect((await judged(files, lost)).broken.map(({ reason }) => reason)).toEqual(['PatchNotApplied']);
});

/** Whether or not tranche has taken it over: Flux takes the old release away all the same. */
describe('a field by which Flux knows the release', () => {
  const rows: readonly (readonly [what: string, from: string, to: string, line: number, said: string])[] = [
    [
      'its name',
      '  interval: 5m\n',
      '  interval: 5m\n  releaseName: chat\n',
      8,
      'releaseName is "chat", and was "vllm"',
    ],
    [
      'the namespace',
      '  interval: 5m\n',
      '  interval: 5m\n  targetNamespace: eu\n',
      8,
      'targetNamespace is "eu", and was "llm"',
    ],
    [
      'where Helm keeps it',
      '  interval: 5m\n',
      '  interval: 5m\n  storageNamespace: flux-system\n',
      8,
      'storageNamespace is "flux-system", and was "llm"',
    ],
    ['another chart', 'chart: nim-llm', 'chart: nim-vlm', 10, 'chart.spec.chart is "nim-vlm", and was "nim-llm"'],
  ];
  test.each(rows)('%s changes: forbidden at its line', async (_, from, to, line, said) => {
    const change = edited(from, to);
    expect(change.text).not.toBe(RELEASE_TEXT);
    const { broken } = await judged(HELM_FILES, change);
    expect(broken).toEqual([expect.objectContaining({ file: RELEASE_FILE, line, reason: 'Reinstalled' })]);
    expect(broken[0]?.message).toContain(said);
  });

  test.each(rows)('%s changes, and it is taken over: forbidden as well', async (_, from, to) => {
    const world = await HelmWorld.adopted();
    const text = world.release().replace(from, to);
    const { broken } = await judged(world.repository.files('main'), { path: RELEASE_FILE, text });
    expect(broken.map(({ reason }) => reason)).toEqual(['Reinstalled']);
  });

  test.each(rows)(
    '%s changes in mid-delivery: no step goes forward, and an abort writes it back',
    async (_, from, to) => {
      const world = await HelmWorld.halfWay();
      const text = world.release().replace(from, to);
      world.repository.commit('main', { writes: [{ path: RELEASE_FILE, text }], message: 'another target' });
      const { outcomes } = await world.pass();
      expect(outcomes[0]?.plan?.issues.map(({ reason }) => reason)).toEqual(['Reinstalled']);
      const { partition } = renderersIn(yamlValues(world.release())[0] ?? {}).entry ?? {};
      // The roll is stopped, and none goes on.
      expect(partition).toBe(3);
      expect((await world.pass()).outcomes.map(({ written }) => written)).toEqual([undefined]);
      await world.order({ kind: 'abort', keepNewer: false, from: undefined });
      await world.play();
      expect(world.release()).not.toContain(to);
      expect(world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
    },
  );

  test('a name that is written as Flux makes it, and another version of the chart, are none', async () => {
    for (const [from, to] of [
      ['  interval: 5m\n', '  interval: 5m\n  releaseName: vllm\n  targetNamespace: llm\n'],
      ['version: 1.3.0', 'version: 1.4.0'],
    ] as const)
      expect((await judged(HELM_FILES, edited(from, to))).broken).toEqual([]);
  });
});

test('an entry of people that comes behind that of tranche: forbidden at its line', async () => {
  const world = await HelmWorld.adopted();
  const text = `${world.release()}  - kustomize: {images: []}\n`;
  const { broken } = await judged(world.repository.files('main'), { path: RELEASE_FILE, text });
  expect(broken).toEqual([expect.objectContaining({ file: RELEASE_FILE, reason: 'PatchNotLast' })]);
});
