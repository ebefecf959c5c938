/** The workflow files to copy, played from their first line by act: expressions, inputs, steps in turn, and the built action behind them. */

import { execFile, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/demo/api-server/start-api-server.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { FORGE_TOKEN, type ForgeWorld, forgeWorld } from '../support/forge-world.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

/** The program, where one could be had: `.ci/real` builds it. It runs the steps on this machine, without containers. */
const act = process.env['ACT'] ?? '';
const LIMIT_MS = 300_000;

const SECRET = `key-of-the-app-${'x'.repeat(8)}`;

/** Actions of others, for what they are called with: they talk to clouds. */
const STANDINS: Readonly<Record<string, string>> = {
  'aws-actions/configure-aws-credentials': `
name: login
inputs: {role-to-assume: {required: true}, aws-region: {required: true}}
runs:
  using: composite
  steps: [{shell: bash, run: 'test -n "\${{ inputs.role-to-assume }}"'}]
`,
  'actions/create-github-app-token': `
name: token
inputs: {client-id: {}, private-key: {}, owner: {}, repositories: {}, permission-contents: {}, permission-pull-requests: {}, permission-statuses: {}, permission-checks: {}}
outputs: {token: {value: "\${{ steps.made.outputs.token }}"}}
runs:
  using: composite
  steps:
    - id: made
      shell: bash
      run: |
        test "\${{ inputs.client-id }} \${{ inputs.private-key }} \${{ inputs.permission-contents }}" = "Iv1.tranche ${SECRET} write"
        echo "token=${FORGE_TOKEN}" >> "$GITHUB_OUTPUT"
`,
};

const text = (file: string) => readFileSync(new URL(`../../policies/github/${file}`, import.meta.url), 'utf8');

const DELIVERS = ['reconcile-app.yaml', 'reconcile-elsewhere.yaml', 'reconcile.yaml'];

test('each workflow to copy is played below', () => {
  const files = readdirSync(new URL('../../policies/github', import.meta.url)).filter((file) => file.endsWith('.yaml'));
  expect(files.sort()).toEqual([...DELIVERS, 'verify.yaml']);
});

describe.skipIf(act === '')('act', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-act-'));
  const servers: ApiServer[] = [];
  let forge: SimulatedForge;
  let made = 0;

  beforeAll(async () => {
    forge = await startForge();
    const own = join(folder, 'tranche');
    mkdirSync(own);
    cpSync('action.yml', join(own, 'action.yml'));
    await promisify(execFile)(process.execPath, ['scripts/build.mjs', join(own, 'dist')]);
    for (const [name, action] of Object.entries(STANDINS)) {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, 'action.yml'), action);
    }
    mkdirSync(join(folder, 'bin'));
    writeFileSync(
      join(folder, 'bin/aws'),
      '#!/bin/sh\n[ "$1 $2 $5" = "eks update-kubeconfig --kubeconfig" ] && cp "$LOGGED_IN" "$6"\n',
    );
    chmodSync(join(folder, 'bin/aws'), 0o755);
  }, LIMIT_MS);
  afterAll(async () => {
    await Promise.all(servers.map(async (server) => server.close()));
    await forge.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Step 1 is done, and waits for somebody. */
  async function waiting(): Promise<ForgeWorld> {
    made += 1;
    const files = {
      ...VLLM_FILES,
      'tranche.yaml': 'promotion: commit\n',
      [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('{duration: 0}', '{}'),
    };
    const world = await forgeWorld(forge, `act-${made}`, files);
    await world.pass();
    await world.sync();
    await world.edit(LWS_FILE, OLD, NEW);
    await world.sync();
    await world.until('PausedForApproval');
    return world;
  }

  type Event = { readonly name: string; readonly payload?: object; readonly inputs?: Readonly<Record<string, string>> };

  /** A checkout of its own with this workflow alone, and one event. */
  async function play(world: ForgeWorld, file: string, { name, payload = {}, inputs = {} }: Event) {
    const checkout = mkdtempSync(join(folder, 'checkout-'));
    mkdirSync(join(checkout, '.github/workflows'), { recursive: true });
    const workflow = text(file)
      .replace('repo: https://github.com/example/gitops', `repo: ${world.url}.git`)
      // A pass that stays looks again by the clock of this machine.
      .replace("|| '30' }}", "|| '0' }}");
    writeFileSync(join(checkout, '.github/workflows', file), workflow);
    for (const line of [
      'init -q -b main',
      'add -A',
      '-c user.name=a -c user.email=a@example.com commit -qm x',
      `remote add origin https://github.com/team/${world.repository.name}`,
    ])
      await promisify(execFile)('git', line.split(' '), { cwd: checkout });
    const event = join(checkout, 'event.json');
    writeFileSync(event, JSON.stringify({ ...payload, ...(name === 'workflow_dispatch' ? { inputs } : {}) }));
    const api = await startApiServer({ model: world.cluster, port: 0, kinds: undefined, interfere: undefined });
    servers.push(api);
    const kubeconfig = join(checkout, 'logged-in');
    writeFileSync(kubeconfig, api.kubeconfig, { mode: 0o600 });
    const used = [...workflow.matchAll(/uses: ([\w-]+\/[\w-]+)@([0-9a-f]{40})/g)].flatMap(
      ([, action = '', pin = '']) => {
        const place = join(folder, action === 'example/tranche' ? 'tranche' : action);
        return ['--local-repository', `${action}@${pin}=${place}`];
      },
    );
    const args = [
      name,
      '--workflows',
      `.github/workflows/${file}`,
      '--eventpath',
      event,
      '--actor',
      'octocat',
      '--no-cache-server',
    ];
    const env = {
      GITHUB_SERVER_URL: forge.url,
      TRANCHE_FORGE: `${forge.url}/api/v3`,
      TRANCHE_GIT_HOST: new URL(forge.url).host,
      LOGGED_IN: kubeconfig,
    };
    const child = spawn(
      act,
      [
        ...args,
        '--platform',
        'ubuntu-latest=-self-hosted',
        '--secret',
        `GITHUB_TOKEN=${FORGE_TOKEN}`,
        '--secret',
        `TRANCHE_APP_KEY=${SECRET}`,
        '--var',
        'TRANCHE_CLIENT_ID=Iv1.tranche',
        ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
        ...used,
      ],
      {
        cwd: checkout,
        env: { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, HOME: join(folder, 'home') },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => void (out += part));
    const code = await new Promise<number>((done) => child.on('close', (status) => done(status ?? 1)));
    await world.repository.settle();
    return { code, out };
  }

  test.each(DELIVERS)(
    '%s: an order by hand, and one pass after it',
    async (file) => {
      const world = await waiting();
      const inputs = { verb: 'approve', rollout: 'llm/vllm' };
      const played = await play(world, file, { name: 'workflow_dispatch', inputs });
      expect(played.code, played.out).toBe(0);
      const subjects = await world.subjects();
      expect(subjects.slice(-2)).toEqual([
        expect.stringMatching(/^rollout\(llm\/vllm\): approve step 1 of /),
        'rollout(llm/vllm): step 2/3, partition 3 → 2',
      ]);
      expect(await world.git('log', '-1', '--format=%an %(trailers:key=Ordered-By,valueonly)', 'main~1')).toBe(
        'octocat octocat',
      );
    },
    LIMIT_MS,
  );

  test.each(DELIVERS)(
    '%s: its schedule finds nothing to do',
    async (file) => {
      const world = await waiting();
      const before = await world.git('rev-parse', 'main');
      const played = await play(world, file, { name: 'schedule' });
      expect(played.code, played.out).toBe(0);
      expect(played.out).toContain('PausedForApproval');
      expect(await world.git('rev-parse', 'main')).toBe(before);
    },
    LIMIT_MS,
  );

  test.each([
    [
      'what merges is well',
      (lws: string) => lws.replace('maxUnavailable: 1', 'maxUnavailable: 2'),
      0,
      '0 new problems',
    ],
    ['what merges is broken', (lws: string) => lws.replace('replicas: 4', 'replicas: four'), 1, 'replicas'],
  ])(
    'verify.yaml: %s',
    async (_, change, code, said) => {
      const world = await waiting();
      await world.repository.git.commit('feature', { [LWS_FILE]: change(await world.text(LWS_FILE)) }, 'a change');
      const by = ['-c', 'user.name=GitHub', '-c', 'user.email=noreply@example.com'];
      const parents = ['-p', 'main', '-p', 'feature'];
      const merge = await world.git(...by, 'commit-tree', 'feature^{tree}', ...parents, '-m', 'a merge');
      await world.git('update-ref', 'refs/pull/7/merge', merge);
      const pull = {
        number: 7,
        base: { ref: 'main', repo: { full_name: `team/${world.repository.name}` } },
        head: { ref: 'feature', repo: { full_name: `team/${world.repository.name}` } },
        user: { login: 'ada' },
      };
      const played = await play(world, 'verify.yaml', {
        name: 'pull_request',
        payload: { number: 7, pull_request: pull },
      });
      expect(played.out).toContain(said);
      expect(played.code === 0 ? 0 : 1, played.out).toBe(code);
    },
    LIMIT_MS,
  );
});
