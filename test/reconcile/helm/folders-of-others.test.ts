/** What a folder of others says of a HelmRelease, or of the workload that it renders, takes nobody's way back. */

import { expect, test } from 'vitest';
import { RELEASE_TEXT } from '../../support/helm-files.ts';
import { HelmWorld } from '../../support/helm-world.ts';
import { LWS_TEXT } from '../../support/vllm.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
/** Annotations of ours, as whoever merges can write them. */
const MARKS = (world: HelmWorld): string => /^ {2}annotations:\n(?: {4}.*\n)+/m.exec(world.release())?.[0] ?? '';

const OTHERS: readonly (readonly [what: string, text: (world: HelmWorld) => string])[] = [
  ['the same HelmRelease', () => RELEASE_TEXT],
  ['the same HelmRelease with our annotations and entry', (world) => world.release()],
  ['a LeaderWorkerSet of that name', () => LWS_TEXT],
  [
    'a LeaderWorkerSet of that name with our annotations',
    (world) => LWS_TEXT.replace('metadata:\n', `metadata:\n${MARKS(world)}`),
  ],
];

test.each(OTHERS)('%s in another folder: steps stop, it is said, and an abort goes to its end', async (_what, text) => {
  const world = await HelmWorld.halfWay();
  const [groups, written] = [world.groups(), text(world)];
  const writes = [{ path: 'apps/a-team/other.yaml', text: written }];
  world.repository.commit('main', { writes, message: 'theirs' });
  const { issues, outcomes } = await world.pass();
  const own = outcomes.flatMap(({ snapshot }) => snapshot?.issues ?? []);
  expect([...issues, ...own].map(({ reason }) => reason)).toContain('DuplicateObject');
  await world.step(600);
  expect(world.groups()).toBe(groups);
  await world.order(ABORT);
  // What is said of the other one stays.
  for (let step = 0; step < 4; step += 1) await world.step();
  expect([world.groups(), world.subject()]).toEqual([OLD, 'rollout(llm/vllm): rolled back, partition 2 → 1000000']);
  const commits = world.commits();
  await world.step();
  expect(world.commits()).toBe(commits);
  expect(world.repository.text('main', 'apps/a-team/other.yaml')).toBe(written);
});
