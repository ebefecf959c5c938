/** A newer template of another shape, where the Rollout routes traffic: lint of the files alone has nothing to say, a pass refuses it. */

import { expect, test } from 'vitest';
import type { Issue } from '../../src/api/issue.ts';
import { linted } from '../support/linted.ts';
import { TRAFFIC_FILES } from '../support/traffic-files.ts';
import { LWS_FILE, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

async function found(files: Readonly<Record<string, string>>): Promise<readonly Issue[]> {
  const { out } = await linted(new World({ files }), { output: 'json' });
  return (JSON.parse(out) as { readonly issues: readonly Issue[] }).issues;
}

test.each([
  ['size', 'sizeChange: Whole', 'size: 2', 'size: 4'],
  ['subGroupSize', 'recreate: Allow', 'size: 2', 'size: 2\n    subGroupPolicy: {subGroupSize: 1}'],
])('ShapeChangeRefused: %s, whatever policies allow', async (field, rule, from, to) => {
  const policy = `apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: p}\nspec: {${rule}}\n`;
  const world = new World({ files: { ...VLLM_FILES, 'policies/p.yaml': policy } });
  world.sync();
  world.tick(60);
  await world.pass();
  world.sync();
  for (const [path, text] of Object.entries(TRAFFIC_FILES))
    if (path !== LWS_FILE) world.repository.commit('main', { writes: [{ path, text }], message: `add ${path}` });
  world.edit(LWS_FILE, from, to);
  const issues = await found(world.repository.files('main'));
  expect(issues.filter(({ reason }) => reason === 'ShapeChangeRefused')).toEqual([]);
  const { outcomes } = await world.pass();
  const told = outcomes[0]?.plan?.issues.filter(({ reason }) => reason === 'ShapeChangeRefused') ?? [];
  expect(told).toMatchObject([{ file: LWS_FILE }]);
  expect(told[0]?.path).toMatch(new RegExp(`${field}$`));
});
