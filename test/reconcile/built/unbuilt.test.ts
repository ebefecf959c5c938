/** A folder that is not built in mid-delivery: no step goes forward, and a rollback is written and carried through all the same. */

import { expect, test } from 'vitest';
import type { Builder } from '../../../src/ports/builder.ts';
import type { Ports } from '../../../src/reconcile/pass.ts';
import {
  BUILT_FILES,
  BuiltWorld,
  COMPONENT,
  HALF,
  NEW_TAG,
  OLD_TAG,
  OVERLAY,
  PATCH,
} from '../../support/built-world.ts';

const BASE = 'apps/vllm/base/kustomization.yaml';
const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';

/** Two of four groups are on the new tag. */
async function halfWay(world = new BuiltWorld()): Promise<BuiltWorld> {
  await world.apply();
  world.tick(120);
  await world.play();
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  for (let step = 0; step < 4; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe(HALF);
  return world;
}

type Edit = readonly [file: string, from: string, to: string];
const URL_LINE = 'https://example.com/settings.yaml, ';
const CHARTS = '\nhelmCharts: [{name: cache, repo: https://example.com}]\n';

const BREAKS: readonly (readonly [what: string, edit: Edit, said: string])[] = [
  ['a URL', [BASE, '[lws.yaml', `[${URL_LINE}lws.yaml`], 'is not in this repository'],
  ['a chart', [BASE, 'service.yaml]\n', `service.yaml]${CHARTS}`], 'builds objects by helmCharts'],
  ['a file that is not there', [BASE, 'service.yaml', 'gone.yaml'], 'takes apps/vllm/base/gone.yaml'],
  ['what kustomize refuses', [OVERLAY, 'namePrefix: prod-', 'namePrefix: main-'], 'no matches for Id'],
];

test.each(BREAKS)('%s: no step forward, with the reason', async (_, edit, said) => {
  const world = await halfWay();
  world.edit(...edit);
  const commits = world.repository.log('main').length;
  world.tick(3600);
  const told = await world.step();
  expect(told).toContain(said);
  expect(await world.step()).toBe(told);
  expect([world.groups('prod-vllm'), world.repository.log('main').length]).toEqual([HALF, commits]);
});

test.each(BREAKS)('%s, and an abort: the pin is written at once', async (_, edit) => {
  const world = await halfWay();
  world.edit(...edit);
  const before = world.files();
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  expect(await world.step()).toContain('rollback');
  const after = world.files();
  expect(Object.keys(after).filter((file) => after[file] !== before[file])).toEqual([PATCH, 'rollouts/vllm.yaml']);
  expect(after[PATCH]).toContain(`vllm/vllm-openai:${OLD_TAG}`);
  const commits = world.repository.log('main').length;
  await world.step();
  expect(world.repository.log('main').length, 'a second pass writes nothing').toBe(commits);
  const [file, from, to] = edit;
  world.edit(file, to, from);
  await world.apply();
  for (let step = 0; step < 8; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe(OLD);
  expect(await world.step()).toContain('ReleaseAborted');
});

test('the agent builds what we do not: the rollback goes to its end', async () => {
  const world = await halfWay();
  world.edit(BASE, '[lws.yaml', `[${URL_LINE}lws.yaml`);
  world.fetched = (path, text) => (path === BASE ? text.replace(URL_LINE, '') : text);
  await world.apply();
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  for (let step = 0; step < 8; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe(OLD);
  const commits = world.repository.log('main').length;
  expect(await world.step()).toContain('is not in this repository');
  expect(world.repository.log('main').length).toBe(commits);
});

test('rolled back while it is not built, and the record is older: the rollback does not begin again', async () => {
  const world = await halfWay();
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  expect(await world.step()).toContain('rollback');
  const record = world.repository.head('tranche-status');
  world.edit(BASE, '[lws.yaml', `[${URL_LINE}lws.yaml`);
  world.fetched = (path, text) => (path === BASE ? text.replace(URL_LINE, '') : text);
  await world.apply();
  for (let step = 0; step < 8; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe(OLD);
  world.edit(BASE, URL_LINE, '');
  await world.apply();
  world.repository.setHead('tranche-status', record);
  const before = world.files()[PATCH];
  expect(await world.step()).toContain('ReleaseAborted');
  expect(world.files()[PATCH]).toBe(before);
});

test('a newer tag came with what is not built: the pin is of the stable version all the same', async () => {
  const world = await halfWay();
  world.repository.commit('main', {
    writes: [
      { path: COMPONENT, text: (BUILT_FILES[COMPONENT] ?? '').replace(OLD_TAG, 'v0.10.2') },
      { path: BASE, text: (BUILT_FILES[BASE] ?? '').replace('[lws.yaml', `[${URL_LINE}lws.yaml`) },
    ],
    message: 'both',
  });
  world.fetched = (path, text) => (path === BASE ? text.replace(URL_LINE, '') : text);
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  for (let step = 0; step < 8; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe(OLD);
});

test('a kustomize that does not answer any more: the rollback is written from what this process has built', async () => {
  const world = await halfWay();
  const dead: Builder = {
    isNamed: true,
    build: async () => ({
      kind: 'refused',
      cause: 'missing',
      seen: 'kustomize cannot be started',
      hint: 'Install it.',
    }),
  };
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  await world.pass({ builder: dead });
  expect(world.files()[PATCH]).toContain(`vllm/vllm-openai:${OLD_TAG}`);
});

/** Settings of a megabyte and more next to everything that is built; the real kustomize prints them in this form. */
class LargeWorld extends BuiltWorld {
  override ports(replaced: Partial<Ports> = {}): Ports {
    const { builder } = this;
    const large: Builder = {
      isNamed: true,
      build: async (input) => {
        const build = await builder.build(input);
        return build.kind === 'refused' ? build : { ...build, text: `${build.text}---\n${SETTINGS}` };
      },
    };
    return super.ports({ builder: large, ...replaced });
  }
}

const SETTINGS = `apiVersion: v1\ndata:\n  settings.toml: |\n${'    max_model_len = 8192\n'.repeat(50_000)}kind: ConfigMap\nmetadata:\n  name: settings\n`;

test('more than a megabyte of settings next to the workload: steps are made, and led back', async () => {
  const world = await halfWay(new LargeWorld());
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  for (let step = 0; step < 4; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe(OLD);
});
