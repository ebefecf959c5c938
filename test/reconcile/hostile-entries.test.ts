/** A file of a delivery that becomes a link, a submodule or a folder on main: nothing is written through it, and it is named. */

import { beforeAll, describe, expect, test } from 'vitest';
import { BareWorld, type Moment } from '../support/bare-world.ts';
import { pipeToGit } from '../support/git-server.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

let world: BareWorld;
let moving: Moment;
beforeAll(async () => {
  world = await BareWorld.open({
    ...VLLM_FILES,
    'notes/target.yaml': 'a: b\n',
  });
  await world.rounds(3, {});
  await world.edit(LWS_FILE, OLD, NEW);
  await world.rounds(2, {});
  moving = await world.moment();
});

/** The entry of a file becomes one of this mode; a folder has the file in it. */
async function entry(path: string, mode: string): Promise<void> {
  const lines = [
    'commit refs/heads/main',
    'committer eve <eve@example.com> 1700000000 +0000',
    'data 4\nedit',
    'from refs/heads/main^0',
    `D ${path}`,
    ...(mode === '160000' ? [`M 160000 ${'c'.repeat(40)} ${path}`] : []),
    ...(mode === '120000' ? [`M 120000 inline ${path}\ndata 24\n../../notes/target.yaml\n`] : []),
    ...(mode === '040000' ? [`M 100644 inline ${path}/a.yaml\ndata 6\na: b\n\n`] : []),
    '',
  ];
  await pipeToGit(world.repository.path, ['fast-import', '--quiet', '--force'], Buffer.from(lines.join('\n')));
}

const MODES = [
  ['a link', '120000'],
  ['a submodule', '160000'],
  ['a folder', '040000'],
] as const;

describe.each([
  ['the workload', LWS_FILE, 'WorkloadMissing'],
  ['the Rollout', ROLLOUT_FILE, 'LockedWithoutRollout'],
])('%s', (_what, path, reason) => {
  test.each(MODES)('becomes %s: it stays that, no group restarts, and it is said by name', async (_kind, mode) => {
    await world.back(moving);
    await entry(path, mode);
    const before = await world.repository.git('rev-parse', 'main');
    const pods = (): readonly unknown[] =>
      world.cluster.store.objects.list('pods').map(({ metadata: { name, uid } }) => [name, uid]);
    const were = pods();
    const said: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      world.cluster.tick(60);
      const { outcomes, issues } = await world.pass();
      const plans = outcomes.flatMap(({ plan }) => [...(plan?.holds ?? []), ...(plan?.issues ?? [])]);
      said.push(...[...issues, ...plans].map((one) => one.reason));
      expect(outcomes.map(({ error }) => error)).toEqual(outcomes.map(() => undefined));
    }
    expect(said).toContain(reason);
    expect([await world.repository.git('rev-parse', 'main'), pods()]).toEqual([before, were]);
    expect(await world.text('main', 'notes/target.yaml')).toBe('a: b\n');
  });
});
