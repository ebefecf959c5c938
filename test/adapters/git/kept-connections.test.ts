/** Connections to a Git server that the other side closed while nobody used them. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGit } from '../../../src/adapters/git/open.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../../support/git-server.ts';
import { manualTimers } from '../../support/manual-timers.ts';

let behind: GitServer;
let front: Front;
let repository: ServedRepository;

beforeAll(async () => {
  behind = await startGitServer();
  repository = await behind.createRepository('r.git');
  await repository.commit('main', { 'a.yaml': 'a: 1\n' });
  front = await startFront(Number(new URL(behind.url).port));
});
afterAll(async () => {
  await new Promise<void>((done) => front.server.close(() => done()));
  await behind.stop();
});

type Front = {
  readonly server: Server;
  readonly url: string;
  /** From now on, whatever comes over a connection that is open finds it closed. */
  age(): void;
  /** How many requests came over such a one. */
  readonly lost: () => number;
};

/** In front of a server: passes everything on, but for what comes over connections that have aged. */
async function startFront(port: number): Promise<Front> {
  let [generation, lost] = [0, 0];
  const server = createServer((client) => {
    const born = generation;
    const further = connect(port, '127.0.0.1');
    client.on('data', (bytes) => {
      if (born === generation) further.write(bytes);
      else {
        lost += 1;
        client.destroy();
      }
    });
    further.on('data', (bytes) => client.write(bytes));
    for (const [one, other] of [
      [client, further],
      [further, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port: own } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${own}`, age: () => void (generation += 1), lost: () => lost };
}

test('where the server closed all that it had kept, one try fails and not one for each', async () => {
  const log: string[] = [];
  const say = (line: string): void => void log.push(line);
  const timers = manualTimers();
  const git = openGit({ location: `${front.url}/r.git`, timers, log: { info: say, warn: say, error: say } });
  const heads = (): Promise<unknown> => git.heads(['main']);
  const [one] = await git.heads(['main']);
  // As many as are kept at once.
  await Promise.all(Array.from({ length: 6 }, heads));
  front.age();
  expect(await git.heads(['main'])).toEqual([one]);
  expect(front.lost()).toBe(1);
  expect(log).toEqual([expect.stringContaining('trying again')]);
});
