/** A RouteProvider whose expression grows in the middle of a delivery: each pass says so at the line of the route, and the way back is free of it. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../../src/api/config.ts';
import { order } from '../../../src/reconcile/order.ts';
import { planIntent } from '../../../src/rollout/orders/intent.ts';
import { commonFiles, ownFiles } from '../../scenarios/check-stories.ts';
import { World } from '../../support/world.ts';

const PASSES_MOST = 40;
const LWS = 'apps/vllm/lws.yaml';
const PROVIDER = 'tranche/routes.yaml';
const FILES: Readonly<Record<string, string>> = Object.assign(
  {},
  ...['vllm-without-requests', 'vllm-service'].map(commonFiles),
  ownFiles('canary-with-a-route-provider'),
);
const GROWS = `
  patch:
    - op: add
      path: /spec/backends/0/note
      cel: '"a".split("").join("bb").split("")[0]'
`;

async function passed(world: World) {
  world.sync();
  world.tick(60);
  const { outcomes } = await world.pass();
  return outcomes[0]?.plan;
}

let started: Promise<World> | undefined;
async function start(): Promise<World> {
  const world = new World({ files: FILES });
  for (let pass = 0; pass < 3; pass += 1) await passed(world);
  world.edit(LWS, 'v0.10.0', 'v0.10.1');
  return world;
}

/** The delivery stands there, and the RouteProvider is another from then on. */
async function grownAt(mark: RegExp): Promise<World> {
  started ??= start();
  const world = (await started).fork();
  for (let pass = 0; pass < PASSES_MOST && !mark.test(world.repository.text('main', LWS) ?? ''); pass += 1)
    await passed(world);
  expect(world.repository.text('main', LWS)).toMatch(mark);
  const text = `${world.repository.text('main', PROVIDER)?.trimEnd()}${GROWS}`;
  world.repository.commit('main', { writes: [{ path: PROVIDER, text }], message: 'an expression that grows' });
  return world;
}

test.each([
  ['before its groups', /step: "1\/2@[^]*rung: "template"/],
  ['before its share', /step: "1\/2@[^]*rung: "pods"/],
  ['with its share', /step: "1\/2@[^]*rung: "traffic"/],
  ['with its share, in the next step', /step: "2\/2@[^]*rung: "pods"/],
])('%s: it is named, and no other hold is in its place', async (_, mark) => {
  const world = await grownAt(mark);
  const head = world.repository.head('main');
  for (let pass = 0; pass < 4; pass += 1) {
    const plan = await passed(world);
    const issues = plan?.issues.map(({ reason, file, line }) => [reason, file, line]);
    expect(issues, JSON.stringify(plan?.holds)).toEqual([['ExpressionFails', 'apps/vllm/split.yaml', 7]]);
    expect(plan?.holds.filter(({ reason }) => reason === 'CanaryEdited')).toEqual([]);
    if (pass === 3) expect(plan?.holds.map(({ reason }) => reason)).toEqual(['Stalled']);
  }
  expect(world.repository.head('main')).toBe(head);
  const done = await order(
    world.ports(),
    { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ana' },
    ({ snapshot }) => planIntent({ kind: 'abort', keepNewer: false }, { snapshot, digestOf: () => '5be07c11' }),
  );
  expect(done.kind).toBe('written');
  for (let pass = 0; pass < PASSES_MOST && !world.subject().includes('rolled back'); pass += 1) await passed(world);
  expect(world.subject()).toContain('rolled back');
  expect(world.repository.text('main', 'apps/vllm/split.yaml')).toBe(FILES['apps/vllm/split.yaml']);
});
