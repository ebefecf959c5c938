/** What a refusal of a built HelmRelease says to do, done as it says: then it is delivered. */

import { expect, test } from 'vitest';
import { RELEASE_FILE } from '../../support/helm-files.ts';
import { HelmWorld, RUNNING_FILES } from '../../support/helm-world.ts';
import { BASE, OVERLAY_FILES, OverlayWorld, VALUES } from '../../support/overlay-world.ts';

const TAKEN = '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): adopt, partition 0 → 1000000';
const CHART = /( {2}chart:\n {4}spec:\n(?: {6}.*\n)+)/;

test.each<
  readonly [
    what: string,
    file: string,
    broken: (text: string) => string,
    hint: string,
    mended: (text: string) => string,
  ]
>([
  [
    'null in the values',
    BASE,
    (text) => text.replace('{tag: v0.10.0}', '{tag: v0.10.0, pullPolicy: null}'),
    'Write the value that the chart is to take in its place.',
    (text) => text.replace('pullPolicy: null', 'pullPolicy: IfNotPresent'),
  ],
  [
    'a word of kustomize',
    VALUES,
    (text) => text.replace('telemetry: off', 'telemetry: {$keep: 1}'),
    'Write the value that the chart is to take in its place.',
    (text) => text.replace('{$keep: 1}', 'off'),
  ],
  [
    'chartRef',
    BASE,
    (text) => text.replace(CHART, '  chartRef: {kind: OCIRepository, name: nim}\n'),
    'spec.chart',
    (text) =>
      text.replace(
        '  chartRef: {kind: OCIRepository, name: nim}\n',
        CHART.exec(OVERLAY_FILES[BASE] ?? '')?.[1] ?? 'no chart',
      ),
  ],
])('refused and put right: %s', async (_, file, broken, hint, mended) => {
  const text = broken(OVERLAY_FILES[file] ?? '');
  expect(text).not.toBe(OVERLAY_FILES[file]);
  const world = new OverlayWorld({ files: { ...OVERLAY_FILES, [file]: text } });
  const commits = world.commits();
  await world.deploy();
  world.tick(120);
  const { outcomes } = await world.pass();
  const [issue, ...others] = outcomes.flatMap(({ plan }) => plan?.issues ?? []);
  expect([issue?.reason, others, world.commits()]).toEqual(['UnsupportedLayout', [], commits]);
  expect(issue?.hint).toContain(hint);
  world.repository.commit('main', { writes: [{ path: file, text: mended(text) }], message: 'as it says' });
  await world.deploy();
  world.tick(120);
  expect(await world.play()).toEqual([TAKEN]);
});

test.each(['image: {tag: v0.10.0, pullPolicy: null}', 'image: {tag: v0.10.0, $keep: 1}'])(
  'no other value will do: a file that no kustomization changes is delivered with %s, and goes back',
  async (values) => {
    const text = (RUNNING_FILES[RELEASE_FILE] ?? '').replace('image: {tag: v0.10.0}', values);
    const world = await HelmWorld.halfWay({ files: { ...RUNNING_FILES, [RELEASE_FILE]: text } });
    await world.order({ kind: 'abort', keepNewer: false, from: undefined });
    for (let step = 0; step < 8; step += 1) await world.step();
    expect(world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
    expect(world.release()).toContain(`    ${values}\n`);
  },
);
