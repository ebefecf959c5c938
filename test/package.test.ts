/** The package as people get it: bundled, packed, installed without a network into an empty folder, and run. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { resources } from '../src/api/resources.ts';
import { type Site, startSite, stopSites } from './support/site.ts';
import { ROUTE_FILE, TRAFFIC_FILES, trafficRollout } from './support/traffic-files.ts';
import { LWS_TEXT, ROLLOUT_FILE } from './support/vllm.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const LIMIT_MS = 120_000;

let folder = '';
let empty = '';
let site: Site;
/** What the API server was asked: method and path. */
const asked: string[] = [];

type Ended = { readonly code: number; readonly out: string; readonly err: string };

/** A program in the empty folder, without the settings of the one who runs the tests, and without a network for npm. */
async function call(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_cache: join(folder, 'cache'),
    ...env,
  };
  try {
    const { stdout, stderr } = await run(program, [...args], { cwd: empty, env: environment });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : -1, out: stdout, err: stderr || String(error) };
  }
}

const here = (): Readonly<Record<string, string>> => ({
  TRANCHE_REPO: site.repository.path,
  KUBECONFIG: site.kubeconfig,
  ...site.env,
});

/** By the link that npm has made; npx, which looks for the same, takes half a second of CPU. */
const tranche = (...args: readonly string[]): Promise<Ended> => call('node_modules/.bin/tranche', args, here());

const PROVIDER = `apiVersion: tranche.dev/v1alpha1
kind: RouteProvider
metadata: {name: smi}
spec:
  resource: {group: split.smi-spec.io, kind: TrafficSplit}
  weights:
    - stable: /spec/backends/[service=$stable]/weight
      canary: /spec/backends/[service=$canary]/weight
  patch:
    - op: add
      path: /spec/backends/0/note
      cel: object.spec.nothing
`;

/** Notes what V8 said of each piece of compiled code that it was given. */
const PROBE = `const vm = require('node:vm');
const seen = [];
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    if (options?.cachedData) seen.push(this.cachedDataRejected ? 'rejected' : 'taken');
  }
};
process.on('exit', () => require('node:fs').writeFileSync(process.env.SEEN, JSON.stringify(seen)));
`;
/** As long as that of now. */
/** What `--version` says of a bundle. */
const SAID = new RegExp(`^${packageJson.version} \\(build [0-9a-f]{12}\\)\n$`);
const OTHER_VERSION = packageJson.version.replaceAll(/\d/g, '9');

const dist = (): string => join(empty, 'node_modules', packageJson.name, 'dist');
const room = (name: string): string =>
  `chunks/${readdirSync(join(dist(), 'chunks')).find((file) => file.startsWith(`${name}-`) && file.endsWith('.js'))}`;

