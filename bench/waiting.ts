/** What a pass waits for: rounds of requests, also far away from the server, and the time until the first of them. */

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { gitEnvironment } from '../test/support/git-server.ts';
import { inTurn, time } from './measure.ts';
import { atMost, atMostTimes, forInformation, type Row } from './rows.ts';
import { type Bench, ownPass, timeGit, timeOwn, type World } from './world.ts';

/** What a forge adds to each request where it is far away. */
const farMilliseconds = 80;
const mostRounds = 5;
/** What the command line may take next to Node itself. */
const startMilliseconds = 60;

/** Rounds of a moving pass, and how long it takes next to git where each request waits. */
export async function farRows(bench: Bench, world: World, times: number): Promise<readonly Row[]> {
  const where = `moving pass, paths, ${farMilliseconds} ms a request`;
  await bench.git.count(farMilliseconds);
  await timeOwn(bench, world, world.moments.moving);
  const own = await bench.git.count(farMilliseconds);
  await timeGit(bench, world);
  const git = await bench.git.count(farMilliseconds);
  await timeOwn({ ...bench, signs: false }, world, world.moments.movingUnsigned);
  const unsigned = await bench.git.count(farMilliseconds);
  const spreads = await inTurn(
    [
      { name: 'own', run: () => timeOwn(bench, world, world.moments.moving) },
      { name: 'unsigned', run: () => timeOwn({ ...bench, signs: false }, world, world.moments.movingUnsigned) },
      { name: 'git', run: () => timeGit(bench, world) },
    ],
    times,
  );
  await bench.git.count(0);
  const reference = spreads.get('git')?.median ?? Number.NaN;
  const value = spreads.get('own')?.median ?? Number.NaN;
  return [
    atMost({ name: 'rounds of requests of a moving pass, folders five deep', unit: '', value: own.rounds }, mostRounds),
    forInformation({ name: 'requests of it', unit: '', value: own.requests }),
    forInformation(
      { name: 'rounds of requests, without a key, against with one', unit: '', value: unsigned.rounds },
      own.rounds,
    ),
    forInformation({ name: 'rounds of requests of git', unit: '', value: git.rounds }),
    atMostTimes({ name: `${where}, against git`, unit: 'ms', value }, reference, 1),
    forInformation(
      {
        name: `${where}, without a key, against with one`,
        unit: 'ms',
        value: spreads.get('unsigned')?.median ?? Number.NaN,
      },
      value,
    ),
  ];
}

/** From the start of the process until its first request is there. */
export async function startRows(bench: Bench, times: number): Promise<readonly Row[]> {
  let came: (() => void) | undefined;
  const server = createServer((_request, response) => {
    came?.();
    response.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const pass = ownPass(bench, { url: `http://127.0.0.1:${port}/none.git`, kubeconfig: '/nonexistent' });
  const env = { ...gitEnvironment, ...pass.env };
  const own = async (keeps = false): Promise<number> => {
    const begin = performance.now();
    const first = new Promise<void>((done) => {
      came = done;
    });
    // As bare as the start that it is held against: authorities of the environment alone cost Node 30 ms.
    const child = spawn(pass.command, pass.args, { env, stdio: 'ignore' });
    const ended = new Promise((done) => child.on('close', done));
    await first;
    const taken = performance.now() - begin;
    if (!keeps) child.kill('SIGKILL');
    await ended;
    return taken;
  };
  // Once to its end, which keeps what it has compiled.
  await own(true);
  const spreads = await inTurn(
    [
      { name: 'own', run: () => own() },
      { name: 'node', run: () => time({ command: process.execPath, args: ['-e', '0'] }) },
    ],
    times,
  );
  server.close();
  const value = (spreads.get('own')?.median ?? Number.NaN) - (spreads.get('node')?.median ?? Number.NaN);
  return [atMost({ name: 'start to first request, beyond node -e 0', unit: 'ms', value }, startMilliseconds)];
}
