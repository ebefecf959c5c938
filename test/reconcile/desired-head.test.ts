/** Orders and `status` go by the configuration of the branch that passes go by, whichever branch names it. */

import { expect, test } from 'vitest';
import { ConfigError } from '../../src/reconcile/documents/read-config.ts';
import { desiredHead } from '../../src/reconcile/observe/read-settings.ts';
import { order } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { readPicture } from '../../src/reconcile/read-picture.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const OWN = 'branches: {desired: release, status: of-release}\ncluster: west\n';

/** Main names the branch, which has another configuration. */
function worldWith(own: string): World {
  const world = new World({
    files: { ...VLLM_FILES, 'tranche.yaml': 'branches: {desired: release}\ncluster: east\n' },
  });
  const writes = Object.entries({ ...VLLM_FILES, 'tranche.yaml': own }).map(([path, text]) => ({ path, text }));
  world.repository.commit('release', { writes });
  return world;
}

test('an order is written where a pass reads it, and status shows what that pass wrote', async () => {
  const world = worldWith(OWN);
  await world.pass();
  const at = { target: { name: 'vllm', namespace: '' }, overrides: NO_OVERRIDES, by: 'ada' };
  const ordered = await order(world.ports(), at, ({ snapshot }) =>
    planIntent({ kind: 'pause' }, { snapshot, digestOf: () => '' }),
  );
  expect(ordered.kind).toBe('written');
  expect(world.repository.text('release', ROLLOUT_FILE)).toContain('paused: true');
  expect(world.repository.text('main', ROLLOUT_FILE)).not.toContain('paused: true');
  expect(world.repository.log('release')[0]?.message).toContain('Rollout: west/llm/vllm');
  const { shown } = await readPicture(world.ports(), NO_OVERRIDES);
  expect(shown.map(({ record }) => record.cluster)).toEqual(['west']);
});

test('the command line has the last word', async () => {
  const { git } = worldWith(OWN).ports();
  expect((await desiredHead(git, { ...NO_OVERRIDES, branch: 'main' })).config.cluster).toBe('east');
  expect((await desiredHead(git, NO_OVERRIDES)).config).toMatchObject({ cluster: 'west', statusBranch: 'of-release' });
});

test.each([
  ['a circle, where one names none', { main: 'release', release: undefined }, 'main names release, release names main'],
  ['more of them than are followed', { main: 'a', a: 'b', b: 'c', c: 'c' }, 'main names a, a names b, b names c'],
] as const)('%s: what it says to write into each ends it', async (_what, named, said) => {
  const world = new World({ files: VLLM_FILES });
  const write = (branch: string, to: string | undefined) =>
    world.repository.commit(branch, {
      writes: [
        {
          path: 'tranche.yaml',
          text: `cluster: of-${branch}\n${to === undefined ? '' : `branches: {desired: ${to}}\n`}`,
        },
      ],
    });
  for (const [branch, to] of Object.entries(named)) write(branch, to);
  const { git } = world.ports();
  const found = await desiredHead(git, NO_OVERRIDES).catch((error: unknown) => error);
  const [issue] = found instanceof ConfigError ? found.issues : [];
  expect(issue).toMatchObject({ reason: 'BranchesInCircle', message: expect.stringContaining(`: ${said} (`) });
  const last = Object.keys(named).at(-1) ?? '';
  expect(issue?.hint).toContain(
    'as branches.desired into the file of each of them, also into its own, or say --branch',
  );
  expect((await desiredHead(git, { ...NO_OVERRIDES, branch: last })).config.cluster).toBe(`of-${last}`);
  for (const branch of Object.keys(named)) write(branch, last);
  expect((await desiredHead(world.ports().git, NO_OVERRIDES)).config.cluster).toBe(`of-${last}`);
});

test('a fault of steps alone keeps no order, and anyone who only looks is told', async () => {
  for (const [fault, kind, said] of [
    ['intervalSeconds: soon\n', 'written', ['3 BadNumber']],
    ['auditSecond: 60\n', 'ConfigError', ['tranche.yaml:3:', 'tranche.yaml:1:']],
  ] as const) {
    const world = worldWith(`${OWN}${fault}`);
    const at = { target: { name: 'vllm', namespace: '' }, overrides: NO_OVERRIDES, by: 'ada' };
    const ordered = await order(world.ports(), at, ({ snapshot }) =>
      planIntent({ kind: 'pause' }, { snapshot, digestOf: () => '' }),
    ).catch((error: Error) => ({ kind: error.name }));
    expect(ordered.kind).toBe(kind);
    const faults = await readPicture(world.ports(), NO_OVERRIDES).then(
      (picture) => picture.faults?.map(({ line, reason }) => `${line} ${reason}`),
      (error: Error) => error.message.split('\n').map((line) => line.slice(0, 15)),
    );
    expect(faults).toEqual(said);
  }
});
