/** The label of a release, by a hand in the files of a folder that kustomize builds: it is not handed back at that, and the way is named. */

import { expect, test } from 'vitest';
import { adopted } from '../../support/built-world.ts';

const BASE = 'apps/vllm/base/lws.yaml';
const [OWN, LABELLED] = ['labels: {app: vllm}', `labels: {app: vllm, tranche.dev/version: "${'f'.repeat(32)}.9"}`];
const HAND_BACK = { abort: false, partition: undefined };

test('handed back only once it is taken back, and no group restarts', async () => {
  const world = await adopted();
  const leaders = (): readonly unknown[] =>
    world.cluster.objects.list('pods', 'llm').map(({ metadata: { name, uid } }) => [name, uid]);
  const before = leaders();
  const look = async (): Promise<void> => {
    await world.apply();
    for (let count = 0; count < 2; count += 1) await world.step();
  };
  world.edit(BASE, OWN, LABELLED);
  await look();
  expect(await world.order(HAND_BACK)).toContain('apps/vllm/prod builds the label tranche.dev/version');
  await look();
  expect(leaders()).toEqual(before);
  world.edit(BASE, LABELLED, OWN);
  await look();
  expect(await world.order(HAND_BACK)).toContain('eject, patch removed');
  await look();
  expect(leaders()).toEqual(before);
});
