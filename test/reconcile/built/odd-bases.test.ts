/** Bases that are no folders of this repository, and files that are no text: nothing of them is built, and nothing else waits. */

import { expect, test } from 'vitest';
import { BUILT_FILES, type BuiltWorld, HALF, halfDelivered, OLD_TAG, PATCH, ROOT } from '../../support/built-world.ts';
import type { FakeRepository } from '../../support/fake-git.ts';

const BASE = 'apps/vllm/base';
const LWS = `${BASE}/lws.yaml`;
const THEIRS = 'apps/other/prod';

/** What becomes of the base `at`, of which each file is named in `files`. */
type Odd = (repository: FakeRepository, at: string, files: readonly string[]) => void;

const without = (repository: FakeRepository, files: readonly string[]): void => {
  repository.commit('main', { writes: files.map((path) => ({ path, text: undefined })), message: 'away' });
};

const ODD: readonly (readonly [what: string, odd: Odd, held: string])[] = [
  [
    'a folder that is a link',
    (repository, at, files) => {
      without(repository, files);
      repository.link('main', at, '../../elsewhere');
    },
    'apps/vllm/prod/kustomization.yaml:7: the kustomization takes apps/vllm/base, which cannot be read: it is a symbolic link or a submodule, which is not followed',
  ],
  [
    'a folder that is a submodule',
    (repository, at, files) => {
      without(repository, files);
      repository.submodule('main', at);
    },
    'apps/vllm/prod/kustomization.yaml:7: the kustomization takes apps/vllm/base, which cannot be read: it is a symbolic link or a submodule, which is not followed',
  ],
  [
    'a kustomization that is a link',
    (repository, at) => {
      without(repository, [`${at}/kustomization.yaml`]);
      repository.link('main', `${at}/kustomization.yaml`, '../../../etc/passwd');
    },
    'apps/vllm/prod/kustomization.yaml:7: the kustomization takes apps/vllm/base, which is not a file or a folder with a kustomization',
  ],
  [
    'a file that is a link out of the repository',
    (repository, at) => {
      without(repository, [`${at}/lws.yaml`]);
      repository.link('main', `${at}/lws.yaml`, '/etc/passwd');
    },
    'apps/vllm/base/kustomization.yaml:1: the kustomization takes apps/vllm/base/lws.yaml, which cannot be read: it is a symbolic link or a submodule, which is not followed',
  ],
  [
    'a file that is not UTF-8',
    (repository, at) => {
      const text = Buffer.from([0x6b, 0x69, 0x6e, 0x64, 0x3a, 0xff, 0xfe, 0x0a]);
      repository.commit('main', { writes: [{ path: `${at}/lws.yaml`, text }], message: 'bytes' });
    },
    'apps/vllm/base/kustomization.yaml:1: the kustomization takes apps/vllm/base/lws.yaml, which cannot be read: it is not UTF-8',
  ],
];

/** Half delivered. */
async function half(files: Readonly<Record<string, string>> = {}): Promise<BuiltWorld> {
  const world = await halfDelivered({ files: { ...BUILT_FILES, ...files } });
  expect(world.groups('prod-vllm')).toBe(HALF);
  return world;
}

const OWN_FILES = [LWS, `${BASE}/service.yaml`, `${BASE}/kustomization.yaml`];

test.each(ODD)('own base, %s: no step and the line, and an abort goes', async (_what, odd, held) => {
  const world = await half();
  odd(world.repository, BASE, OWN_FILES);
  const main = world.repository.head('main');
  const { outcomes } = await world.pass();
  expect(world.repository.head('main')).toBe(main);
  const issues = outcomes.flatMap(({ plan }) => plan?.issues ?? []);
  expect(issues.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n')).toContain(held);
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  expect(await world.step()).toContain('rollback');
  expect(world.files()[PATCH]).toContain(`vllm/vllm-openai:${OLD_TAG}`);
});

const OTHERS = {
  [`${THEIRS}/kustomization.yaml`]: 'resources: [../base]\n',
  'apps/other/base/kustomization.yaml': 'resources: [lws.yaml]\n',
  'apps/other/base/lws.yaml': BUILT_FILES[LWS]!.replace('name: vllm', 'name: theirs'),
};

test.each(ODD)('a base of others, %s: it is not built, and an abort goes', async (_what, odd) => {
  const world = await half(OTHERS);
  odd(world.repository, 'apps/other/base', Object.keys(OTHERS).slice(1));
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  expect(await world.step()).toContain('rollback');
  expect(world.builder.built.filter((root) => root !== ROOT)).toEqual([]);
});
