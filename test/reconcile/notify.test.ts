/** People are notified of a delivery: after the push, once, again where it failed, and no step ever waits for it. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openNotifier } from '../../src/adapters/notify/open-notifier.ts';
import type { Json } from '../../src/api/json.ts';
import { PortError } from '../../src/ports/port-error.ts';
import type { PassResult, Ports } from '../../src/reconcile/pass.ts';
import { checksumOf } from '../../src/reconcile/status/record-store.ts';
import { digestOf } from '../../src/reconcile/status/signed.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done)))));

type Got = { readonly event: string; readonly key: string; readonly headed: string; readonly stepOnMain: string };

/** A target that answers with what `status` says at the time, and notes what main says meanwhile. */
async function target(world: World, status: () => number) {
  const got: Got[] = [];
  const server = createServer((request, answer) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString('utf8')));
    request.on('end', () => {
      const code = status();
      const { event, key } = JSON.parse(body) as { readonly event: string; readonly key: string };
      if (code < 300)
        got.push({ event, key, headed: String(request.headers['idempotency-key']), stepOnMain: world.subject() });
      answer.writeHead(code).end();
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const env = { TRANCHE_NOTIFY_PROD: `http://127.0.0.1:${port}/`, TRANCHE_NOTIFY_ALLOW_PRIVATE: 'true' };
  return { got, notifier: openNotifier({ env, authorities: async () => undefined }) };
}

const RECORD = 'rollouts/default/llm/vllm.json';
const POLICY =
  'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: told}\nspec:\n  notify:\n    - {to: prod, as: webhook}\n';

function vllm(signed = true): World {
  const rollout = ROLLOUT_TEXT.replace(
    /steps:[\s\S]*$/,
    'steps:\n        - replicas: 1\n          pause: {duration: 0}\n        - replicas: 100%\n',
  );
  return new World({ files: { ...VLLM_FILES, [ROLLOUT_FILE]: rollout, 'policies/told.yaml': POLICY }, signed });
}

/** Passes until the delivery is settled, or this many. */
async function rounds(world: World, ports: Partial<Ports>, most: number): Promise<PassResult | undefined> {
  let last: PassResult | undefined;
  for (let round = 0; round < most; round += 1) {
    world.sync();
    world.tick(60);
    last = await world.pass(ports);
  }
  return last;
}

const EVENTS = ['started', 'step', 'step', 'done'];

test('of each event once, when what it tells of is on main; and a pass after it has nothing to do', async () => {
  const world = vllm();
  const { got, notifier } = await target(world, () => 204);
  await rounds(world, { notifier }, 3);
  world.edit(LWS_FILE, OLD, NEW);
  await rounds(world, { notifier }, 14);
  expect(got.map(({ event }) => event)).toEqual(EVENTS);
  expect(new Set(got.map(({ key }) => key)).size).toBe(EVENTS.length);
  for (const { key, headed } of got) expect(decodeURI(headed)).toBe(key);
  expect(got[1]?.stepOnMain).toContain('step 1/2');
  expect(got[3]?.stepOnMain).toContain('settled');
  const heads = [world.repository.head('main'), world.repository.head('tranche-status')];
  expect((await rounds(world, { notifier }, 2))?.quiet).toBe(true);
  expect([world.repository.head('main'), world.repository.head('tranche-status')]).toEqual(heads);
});

test('a target that fails is asked again with each pass, is named, and holds nothing up', async () => {
  const world = vllm();
  let code = 500;
  const { got, notifier } = await target(world, () => code);
  await rounds(world, { notifier }, 3);
  world.edit(LWS_FILE, OLD, NEW);
  const last = await rounds(world, { notifier }, 14);
  expect(world.subject()).toContain('settled');
  expect(last?.warnings.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
    'NotifyFailed the target prod of notify got no notification: it answered 500',
  ]);
  expect(got).toEqual([]);
  code = 200;
  await rounds(world, { notifier }, 2);
  expect(got.map(({ event }) => event)).toEqual(EVENTS);
  expect((await rounds(world, { notifier }, 2))?.quiet).toBe(true);
});

