/** The dates that servers put on their answers, of the API server and of Git: what they say of our clock. */

import { afterEach, expect, test } from 'vitest';
import { apiCluster } from '../../../src/adapters/cluster/api-cluster.ts';
import { clusterLimits } from '../../../src/adapters/cluster/limits.ts';
import { openGit } from '../../../src/adapters/git/open.ts';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';
import { datedClock } from '../../../src/adapters/network/server-dates.ts';
import { resources } from '../../../src/api/resources.ts';
import { PATIENT } from '../../support/patient-git.ts';
import { type ScriptedServer, scriptedServer } from '../../support/scripted-server.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z') / 1000;
const clock = () => datedClock({ now: () => NOW, sleep: async () => undefined });

const open: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serverAt(date: string): Promise<ScriptedServer> {
  const server = await scriptedServer(() => ({ status: 403, headers: { date }, body: {} }));
  open.push(server);
  return server;
}

test('no answer, no word', () => expect(clock().offSeconds()).toBeUndefined());

test('the API server tells with every answer, whatever it answers', async () => {
  const { url } = await serverAt('Sun, 22 Nov 2026 10:05:00 GMT');
  const dated = clock();
  const silent = () => undefined;
  const cluster = apiCluster({
    connection: { server: new URL(url), options: async () => ({}) },
    limits: clusterLimits,
    clock: dated,
    log: { info: silent, warn: silent, error: silent },
    heard: dated.heard,
  });
  await cluster.list(resources.pods, { namespace: 'llm', labelSelector: '' }, () => undefined);
  expect(dated.offSeconds()).toBe(300);
});

test('and so does the server of Git', async () => {
  const { url } = await serverAt('Sun, 22 Nov 2026 09:00:00 GMT');
  const dated = clock();
  const git = openGit({
    location: `${url}/team/repo.git`,
    limits: PATIENT,
    network: { ...plainNetwork, heard: dated.heard },
  });
  git.begin();
  await expect(git.heads(['main'])).rejects.toThrow();
  expect(dated.offSeconds()).toBe(-3600);
});

test('of several the one that differs most counts, and of each the newest answer', () => {
  const dated = clock();
  dated.heard('https://git', 'Sun, 22 Nov 2026 10:00:01 GMT');
  dated.heard('https://api', 'Sun, 22 Nov 2026 09:50:00 GMT');
  expect(dated.offSeconds()).toBe(-600);
  dated.heard('https://api', 'no date');
  dated.heard('https://api', undefined);
  expect(dated.offSeconds()).toBe(-600);
  dated.heard('https://api', 'Sun, 22 Nov 2026 10:00:00 GMT');
  expect(dated.offSeconds()).toBe(1);
});

const at = (seconds: number): string => new Date((NOW + seconds) * 1000).toUTCString();

test.each<readonly [what: string, git: number | undefined, api: number | undefined, agreed: number]>([
  ['nobody else is asked', undefined, undefined, 0],
  ['this one is behind the only other', 300, undefined, 300],
  ['this one is ahead of the only other', -300, undefined, 0],
  ['this one is behind both', 300, 310, 300],
  ['this one is ahead of both', -310, -300, -300],
  ['one server is ahead of all', 9000, 1, 1],
  ['one server is behind all', -9000, 1, 0],
  ['both servers differ', -60, 60, 0],
])('the time that most agree on: %s', (_, git, api, agreed) => {
  const dated = clock();
  if (git !== undefined) dated.heard('https://git', at(git));
  if (api !== undefined) dated.heard('https://api', at(api));
  expect(dated.agreed()).toBe(NOW + agreed);
});
