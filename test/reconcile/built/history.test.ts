/** `history` and `verify-history` of a workload that kustomize builds: what each commit built, and who took it from our patch. */

import { expect, test } from 'vitest';
import { readHistory } from '../../../src/reconcile/log/history.ts';
import { verifyHistory } from '../../../src/reconcile/log/verify-history.ts';
import { NO_OVERRIDES } from '../../../src/reconcile/pass.ts';
import { type BuiltWorld, COMPONENT, halfDelivered, NEW_TAG, OVERLAY, PATCH } from '../../support/built-world.ts';

const ALL = { name: '', namespace: '', since: undefined };

test('a delivery has the images of its build, and the commit that changed a shared component', async () => {
  const world = await halfDelivered();
  await world.play();
  const found = await readHistory(world.ports(), NO_OVERRIDES, ALL);
  if (typeof found === 'string') throw new Error(found);
  const [delivery, adopted] = found.deliveries;
  expect(delivery?.images).toEqual([`vllm/vllm-openai:${NEW_TAG}`]);
  expect([delivery?.isBorneOut, adopted?.isBorneOut]).toEqual([true, true]);
  const asked = world.repository.log('main').find(({ message }) => message === `edit ${COMPONENT}`);
  expect(delivery?.requested?.commit).toBe(asked?.oid);
  expect(delivery?.changes?.join('\n')).toMatch(/^\+ .*"vllm\/vllm-openai:v0\.10\.1"$/m);
  expect(delivery?.steps.map(({ groups }) => groups?.updated)).toEqual([undefined, undefined, 4, 2, 1]);
});

test('every step is looked at in what its commit builds', async () => {
  const world = await halfDelivered();
  await world.play();
  const chain = await verifyHistory(world.ports(), NO_OVERRIDES, ALL);
  if (typeof chain === 'string') throw new Error(chain);
  expect([chain.faults, chain.notLooked, chain.steps]).toEqual([[], [], 6]);
});

test.each([
  ['the entry is taken out', (world: BuiltWorld) => world.edit(OVERLAY, 'transformers:\n  - tranche/apply.yaml\n', '')],
  ['a number in the patch', (world: BuiltWorld) => world.edit(PATCH, 'partition: 2', 'partition: 1')],
])('%s, past tranche: said, with the commit', async (_, past) => {
  const world = await halfDelivered();
  past(world);
  const [commit] = world.repository.log('main');
  const chain = await verifyHistory(world.ports(), NO_OVERRIDES, ALL);
  if (typeof chain === 'string') throw new Error(chain);
  expect(chain.faults.map(({ reason, commit: oid }) => [reason, oid])).toEqual([['MarksWrittenPast', commit?.oid]]);
});
