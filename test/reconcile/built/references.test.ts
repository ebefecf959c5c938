/** ConfigMaps to which a template refers, where kustomize builds them as well: both builds are compared, and nothing is guessed. */

import { expect, test } from 'vitest';
import { BUILT_FILES, BuiltWorld, COMPONENT, NEW_TAG, OLD_TAG } from '../../support/built-world.ts';

const BASE = 'apps/vllm/base/kustomization.yaml';
const LWS = 'apps/vllm/base/lws.yaml';
const SETTINGS = 'apps/vllm/base/settings.yaml';
const REFERS = '            image: REPLACE_MODEL_SERVER_IMAGE\n';
const settings = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {max-model-len: "8192"}\n`;

/** Taken over, and a new tag is asked for. The template names `refers`, and the folder builds `prod-settings`. */
async function requested(refers: string): Promise<BuiltWorld> {
  const base =
    BUILT_FILES[LWS]?.replace(REFERS, `${REFERS}            envFrom: [{configMapRef: {name: ${refers}}}]\n`) ?? '';
  const files = {
    ...BUILT_FILES,
    [BASE]: 'resources: [lws.yaml, service.yaml, settings.yaml]\n',
    [LWS]: base,
    [SETTINGS]: settings('settings'),
  };
  const world = new BuiltWorld({ files });
  await world.apply();
  world.tick(120);
  expect((await world.play())[0]).toContain('adopt');
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  return world;
}

async function fixedReferences(world: BuiltWorld): Promise<readonly string[]> {
  const { outcomes } = await world.pass();
  const warnings = outcomes.flatMap(({ plan }) => plan?.warnings ?? []);
  return warnings.filter(({ reason }) => reason === 'FixedReference').map(({ message }) => message);
}

test('one that the folder builds as before is no warning', async () => {
  expect(await fixedReferences(await requested('prod-settings'))).toEqual([]);
});

test('one that is another than in the version to go back to', async () => {
  const world = await requested('prod-settings');
  world.edit(SETTINGS, '8192', '16384');
  expect(await fixedReferences(world)).toEqual([
    'LeaderWorkerSet prod-vllm: ConfigMap prod-settings differs between the version to go back to and this one: groups get it as they restart, whatever the step, and a rollback does not bring the old one back',
  ]);
});

test('one that the folder does not build is not known', async () => {
  expect(await fixedReferences(await requested('token'))).toEqual([
    'LeaderWorkerSet prod-vllm: a container refers to ConfigMap token by a fixed name: a change of it is not seen and not rolled back',
  ]);
});

test('a name that follows from the content is no fixed one, compared or not', async () => {
  const world = await requested('prod-settings-9f8b7c5d4h');
  world.edit(SETTINGS, 'name: settings', 'name: settings-9f8b7c5d4h');
  expect(await fixedReferences(world)).toEqual([]);
});
