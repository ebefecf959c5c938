/** The image that the Deployment runs: each line of the Dockerfile is done here, without a builder and a network. */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };
import { realKustomize } from './support/kustomize.ts';
import { startSite, stopSites } from './support/site.ts';

const run = promisify(execFile);
const LIMIT_MS = 120_000;

type Line = { readonly word: string; readonly rest: string };
type Stage = { readonly base: string; readonly name: string; readonly lines: readonly Line[] };

const lines: readonly Line[] = readFileSync('Dockerfile', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ word: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));

const stages: readonly Stage[] = lines.reduce<readonly Stage[]>((before, line) => {
  if (line.word === 'FROM') {
    const [base = '', , name = 'last'] = line.rest.replace(/^--platform=\$BUILDPLATFORM /, '').split(' ');
    return [...before, { base, name, lines: [] }];
  }
  const last = before.at(-1)!;
  return [...before.slice(0, -1), { ...last, lines: [...last.lines, line] }];
}, []);

const last = stages.at(-1)!;

/** What the Dockerfile may copy from the repository. */
const context = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

let folder = '';

/** The root of the file system of a stage. */
const rootOf = (name: string): string => join(folder, name);

/** COPY [--from=STAGE] SOURCE… TARGET: a target that ends with a slash is a folder, and so is the copy of one. */
function copy(rest: string, { name, workdir }: { readonly name: string; readonly workdir: string }): void {
  const words = rest.split(' ');
  const from = words[0]?.startsWith('--from=') === true ? words.shift()!.slice('--from='.length) : undefined;
  const target = words.pop()!;
  for (const source of words) {
    if (from === undefined) expect(context).toContain(source);
    const origin = from === undefined ? source : join(rootOf(from), source);
    const isFolder = statSync(origin).isDirectory();
    const place = join(rootOf(name), resolve(workdir, target), isFolder ? '' : (source.split('/').at(-1) ?? ''));
    mkdirSync(dirname(place), { recursive: true });
    cpSync(origin, place, { recursive: true });
  }
}

/** RUN: what needs a registry is done by linking what was installed here; it is the same lock file. */
async function runIn(command: string, where: string): Promise<void> {
  if (command === 'npm ci --ignore-scripts') {
    expect(readFileSync(join(where, 'package-lock.json'), 'utf8')).toBe(readFileSync('package-lock.json', 'utf8'));
    symlinkSync(resolve('node_modules'), join(where, 'node_modules'));
    return;
  }
  const [program = '', ...args] = command.split(' ');
  await run(program, args, { cwd: where });
}

/** ADD is a download, checked by its checksum: here the archive is made of the real program, where there is one. */
async function add(rest: string, name: string): Promise<void> {
  const [checksum, address = '', target = ''] = rest.split(' ');
  expect(checksum).toMatch(/^--checksum=sha256:[0-9a-f]{64}$/);
  expect(address).toMatch(
    /^https:\/\/github\.com\/kubernetes-sigs\/kustomize\/releases\/download\/kustomize%2Fv5\.8\.1\/kustomize_v5\.8\.1_linux_(amd64|arm64)\.tar\.gz$/,
  );
  expect(address).toContain(name.replace('kustomize-', 'linux_'));
  if (realKustomize === '') return;
  mkdirSync(rootOf(name));
  await run('tar', ['-czf', join(rootOf(name), target), '-C', dirname(realKustomize), basename(realKustomize)]);
}

/** Stages that need the real program; without it only their lines are looked at. */
const isLeftOut = (name: string): boolean => realKustomize === '' && ['archive', 'kustomize'].includes(name);

async function make({ base, name, lines: todo }: Stage): Promise<void> {
  if (isLeftOut(name)) return;
  const from = stages.find((stage) => stage.name === base.replace('$TARGETARCH', 'amd64'))?.name;
  if (from !== undefined) cpSync(rootOf(from), rootOf(name), { recursive: true });
  let workdir = '/';
  for (const { word, rest } of todo) {
    if (word === 'WORKDIR') workdir = rest;
    else if (word === 'ADD') await add(rest, name);
    else if (isLeftOut(/^--from=(\S+)/.exec(rest)?.[1] ?? '')) continue;
    else if (word === 'COPY') copy(rest, { name, workdir });
    else if (word === 'RUN') await runIn(rest, join(rootOf(name), workdir));
    else expect(['ARG', 'USER', 'ENTRYPOINT']).toContain(word);
  }
}

