/** Names of files that we would not choose: nobody's Rollout stands still for them. */

import { expect, test } from 'vitest';
import { LWS_TEXT, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const second = (text: string): string => text.replaceAll('name: vllm', 'name: second');

test.each([
  ['a file that is nobody’s', 'docs/a\\b.md', 'hello\n'],
  ['a workload', 'apps/se\\cond\u0001.yaml', second(LWS_TEXT)],
])('%s with a backslash in its name: every Rollout goes on', async (_what, path, text) => {
  const files = { ...VLLM_FILES, 'rollouts/second.yaml': second(ROLLOUT_TEXT), 'apps/second.yaml': second(LWS_TEXT) };
  const world = new World({ files: VLLM_FILES });
  const others = path.startsWith('apps/') ? { ...files, 'apps/second.yaml': undefined } : files;
  const writes = Object.entries({ ...others, [path]: text }).map(([at, content]) => ({ path: at, text: content }));
  world.repository.commit('main', { writes });
  world.sync();
  world.tick(60);
  const result = await world.pass();
  expect(result.outcomes.map(({ key, written, error }) => [key.name, written !== undefined, error])).toEqual([
    ['second', true, undefined],
    ['vllm', true, undefined],
  ]);
  const after = world.repository.files('main');
  expect(Object.keys(after).filter((at) => at.includes('\\'))).toEqual([path]);
  expect(path.startsWith('apps/') ? after[path] : after['apps/second.yaml']).toContain('tranche.dev/release');
});

test('a file where the folder of the records should be: nothing steps, and the message says what to remove', async () => {
  const world = new World({ files: VLLM_FILES });
  world.repository.commit('tranche-status', { writes: [{ path: 'rollouts', text: 'mine\n' }], orphan: true });
  world.sync();
  world.tick(60);
  const { outcomes, failed } = await world.pass();
  expect(failed).toBe(true);
  const said = outcomes.flatMap(({ plan }) => plan?.holds ?? []).map(({ reason, message }) => `${reason}: ${message}`);
  expect(said).toEqual([
    expect.stringMatching(/^StatusRefused: .*"rollouts" is not a folder.*Remove or rename "rollouts"/),
  ]);
  expect(said.join()).not.toContain('Allow the identity');
});
