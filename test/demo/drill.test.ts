/** The fire drill: a group of the served cluster breaks on request, and its pods say what is wrong. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/demo/api-server/start-api-server.ts';
import { openDrill } from '../../src/demo/drill.ts';
import { LWS_FILE, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const world = new World({ files: { [LWS_FILE]: VLLM_FILES[LWS_FILE] } });
let api: ApiServer;
beforeAll(async () => {
  world.sync();
  world.tick(60);
  const interfere = openDrill(world.cluster);
  api = await startApiServer({ model: world.cluster, port: 0, kinds: undefined, interfere });
});
afterAll(() => api.close());

async function ask(path: string, method = 'GET'): Promise<string> {
  const answer = await fetch(`${api.url}${path}`, { method });
  return `${answer.status} ${(await answer.text()).trimEnd()}`;
}

const POD = '/api/v1/namespaces/llm/pods/vllm-3';

async function eventsOf(pod: string): Promise<readonly string[]> {
  const path = `/api/v1/namespaces/llm/events?fieldSelector=involvedObject.name%3D${pod},involvedObject.namespace%3Dllm`;
  const { items } = JSON.parse((await ask(path)).slice(4)) as {
    items: { type: string; reason: string; message: string }[];
  };
  return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

test('a group that serves says so', async () => {
  expect(await ask(`${POD}/log`)).toBe('200 INFO serving vllm/vllm-openai:v0.10.0 on port 8080');
  expect(await eventsOf('vllm-3')).toEqual([
    expect.stringMatching(/^Normal Scheduled: assigned to /),
    expect.stringMatching(/^Normal Started: Started container /),
  ]);
});

test('one that crashes is restarted by LWS, and its last container says why; then it is well again', async () => {
  expect(await ask(`${POD}/log?previous=true`)).toMatch(/^400 .*not found/);
  expect(await ask('/drill/llm/vllm/3/crash', 'POST')).toBe('200 llm/vllm, group 3: crash');
  expect(world.groups()).toContain('3:v0.10.0-');
  expect(await ask(`${POD}/log?previous=true`)).toMatch(/^200 ERROR engine core failed: CUDA out of memory/);
  expect((await eventsOf('vllm-3')).at(-1)).toMatch(/^Warning Unhealthy: Readiness probe failed/);
  expect(await ask('/drill/llm/vllm/3/ready', 'POST')).toBe('200 llm/vllm, group 3: ready');
  expect(world.groups()).toContain('3:v0.10.0+');
});

test('one that does not answer, and one that is deleted', async () => {
  await ask('/drill/llm/vllm/3/unready', 'POST');
  expect((await eventsOf('vllm-3')).at(-1)).toBe('Warning Unhealthy: Readiness probe failed: no answer on port 8080');
  await ask('/drill/llm/vllm/3/kill', 'POST');
  world.tick(60);
  expect(world.groups()).toContain('3:v0.10.0+');
});

test.each([
  ['GET', '/drill/llm/vllm/3/crash', 405],
  ['POST', '/drill/llm/vllm/3/burn', 400],
  ['POST', '/drill/llm/vllm/x/crash', 400],
  ['GET', '/api/v1/namespaces/llm/pods/none/log', 404],
  ['GET', POD, 200],
  ['GET', '/api/v1/events', 200],
])('%s %s: %i', async (method, path, status) => {
  expect((await ask(path, method)).slice(0, 3)).toBe(String(status));
});