const wordOf = (word: string): string => last.lines.find((line) => line.word === word)?.rest ?? '';

/** The command of the image, with no program but Node in reach. */
async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [program, script = '', ...rest]: readonly string[] = JSON.parse(wordOf('ENTRYPOINT'));
  expect(program).toBe('node');
  return run(process.execPath, [join(rootOf('last'), script), ...rest, ...args], { cwd: folder, env });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-image-'));
  for (const stage of stages) await make(stage);
}, LIMIT_MS);

afterAll(async () => {
  await stopSites();
  rmSync(folder, { recursive: true, force: true });
});

test('stands on a Node that still gets fixes, named by its digest, and does not run as root', () => {
  const foreign = stages.map(({ base }) => base).filter((base) => base !== 'scratch' && !base.startsWith('kustomize-'));
  for (const base of foreign) expect(base).toMatch(/^node:24-[a-z]+-slim@sha256:[0-9a-f]{64}$/);
  expect(new Set(foreign).size, 'one digest').toBe(1);
  expect(packageJson.engines.node).toMatch(/^>=20\./);
  expect(wordOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
});

test('is given nothing that it does not use', () => {
  const copied = lines
    .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from='))
    .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
  expect([...new Set(copied)].sort()).toEqual([...context].sort());
});

test('holds the bundle, what it copies from, the license, kustomize, and nothing else', () => {
  expect(readdirSync(rootOf('last'))).toEqual(realKustomize === '' ? ['app'] : ['app', 'usr']);
  expect(wordOf('ENV'), 'nobody has named it').toBe('');
  expect(readdirSync(join(rootOf('last'), 'app')).sort()).toEqual(['LICENSE', 'dist', 'package.json', 'policies']);
});

test.skipIf(realKustomize === '')(
  'kustomize of the image is the release that the tests are recorded with',
  async () => {
    const { stdout } = await run(join(rootOf('last'), 'usr/local/bin/kustomize'), ['version']);
    expect(stdout.trim()).toBe('v5.8.1');
  },
);

test('says its version, and the verb that the Deployment calls', async () => {
  expect((await start(['--version'])).stdout).toMatch(
    new RegExp(`^${packageJson.version} \\(build [0-9a-f]{12}\\)\n$`),
  );
  const [deployment, policy] = ['deployment', 'network-policy'].map((name) =>
    parse(readFileSync(`policies/install/base/${name}.yaml`, 'utf8')),
  );
  const { template, strategy, selector } = deployment.spec;
  const [container] = template.spec.containers;
  expect(container.image).toMatch(new RegExp(`/tranche:${packageJson.version}$`));
  expect(container).not.toHaveProperty('command');
  expect(strategy.type).toBe('Recreate');
  expect(policy.spec.podSelector).toEqual(selector);
  // Pod Security Standards, restricted.
  expect(template.spec.securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: Number(wordOf('USER').split(':')[0]),
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  // A secret comes as a file that is mounted.
  for (const { name, value } of container.env) {
    expect(name).toMatch(/_FILE$/);
    expect(dirname(value)).toBe(container.volumeMounts[0].mountPath);
  }
  expect(readFileSync('Dockerfile', 'utf8')).toContain(`docker build --tag ${container.image} .`);
  expect((await start([container.args[0], '--help'])).stdout).toContain('--watch');
});

test('makes a pass without git and without a home', async () => {
  const site = await startSite();
  const { stdout, stderr } = await start(['reconcile', '--repo', site.repository.path], {
    KUBECONFIG: site.kubeconfig,
  });
  expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining('adopt, partition 0 → 1000000'), stderr: '' });
});
