/** The status branch holds no record and takes none, and nothing dates a drain: it says why it waits and for what, and both ways out work. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../src/api/config.ts';
import type { Git } from '../../src/ports/git.ts';
import { order } from '../../src/reconcile/order.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { type Dates, datedCluster } from '../support/dated-cluster.ts';
import { filesOf, LWS } from '../support/forged-share.ts';
import { World } from '../support/world.ts';

const STATUS = 'tranche-status';
const ROUND_SECONDS = 60;
const PASSES_MOST = 40;

/** A rule on the server takes no push that has the status branch in it, and somebody has deleted that branch. */
function refusing({ repository }: World): Git {
  return repository.open({
    before: ({ kind }) => (kind === 'push' ? { kind: 'refuse', branch: STATUS, rule: 'protected' } : undefined),
  });
}

class Delivery {
  readonly world: World;
  /** Of objects that were applied so that the API server notes the time; not there: none were. */
  dates: Dates | undefined;
  isRefused = false;

  constructor(style: string) {
    this.world = new World({ files: filesOf(style) });
  }

  /** What is said of the drain, or what the pass has written. */
  async round(): Promise<string> {
    const { world, dates } = this;
    const before = world.repository.head('main');
    world.sync();
    world.tick(ROUND_SECONDS);
    const { cluster } = world.ports();
    const git = this.isRefused ? { git: refusing(world) } : {};
    const seen = dates === undefined ? {} : { cluster: datedCluster(cluster, { dates, now: world.now }) };
    const { outcomes } = await world.pass({ ...git, ...seen });
    if (world.repository.head('main') !== before) return world.subject();
    return outcomes.flatMap(({ plan }) => plan?.holds.map(({ message }) => message) ?? []).join('\n');
  }

  async abort(now = false): Promise<void> {
    const at = { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ana' };
    const intent = { kind: 'abort', keepNewer: false, now } as const;
    await order(this.world.ports(), at, ({ snapshot }) => planIntent(intent, { snapshot, digestOf: () => '5be07c11' }));
  }

  async until(wanted: RegExp): Promise<string> {
    const said: string[] = [];
    for (let round = 0; round < PASSES_MOST; round += 1) {
      said.push(await this.round());
      if (wanted.test(said.at(-1) ?? '')) return said.at(-1) ?? '';
    }
    throw new Error(`never ${wanted}: ${[...new Set(said)].join('\n')}`);
  }
}

async function draining(style: string): Promise<{ readonly at: Delivery; readonly said: string }> {
  const at = new Delivery(style);
  for (let round = 0; round < 3; round += 1) await at.round();
  at.world.edit(LWS, 'v0.10.0', 'v0.10.1');
  await at.until(/traffic: .*%/);
  await at.round();
  at.world.repository.setHead(STATUS, undefined);
  at.isRefused = true;
  await at.abort();
  await at.until(/gets no new requests/);
  await at.round();
  return { at, said: await at.round() };
}

const OBJECTS =
  'HTTPRoute chat, Service vllm-svc, Service vllm-svc-canary do not say when they were last changed (metadata.managedFields)';

test.each([
  ['canary', 'canary'],
  ['partition with a route', 'partition with a route'],
])('%s: the drain names the refusal, the objects and what helps, and that helps', async (_, style) => {
  const { at, said } = await draining(style);
  expect(said).toContain('60 s of 60 s are left');
  expect(said).toContain(`No record counts them (the push to ${STATUS} was refused: protected)`);
  for (const object of OBJECTS.split(/, | do /).slice(0, 3)) expect(said).toContain(object);
  expect(said).toContain('do not say when they were last changed (metadata.managedFields)');
  expect(said).toContain('kubectl apply --server-side');
  at.dates = new Map();
  await at.until(/rolled back|settled/);
});

test('partition with a route: the order that it names does not wait for it', async () => {
  const { at, said } = await draining('partition with a route');
  expect(said).toMatch(/tranche abort \S+ --now$/m);
  await at.abort(true);
  await at.until(/rolled back|settled/);
});

test('once the server takes records again, the drain counts', async () => {
  const { at } = await draining('canary');
  at.isRefused = false;
  expect(await at.round()).not.toContain('No record counts them');
  await at.until(/rolled back|settled/);
});
