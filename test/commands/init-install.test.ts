/** What `tranche init` writes to install tranche, and what it leaves to be replaced and committed. */

import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { clone, git, lws, removeClones } from '../support/init-clone.ts';

afterEach(removeClones);

test('a Deployment with the address of the clone and a binding in each namespace, without what only routes need', async () => {
  const own = clone({ 'apps/a.yaml': lws('vllm'), 'apps/b.yaml': lws('chat', { namespace: 'eu' }) });
  git(own.folder, 'remote', 'add', 'origin', 'git@git.ana.dev:team/models.git');
  const said = await own.run('init --write --policy none');
  expect(said.out).toContain('kubectl apply -k install/overlay');
  const overlay = parse(own.read('install/overlay/kustomization.yaml'));
  expect(overlay).not.toHaveProperty('components');
  expect(parse(overlay.patches[0].patch)[0].value).toBe('https://git.ana.dev/team/models.git');
  // The base keeps its examples: only the image is left to name, and in one place.
  const [line = 0] =
    said.out.match(/put your own in place of the examples: install\/overlay\/kustomization\.yaml:(\d+)\n/)?.slice(1) ??
    [];
  expect(own.read('install/overlay/kustomization.yaml').split('\n')[Number(line) - 1]).toBe(
    '    newName: registry.example.com/tranche',
  );
  expect(said.out.match(/put your own/g)).toHaveLength(1);
  expect(said.out).toContain('\nnext: git add rollouts tranche.yaml install, commit, push;');
  const bindings = own
    .read('install/overlay/bindings.yaml')
    .split('---\n')
    .map((text) => parse(text));
  expect(bindings.map(({ metadata }) => metadata.namespace)).toEqual(['eu', 'llm']);
  expect(new Set(bindings.map(({ roleRef }) => roleRef.name))).toEqual(new Set(['tranche']));
  expect((await own.run('init --run workflow --policy none')).out, 'what makes passes is there').toContain(
    'nothing to add',
  );
});

test.each([
  ['ghcr.io/ana/tranche:0.1.0', { newName: 'ghcr.io/ana/tranche', newTag: '0.1.0' }],
  [`localhost:5000/t@sha256:${'a'.repeat(64)}`, { newName: 'localhost:5000/t', digest: `sha256:${'a'.repeat(64)}` }],
])('an image that is named leaves nothing to replace: %s', async (image, wanted) => {
  const own = clone({ 'apps/a.yaml': lws('vllm') });
  git(own.folder, 'remote', 'add', 'origin', 'git@git.ana.dev:team/models.git');
  const { out } = await own.run(`init --write --image ${image}`);
  expect(out).not.toContain('put your own');
  const { images } = parse(own.read('install/overlay/kustomization.yaml'));
  expect(images).toEqual([{ name: 'registry.example.com/tranche', ...wanted }]);
});

test.each(['tranche', 'x:1\n-y', '$(id):1', 'a@sha256:0'])(
  'an image without a version or that is none: %j',
  async (image) => {
    const own = clone({ 'apps/a.yaml': lws('vllm') });
    const { code, err } = await own.run(`init --write --image ${image}`);
    expect([code, err]).toEqual([2, expect.stringContaining('--image is ')]);
    expect(own.files()).toEqual(['apps/a.yaml']);
  },
);

test('a folder that was there is not added as a whole', async () => {
  const own = clone({ 'apps/a.yaml': lws('vllm'), 'rollouts/README.md': 'x' });
  expect((await own.run('init --write --run none')).out).toContain(
    '\nnext: git add rollouts/vllm.yaml tranche.yaml policies, commit',
  );
});
