/** Image Updater writes the tag into `.argocd-source-<application>.yaml`: it is a release in steps, and a rollback is a pin. */

import { expect, test } from 'vitest';
import { BUILT_FILES, BuiltWorld, COMPONENT, PATCH, ROOT } from '../../support/built-world.ts';

const SOURCE = `${ROOT}/.argocd-source-vllm.yaml`;
const OVERLAY = `${ROOT}/kustomization.yaml`;
const text = (tag: string): string => `kustomize:\n  images:\n  - vllm/vllm-openai:${tag}\n`;

/** Taken over and at rest; the image stands in the base, because what a component has made is not changed once more. */
async function adopted(): Promise<BuiltWorld> {
  const overlay = (BUILT_FILES[OVERLAY] ?? '').replace('components:\n  - ../../../components/images\n', '');
  const base = (BUILT_FILES['apps/vllm/base/lws.yaml'] ?? '').replace(
    'REPLACE_MODEL_SERVER_IMAGE',
    'vllm/vllm-openai:v0.9.0',
  );
  const files = { ...BUILT_FILES, [OVERLAY]: overlay, 'apps/vllm/base/lws.yaml': base, [SOURCE]: text('v0.10.0') };
  const world = new BuiltWorld({ files });
  await world.apply();
  world.tick(120);
  expect(await world.play()).toEqual(['0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): adopt, partition unset → 1000000']);
  return world;
}

test('a tag that Image Updater writes is a release in steps', async () => {
  const world = await adopted();
  world.edit(SOURCE, 'v0.10.0', 'v0.10.1');
  await world.apply();
  const told = await world.play();
  expect(told[0]).toBe('0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  expect(told.at(-1)).toBe('0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): settled');
  const said = world.repository.log('main').map(({ message }) => message.replaceAll(/\s+/g, ' '));
  expect(said.filter((message) => message.includes(`It was asked for by ${SOURCE}:3 (commit `))).toHaveLength(1);
});

test('an abort pins the earlier one, and the tag that Image Updater writes again changes nothing', async () => {
  const world = await adopted();
  world.edit(SOURCE, 'v0.10.0', 'v0.10.1');
  await world.apply();
  for (let step = 0; step < 2; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.1+');
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  for (let step = 0; step < 6; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  expect(world.files()[SOURCE]).toBe(text('v0.10.1'));
  expect(world.files()[PATCH]).toContain('"$patch": "replace"');
  expect(await world.step()).toContain(`ReleaseAborted: ${ROOT} still builds the template`);
});

const FLUX = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: vllm, namespace: flux-system}
spec: {path: ./${ROOT}}
`;

test.each([
  ['another field', SOURCE, 'kustomize: {namePrefix: a-}\n', 'sets kustomize.namePrefix'],
  ['of a second Application', `${ROOT}/.argocd-source-b.yaml`, text('v1'), 'for two Applications'],
  ['a folder that Flux applies', 'clusters/flux.yaml', FLUX, 'Argo CD alone reads this file'],
])('%s: no step', async (_, file, content, said) => {
  const world = await adopted();
  world.edit(SOURCE, 'v0.10.0', 'v0.10.1');
  await world.apply();
  world.repository.commit('main', { writes: [{ path: file, text: content }], message: 'more' });
  const commits = world.repository.log('main').length;
  const { outcomes } = await world.pass();
  const issues = outcomes.flatMap(({ plan }) => plan?.issues ?? []);
  expect(issues.map(({ message }) => message).join('\n')).toContain(said);
  expect(issues.every(({ hint }) => hint !== '')).toBe(true);
  expect(world.repository.log('main').length).toBe(commits);
  expect(world.files()[COMPONENT]).toBe(BUILT_FILES[COMPONENT]);
});