/** The files of the bundle that are loaded with these; what is loaded later is asked for inside of `__toESM`. */
function opened(bundle: string, entries: readonly string[]): ReadonlySet<string> {
  const files = new Set(entries);
  for (const file of files) {
    const text = readFileSync(join(bundle, file), 'utf8');
    for (const [, name] of text.matchAll(/(?<!__toESM\()\brequire\("(\.[^"]+\.js)"\)/g))
      files.add(join(dirname(file), name ?? ''));
  }
  return files;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-package-'));
  empty = join(folder, 'empty');
  mkdirSync(empty);
  const source = join(folder, 'source');
  await run('node', ['scripts/build.mjs', join(source, 'dist')]);
  for (const name of ['package.json', ...packageJson.files.filter((file) => file !== 'dist')])
    cpSync(name, join(source, name), { recursive: true });
  expect(await call('npm', ['pack', '--ignore-scripts', source])).toMatchObject({ code: 0 });
  writeFileSync(join(empty, 'package.json'), '{"private": true}');
  expect(await call('npm', ['install', `./tranche-dev-tranche-${packageJson.version}.tgz`])).toMatchObject({ code: 0 });
  site = await startSite({
    api: {
      interfere: ({ method, path }) => {
        asked.push(`${method} ${path}`);
        return undefined;
      },
    },
    signed: true,
  });
}, LIMIT_MS);

afterAll(async () => {
  await stopSites();
  rmSync(folder, { recursive: true, force: true });
});

describe('the installed package', () => {
  test('brings nothing else with it', () => {
    const installed = readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(installed).toEqual(['@tranche-dev']);
    // On npm the name without a scope belongs to somebody else.
    expect(readdirSync(join(empty, 'node_modules/@tranche-dev'))).toEqual(['tranche']);
    const files = readdirSync(join(empty, 'node_modules', packageJson.name));
    expect(files.sort()).toEqual(['package.json', ...packageJson.files].sort());
  });

  test(
    'says its version, and what it is asked wrongly',
    async () => {
      const found = await call('npx', ['--no-install', 'tranche', '--version'], here());
      expect(found).toMatchObject({ code: 0, out: expect.stringMatching(SAID) });
      expect(await call('npx', ['--no-install', 'kubectl-tranche', '--version'], here())).toEqual(found);
      expect(await tranche('nope')).toMatchObject({ code: 2, out: '' });
    },
    LIMIT_MS,
  );

  test(
    'does a real pass, and a second one that finds nothing to do',
    async () => {
      const first = await tranche('reconcile');
      expect(first).toMatchObject({ code: 0, err: '' });
      expect(first.out).toContain('rollout(llm/vllm): adopt, partition 0 → 1000000');
      expect(await site.subject()).toBe('rollout(llm/vllm): adopt, partition 0 → 1000000');
      await site.sync();
      await tranche('reconcile');
      expect(await tranche('reconcile')).toEqual({ code: 0, out: 'nothing has moved, all settled\n', err: '' });
      expect((await tranche('status')).out).toMatch(/llm\/vllm +settled/);
    },
    LIMIT_MS,
  );

  test.each(['stdout', 'stderr'] as const)('goes on where nobody reads its %s any more', async (closed) => {
    const child = spawn('node_modules/.bin/tranche', ['status', '--branch', 'none'], {
      cwd: empty,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...here() },
    });
    child[closed].destroy();
    const code = await new Promise((done) => void child.on('close', done));
    expect(code, 'as ever: there is no such branch').toBe(2);
  });

  test('is told that its terminal closes, twice as shells do, and leaves no folder behind', async () => {
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    const child = spawn('node_modules/.bin/tranche', ['demo'], {
      cwd: empty,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: temporary },
    });
    child.stdout.once('data', () => child.kill('SIGHUP') && child.kill('SIGHUP'));
    const code = await new Promise((done) => void child.on('close', done));
    expect(code).toBe(1);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('ends where a server does not answer and its user has had enough', async () => {
    let heard = (): void => undefined;
    const asking = new Promise<void>((done) => (heard = done));
    const silent = createServer(() => heard()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const child = spawn('node_modules/.bin/tranche', ['status', '--repo', `http://127.0.0.1:${port}/none.git`], {
      cwd: empty,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    });
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
    const closed = new Promise((done) => void child.on('close', (code, signal) => done([code, signal])));
    await asking;
    child.kill('SIGINT');
    expect(await closed).toEqual([1, null]);
    // By the deadlines of Git it would have said that the server sent nothing.
    expect(said).toMatch(/^stopped: a server has not answered/);
    silent.closeAllConnections();
    silent.close();
  });

  test('is the GitHub Action as well', async () => {
    const env = { INPUT_MODE: 'plan', INPUT_REPO: site.repository.path, INPUT_KUBECONFIG: site.kubeconfig };
    const ran = await call('node', [`node_modules/${packageJson.name}/dist/action.js`], env);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toMatch(/^llm\/vllm {2}settled/);
  });

  test('asked the cluster for what the reference grants, and for nothing else', () => {
    const lists = Object.values(resources).map(({ group, version, plural }) => {
      const api = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      return `GET /${api}/namespaces/llm/${plural}`;
    });
    expect([...new Set(asked)].sort()).toEqual(lists.sort());
  });

  test('works out an expression of a RouteProvider', async () => {
    const split = 'apiVersion: split.smi-spec.io/v1alpha2\nkind: TrafficSplit';
    const files = {
      ...TRAFFIC_FILES,
      [ROLLOUT_FILE]: trafficRollout(
        'customNetworkRefs: [{apiVersion: split.smi-spec.io/v1alpha2, kind: TrafficSplit, name: chat}]',
      ).replace(/matches:\n.*\n/, 'traffic: 5%\n'),
      [ROUTE_FILE]: `${split}\nmetadata: {name: chat, namespace: llm}\nspec: {service: chat, backends: [{service: vllm-svc, weight: 100}]}\n`,
      'tranche/split.yaml': PROVIDER,
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(empty, 'files', path)), { recursive: true });
      writeFileSync(join(empty, 'files', path), text);
    }
    await call('git', ['init', '-q', 'files']);
    const { out } = await tranche('lint', '--repo', 'files');
    expect(out).toContain('the expression fails: No such key: nothing (ExpressionFails)');
  });

  test('opens few files: each costs more than reading it', () => {
    // The command line, what a room is called by, and what it shares with others.
    const [start, ...passes] = ['main', 'pass', 'answers', 'work', 'cluster'].map(room);
    const from = ['tranche.js', start ?? ''];
    expect(opened(dist(), [...from, ...passes.slice(0, 1)]).size).toBe(6);
    expect(opened(dist(), [...from, ...passes.slice(0, 2)]).size).toBe(8);
    expect(opened(dist(), [...from, ...passes]).size).toBeLessThanOrEqual(12);
    expect(opened(dist(), ['action.js', room('cluster')]).size).toBeLessThanOrEqual(9);
  });

  test('has what is asked of packages that are opened late', () => {
    const chunks = join(empty, 'node_modules', packageJson.name, 'dist/chunks');
    const texts = readdirSync(chunks).map((name) =>
      name.endsWith('.js') ? readFileSync(join(chunks, name), 'utf8') : '',
    );
    const asks = texts.flatMap((text) => [...text.matchAll(/__require\)?\("\.\/([^"]+)"\)\.(\w+)/g)]);
    for (const [, file = '', name = ''] of asks) expect(require(join(chunks, file)), file).toHaveProperty(name);
    const late = [
      'cel-js.js',
      'croner.js',
      'fast-json-patch.js',
      'hpagent.js',
      'jsonpath-plus.js',
      'openid-client.js',
      'socks-proxy-agent.js',
    ];
    expect(new Set(asks.map(([, file = '']) => file))).toEqual(new Set(late));
  });

  test('says of a bundle that was copied without its policies what init lacks', async () => {
    const [alone, repository] = [join(folder, 'alone'), join(folder, 'repository')];
    cpSync(dist(), alone, { recursive: true });
    mkdirSync(repository);
    writeFileSync(join(repository, 'lws.yaml'), LWS_TEXT);
    for (const args of [
      ['init', '-qb', 'main'],
      ['add', '.'],
    ])
      await run('git', args, { cwd: repository });
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    await run('git', [...identity, 'commit', '-qm', 'files'], { cwd: repository });
    const called = await call('sh', ['-c', 'cd "$0" && exec node "$1" init', repository, join(alone, 'tranche.js')]);
    expect(called.err).toContain(
      'is not next to this program, which was copied out of its package: install the package',
    );
    expect(called.err).not.toContain('bug');
    expect(called.code).toBe(2);
  });

  test('has no path of the machine that built it in its bundle', () => {
    const names = readdirSync(dist(), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
    for (const name of names) expect(readFileSync(join(dist(), name)).includes(process.cwd()), name).toBe(false);
  });

  test('keeps the notices of all packages that are in it', () => {
    const said = readFileSync(join(dist(), 'packages.LEGAL.txt'), 'utf8');
    const bundled = ['yaml', 'commander', 'croner', '@octokit/core', '@kubernetes/client-node', 'jose', 'socks'];
    for (const name of bundled) expect(said, name).toMatch(new RegExp(`(^|, )${name} \\d+\\.\\d+`, 'm'));
    for (const name of ['vitest', 'esbuild', 'typescript']) expect(said).not.toContain(`${name} `);
    // With an end of a line that Git changes, a bundle that is built again would not be the one that Git has.
    expect(said).not.toContain('\r');
    // Each notice stands below the names of those that it is of.
    const parts = said.split(`\n${'-'.repeat(80)}\n`);
    for (const part of parts) expect(part).toMatch(/^\n?\S+ \d+\.\d+[^\n]*\n\n[^]*(?:permission|license)/i);
  });

  test('brings no compiled code, keeps its own, and runs a file that was changed since as it is now', async () => {
    const [probe, seen, home] = [join(folder, 'probe.cjs'), join(folder, 'seen.json'), join(folder, 'own-home')];
    writeFileSync(probe, PROBE);
    mkdirSync(home);
    const version = async (): Promise<string> =>
      (await call('node', ['--require', probe, join(dist(), 'tranche.js'), '--version'], { SEEN: seen, HOME: home }))
        .out;
    const taken = (): unknown => JSON.parse(readFileSync(seen, 'utf8'));

    const packed = readdirSync(dist(), { recursive: true, encoding: 'utf8' });
    expect(packed.filter((name) => !/^(chunks|package\.json|.*\.(js|LEGAL\.txt))$/.test(name))).toEqual([]);
    const before = opened(dist(), ['tranche.js']);
    const all = [...opened(dist(), [room('main')])].filter((name) => !before.has(name));
    expect(all.length).toBeGreaterThanOrEqual(2);
    for (const expected of [[], all.map(() => 'taken')]) {
      expect(await version()).toMatch(SAID);
      expect(taken()).toEqual(expected);
    }

    const says = all.find((name) => readFileSync(join(dist(), name), 'utf8').includes(packageJson.version)) ?? '';
    const text = readFileSync(join(dist(), says), 'utf8');
    writeFileSync(join(dist(), says), text.replaceAll(packageJson.version, OTHER_VERSION));
    expect(await version()).toContain(`${OTHER_VERSION} (build `);
    expect(taken()).toEqual(all.slice(1).map(() => 'taken'));
    writeFileSync(join(dist(), says), text);
  });
});

test(
  'runs from the tarball without being installed',
  async () => {
    const tarball = `./tranche-dev-tranche-${packageJson.version}.tgz`;
    const called = await call('npx', ['--yes', '--package', tarball, 'tranche', '--version']);
    expect(called).toMatchObject({ code: 0, out: expect.stringMatching(SAID) });
  },
  LIMIT_MS,
);
