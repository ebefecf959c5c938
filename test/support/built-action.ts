/** The bundle of the GitHub Action as a runner starts it: a process of its own, built from the sources of now. */

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ApiServer, startApiServer } from '../../src/demo/api-server/start-api-server.ts';
import { FORGE_TOKEN, type ForgeWorld } from './forge-world.ts';
import { type Env, outputsIn } from './runner.ts';

export type Job = {
  /** 137: it was killed. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
};

export type BuiltAction = {
  /** A runner for a world: give it inputs by their names, and more of the environment. */
  runner(world: ForgeWorld): Promise<(inputs: Env, env?: Env, killed?: AbortSignal) => Promise<Job>>;
  stop(): Promise<void>;
};

/** Builds the bundle into a folder of its own. Stop it in the test that asked for it. */
export async function buildAction(): Promise<BuiltAction> {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-built-'));
  await promisify(execFile)(process.execPath, ['scripts/build.mjs', join(folder, 'dist')]);
  const servers: ApiServer[] = [];
  let jobs = 0;
  return {
    runner: async (world) => {
      const api = await startApiServer({ model: world.cluster, port: 0, kinds: undefined, interfere: undefined });
      servers.push(api);
      const kubeconfig = join(folder, `kubeconfig-${servers.length}`);
      writeFileSync(kubeconfig, api.kubeconfig, { mode: 0o600 });
      const inputs = { token: FORGE_TOKEN, repo: `${world.url}.git`, kubeconfig, mode: 'reconcile' };
      return async (more, env = {}, killed) => {
        jobs += 1;
        const place = join(folder, String(jobs));
        await world.repository.settle();
        const job = await run({
          action: join(folder, 'dist/action.js'),
          place,
          inputs: { ...inputs, ...more },
          env,
          killed,
        });
        await world.repository.settle();
        return job;
      };
    },
    stop: async () => {
      await Promise.all(servers.map(async (server) => server.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Run = {
  readonly action: string;
  readonly place: string;
  readonly inputs: Env;
  readonly env: Env;
  readonly killed: AbortSignal | undefined;
};

async function run({ action, place, inputs, env, killed }: Run): Promise<Job> {
  const [output, page] = [`${place}-output`, `${place}-summary`];
  for (const file of [output, page]) writeFileSync(file, '');
  const child = spawn(process.execPath, [action], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GITHUB_EVENT_NAME: 'schedule',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: page,
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killed?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said.err += text));
  const code = await new Promise<number>((done) => child.on('close', (status) => done(status ?? 137)));
  return { code, ...said, outputs: outputsIn(readFileSync(output, 'utf8')), summary: readFileSync(page, 'utf8') };
}
