/** A generated ConfigMap that the agent would delete: said before anything hangs on it, and before a merge that takes it away. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../../src/reconcile/pass.ts';
import { verify } from '../../../src/reconcile/verify.ts';
import { BUILT_FILES, BuiltWorld, COMPONENT } from '../../support/built-world.ts';
import { generated, SETTINGS } from '../../support/generated-settings.ts';

const KEPT = 'generatorOptions: {annotations: {argocd.argoproj.io/sync-options: Prune=false}}\n';

const worldOf = (options: string): BuiltWorld => new BuiltWorld({ files: { ...BUILT_FILES, ...generated(options) } });

async function warned(world: BuiltWorld): Promise<readonly string[]> {
  const { outcomes } = await world.pass();
  const warnings = outcomes.flatMap(({ plan }) => plan?.warnings ?? []);
  return warnings
    .filter(({ reason }) => reason === 'GeneratedNotKept')
    .map(({ file, line, message, hint }) => `${file}:${line} ${message} ${hint}`);
}

test.each([
  ['that the agent deletes', '', 1],
  ['that the agent keeps', KEPT, 0],
])('one %s: said in the first pass, and at rest', async (_, options, count) => {
  const world = worldOf(options);
  await world.apply();
  world.tick(120);
  const first = await warned(world);
  await world.apply();
  await world.play();
  const rest = await warned(world);
  expect([first.length, rest.length]).toEqual([count, count]);
  const line = (world.files()[COMPONENT] ?? '').split('\n').findIndex((one) => one.includes('- name: settings')) + 1;
  for (const said of [...first, ...rest]) {
    expect(said).toContain(`${COMPONENT}:${line} prod-vllm refers to ConfigMap prod-settings-`);
    expect(said).toContain('generatorOptions.annotations');
  }
});

test.each([
  ['that the agent deletes', '', ['GeneratedReference']],
  ['that the agent keeps', KEPT, []],
])('verify of a change of one %s', async (_, options, reasons) => {
  const world = worldOf(options);
  await world.apply();
  world.tick(120);
  await world.play();
  const [base] = await world.repository.open().heads(['main']);
  world.edit(SETTINGS, '8192', '16384');
  const verdict = await verify(world.ports(), { overrides: NO_OVERRIDES, ref: 'main', base });
  expect(verdict.broken.map(({ reason }) => reason)).toEqual(reasons);
  for (const { file } of verdict.broken) expect(file).toBe(COMPONENT);
});

test('verify of a component that is gone before anything was taken over', async () => {
  const world = new BuiltWorld();
  const [base] = await world.repository.open().heads(['main']);
  world.repository.commit('main', { writes: [{ path: COMPONENT, text: undefined }], message: 'clean up' });
  const verdict = await verify(world.ports(), { overrides: NO_OVERRIDES, ref: 'main', base });
  const said = verdict.broken.map(({ reason, message }) => `${reason} ${message}`);
  expect(said).toContain(
    'UnsupportedLayout the kustomization takes components/images, which is not a folder with a kustomization',
  );
});
