/** A folder that nobody has taken over yet and that cannot be built: what is wrong with it is said, at its file. */

import { expect, test } from 'vitest';
import type { Builder } from '../../../src/ports/builder.ts';
import { BUILT_FILES, BuiltWorld, COMPONENT, OVERLAY } from '../../support/built-world.ts';

type Files = Readonly<Record<string, string>>;

const without = (path: string): Files =>
  Object.fromEntries(Object.entries(BUILT_FILES).filter(([file]) => file !== path));
const BASE = 'apps/vllm/base/kustomization.yaml';
const LWS = 'apps/vllm/base/lws.yaml';

/** What the pass says of the Rollout, by reason and place. */
async function said(world: BuiltWorld, builder: Builder = world.builder): Promise<readonly string[]> {
  const commits = world.repository.log('main').length;
  const { outcomes } = await world.pass({ builder });
  expect(world.repository.log('main').length, 'nothing is written').toBe(commits);
  return outcomes
    .flatMap(({ plan }) => plan?.issues ?? [])
    .map((one) => `${one.reason} ${one.file}:${one.line} ${one.message}`);
}

const lineOf = (file: string, text: string): number =>
  (BUILT_FILES[file] ?? '').split('\n').findIndex((line) => line.includes(text)) + 1;

const MISSING = `no LeaderWorkerSet llm/prod-vllm in the files that were read; ${OVERLAY} may build it, and is not built`;

test.each<readonly [what: string, files: Files, place: string, message: string]>([
  [
    'a component that is not there',
    without(COMPONENT),
    `UnsupportedLayout ${OVERLAY}:${lineOf(OVERLAY, '../components')}`,
    'the kustomization takes components/images, which is not a folder with a kustomization',
  ],
  [
    'a base that is not there, and with it all that tells of a LeaderWorkerSet',
    { ...without(BASE), [LWS]: '' },
    `UnsupportedLayout ${OVERLAY}:${lineOf(OVERLAY, '../base')}`,
    'the kustomization takes apps/vllm/base, which is not a file or a folder with a kustomization',
  ],
  [
    'a patch that finds nothing',
    {
      ...BUILT_FILES,
      [OVERLAY]: `${BUILT_FILES[OVERLAY]}patches: [{path: absent.yaml}]\n`,
      'apps/vllm/prod/absent.yaml':
        'apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: other}\nspec: {replicas: 2}\n',
    },
    `BuildFails ${OVERLAY}:0`,
    'no matches for Id',
  ],
])('%s: named with its file, and nothing written', async (_, files, place, message) => {
  const world = new BuiltWorld({ files });
  await world.apply();
  const [first = '', second = '', ...more] = await said(world);
  expect(first).toContain(place);
  expect(first).toContain(message);
  expect(second).toContain(MISSING);
  expect(more).toEqual([]);
});

test('no YAML in a kustomization: the line of it', async () => {
  const world = new BuiltWorld({ files: { ...BUILT_FILES, [COMPONENT]: `${BUILT_FILES[COMPONENT]}images: [\n` } });
  const told = await said(world);
  expect(told.join('\n')).toContain(COMPONENT);
  expect(told.join('\n')).toContain(MISSING);
});

test('kustomize is named and not there', async () => {
  const world = new BuiltWorld();
  const seen = '/opt/kustomize is not there';
  const builder: Builder = {
    isNamed: true,
    build: () => Promise.resolve({ kind: 'refused', cause: 'missing', seen, hint: 'Install it.' }),
  };
  const told = await said(world, builder);
  expect(told[0]).toBe(`BuilderMissing ${OVERLAY}:0 ${seen}`);
  expect(told[1]).toContain(MISSING);
});

test('the manifest has the very name, and its folder is not built: that is said, and no way to name kustomize', async () => {
  const files = {
    ...without(COMPONENT),
    [OVERLAY]: (BUILT_FILES[OVERLAY] ?? '').replace(
      'namePrefix: prod-',
      'images: [{name: REPLACE_MODEL_SERVER_IMAGE, newTag: v1}]',
    ),
    [LWS]: (BUILT_FILES[LWS] ?? '').replace('name: vllm\n', 'name: prod-vllm\n  namespace: llm\n'),
  };
  const told = await said(new BuiltWorld({ files }));
  expect(told).toEqual([expect.stringContaining('takes components/images, which is not a folder')]);
});