test('where it cannot be recorded that they were told, they are told again with the same key', async () => {
  const world = vllm();
  const { got, notifier } = await target(world, () => 200);
  await rounds(world, { notifier }, 3);
  world.edit(LWS_FILE, OLD, NEW);
  world.sync();
  const git = world.repository.open();
  const push: typeof git.push = async (updates) => {
    if (updates.every(({ branch }) => branch === 'tranche-status') && got.length > 0)
      throw new PortError('gone', { port: 'git', operation: 'push', retryable: true, hint: '' });
    return git.push(updates);
  };
  await rounds(world, { notifier, git: { ...git, push } }, 1);
  const once = got.length;
  await rounds(world, { notifier }, 1);
  expect(once).toBeGreaterThan(0);
  expect(got.slice(once, 2 * once).map(({ key }) => key)).toEqual(got.slice(0, once).map(({ key }) => key));
});

test('a record that somebody changes before its notification is recorded: its number is not gone by', async () => {
  const world = vllm();
  const { got, notifier } = await target(world, () => 200);
  await rounds(world, { notifier }, 3);
  world.edit(LWS_FILE, OLD, NEW);
  world.sync();
  const git = world.repository.open();
  const numberThere = () => /"number": (\d+)/.exec(world.repository.text('tranche-status', RECORD) ?? '')?.[1];
  const push: typeof git.push = async (updates) => {
    const pushed = await git.push(updates);
    const text = (world.repository.text('tranche-status', RECORD) ?? '').replace(
      /"number": \d+/,
      `"number": ${2 ** 53 - 2}`,
    );
    if (updates.length > 1)
      world.repository.commit('tranche-status', { writes: [{ path: RECORD, text }], message: 'mine' });
    return pushed;
  };
  await rounds(world, { notifier, git: { ...git, push } }, 1);
  expect(got).not.toEqual([]);
  expect(Number(numberThere())).toBeLessThanOrEqual(world.now + 1);
});

test('a target that the environment does not name is told as such, and nothing else', async () => {
  const world = vllm();
  const result = await rounds(world, {}, 1);
  expect(result?.warnings.map(({ file, line, reason }) => `${file}:${line} ${reason}`)).toEqual([
    'policies/told.yaml:5 NotifyUnknown',
  ]);
});

/** Somebody who can push there has written a message; its checksum fits. */
function forgeOutbox(world: World): void {
  const text = world.repository.text('tranche-status', RECORD) ?? '{}';
  const { checksum: _sum, ...record } = JSON.parse(text) as Readonly<Record<string, Json>>;
  const release = `${'0'.repeat(32)}.1`;
  const to = [{ to: 'prod', as: 'webhook' }];
  const notice = { key: 'forged', event: 'failed', release, text: 'https://evil.example/', at: world.now, to };
  const content = { ...record, notices: { outbox: [notice], told: [] } } satisfies Json;
  const forged = JSON.stringify({ checksum: checksumOf(digestOf(content)), ...content });
  world.repository.commit('tranche-status', { writes: [{ path: RECORD, text: forged }], message: 'status' });
}

test.each([
  ['at rest', 3],
  ['in the middle of a delivery', 5],
])('%s, where no key signs, a message that only the record holds is sent to nobody', async (_when, passes) => {
  const world = vllm(false);
  const { got, notifier } = await target(world, () => 204);
  await rounds(world, { notifier }, 3);
  if (passes > 3) world.edit(LWS_FILE, OLD, NEW);
  await rounds(world, { notifier }, passes - 3);
  forgeOutbox(world);
  await rounds(world, { notifier }, 2);
  expect(got.map(({ key }) => key)).not.toContain('forged');
  expect(world.repository.text('tranche-status', RECORD)).not.toContain('evil.example');
});
