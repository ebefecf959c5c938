/** What a program that builds is given, what becomes of its answers, and what ends it. */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kustomizeBuilder } from '../../../src/adapters/kustomize/kustomize-builder.ts';
import { buildIssue } from '../../../src/reconcile/roots/root-issues.ts';

const FILES = [
  { path: 'apps/prod/kustomization.yaml', text: 'resources: [../base]\nnamePrefix: prod-\n' },
  { path: 'apps/base/kustomization.yaml', text: 'resources: [lws.yaml]\n' },
  {
    path: 'apps/base/lws.yaml',
    text: 'apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: vllm}\n',
  },
];
const INPUT = { files: FILES, root: 'apps/prod' };
const temporary = mkdtempSync(path.join(tmpdir(), 'kustomize-test-'));
const before = process.env['TMPDIR'];
const builds = path.join(temporary, 'builds');

beforeAll(() => {
  mkdirSync(builds);
  process.env['TMPDIR'] = builds;
});
afterAll(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  rmSync(temporary, { recursive: true });
});

let made = 0;

/** A program of this name in a folder of its own, which PATH then is. */
function program(script: string, name = 'kustomize', version = 'echo v5.8.1'): string {
  const folder = path.join(temporary, `bin${made}`);
  made += 1;
  mkdirSync(folder);
  writeFileSync(path.join(folder, name), `#!/bin/sh\nif [ "$1" = version ]; then ${version}; exit; fi\n${script}\n`);
  chmodSync(path.join(folder, name), 0o755);
  return folder;
}

function build(
  searchPath: string,
  more: {
    readonly named?: string;
    readonly bytes?: number;
    readonly seconds?: number;
    readonly checkouts?: readonly string[];
  } = {},
) {
  const { named, bytes = 1024 * 1024, seconds = 60, checkouts } = more;
  return kustomizeBuilder({ named, searchPath, checkouts, limits: { bytes, seconds } }).build(INPUT);
}

describe('what the program gets', () => {
  test('the folder, and no restriction on files that are not there anyway', async () => {
    const built = await build(program('echo "$@"'));
    expect(built).toMatchObject({
      kind: 'built',
      text: expect.stringMatching(/^build \/.*\/tree\/apps\/prod --load-restrictor LoadRestrictionsNone\n$/),
    });
  });
  test('the files that were given, and no other', async () => {
    const built = await build(program('for f in "$2"/* "$2"/../*/*; do echo "${f#"$2"}"; done'));
    expect(built).toMatchObject({
      text: '/kustomization.yaml\n/../base/kustomization.yaml\n/../base/lws.yaml\n/../prod/kustomization.yaml\n',
    });
  });
  test('nothing of our environment, a home of its own, no PATH, and proxies that lead nowhere', async () => {
    process.env['TRANCHE_GIT_TOKEN'] = 'secret';
    const built = await build(program('export -p; pwd; echo "$PATH"/*'));
    delete process.env['TRANCHE_GIT_TOKEN'];
    if (built.kind !== 'built') throw new Error(built.seen);
    expect(built.text).not.toContain('secret');
    const names = [...built.text.matchAll(/^export (\w+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !/^(PWD|OLDPWD|SHLVL|_)$/.test(name));
    expect(names.sort()).toEqual([
      'HOME',
      'HTTPS_PROXY',
      'HTTP_PROXY',
      'KUBECONFIG',
      'KUSTOMIZE_PLUGIN_HOME',
      'NO_PROXY',
      'PATH',
      'TMPDIR',
      'XDG_CACHE_HOME',
      'XDG_CONFIG_HOME',
    ]);
    // The pattern of an empty folder stays as it is.
    expect(built.text).toMatch(/\/none\/\*\n$/);
  });
  test('and nothing of it is left', () => {
    expect(readdirSync(builds)).toEqual([]);
  });
});

describe('which program', () => {
  test('kustomize before kubectl, and kubectl where there is no other', async () => {
    const folder = program('echo "$1"');
    expect(await build(folder)).toMatchObject({ text: 'build\n' });
    const kubectl = program('echo "$1"', 'kubectl', 'echo "Client Version: v1.32.4"; echo "Kustomize Version: v5.5.0"');
    expect(await build(kubectl)).toMatchObject({ text: 'kustomize\n' });
    expect(await build(`${kubectl}:${folder}`)).toMatchObject({ text: 'build\n' });
  });
  test('the one that is named, by its path or its name', async () => {
    const folder = program('echo named', 'kustomize-5');
    expect(await build('', { named: path.join(folder, 'kustomize-5') })).toMatchObject({ text: 'named\n' });
    expect(await build(folder, { named: 'kustomize-5' })).toMatchObject({ text: 'named\n' });
  });
  test.each<[string, string | undefined, string, string]>([
    ['echo v4.5.7', undefined, 'kustomize', 'kustomize builds with kustomize 4.5.7, there is no kubectl'],
    [
      'echo "{Version:kustomize/v3.8.1 GitCommit:0b}"',
      undefined,
      'kustomize',
      'kustomize builds with kustomize 3.8.1, there is no kubectl',
    ],
    ['echo "(devel)"', undefined, 'kustomize', 'kustomize says no version of kustomize, there is no kubectl'],
    ['exit 1', undefined, 'kustomize', 'kustomize says no version of kustomize, there is no kubectl'],
    [
      'echo "Client Version: v1.32.4"',
      undefined,
      'kubectl',
      'there is no kustomize, kubectl says no version of kustomize',
    ],
    ['echo v5.8.1', 'other', 'kustomize', 'there is no other'],
  ])('%s (named %s) is none', async (version, named, name, seen) => {
    const refused = await build(program('echo built', name, version), named === undefined ? {} : { named });
    expect(refused).toMatchObject({ kind: 'refused', cause: 'missing', seen });
  });
  test('one that lies in the checkout, as where npx has put its programs on PATH, is passed over, unless its path is given', async () => {
    const clone = path.join(temporary, 'clone');
    const bin = path.join(clone, 'node_modules/.bin');
    mkdirSync(path.join(clone, '.git'), { recursive: true });
    mkdirSync(path.join(clone, 'apps'));
    cpSync(program('echo theirs'), bin, { recursive: true });
    symlinkSync(bin, path.join(temporary, 'linked'));
    const own = program('echo own');
    const checkouts = [path.join(clone, 'apps')];
    for (const place of [bin, path.join(temporary, 'linked')]) {
      expect(await build(`${place}:${own}`, { checkouts })).toMatchObject({ text: 'own\n' });
      expect(await build(place, { checkouts })).toMatchObject({ seen: 'there is no kustomize, there is no kubectl' });
      expect(await build(place, { checkouts, named: 'kustomize' })).toMatchObject({ seen: 'there is no kustomize' });
    }
    const named = path.join(bin, 'kustomize');
    expect(await build('', { checkouts, named })).toMatchObject({ text: 'theirs\n' });
  });
  test('a relative folder on PATH is passed over', async () => {
    expect(await build('.:bin')).toMatchObject({ seen: 'there is no kustomize, there is no kubectl' });
  });
});

test.each<[string, string, string]>([
  [
    'its own error line, with the paths of the repository',
    'echo "# Warning: old" >&2; echo "Error: accumulating: \'$2/x.yaml\': no such file in $2" >&2; exit 1',
    "kustomize 5.8.1: accumulating: 'apps/prod/x.yaml': no such file in apps/prod",
  ],
  ['more lines of it on one', 'printf "error: a\\n  b\\n" >&2; exit 1', 'kustomize 5.8.1: a   b'],
  ['what is not UTF-8', 'printf "\\377"', 'kustomize 5.8.1 printed what is not UTF-8'],
])('%s', async (_, script, seen) => {
  expect(await build(program(script))).toMatchObject({ kind: 'refused', cause: 'fails', seen });
});

test.each([
  [
    'too much output',
    'while :; do echo aaaaaaaaaaaaaaaa; done',
    'kustomize 5.8.1 printed more than 1048576 bytes of output, the limit',
    /^It is so on every machine\. Take out of this folder/,
  ],
  [
    'too many errors',
    'while :; do echo aaaaaaaaaaaaaaaa >&2; done',
    'kustomize 5.8.1 printed more than 1048576 bytes of errors, the limit',
    /^It is so on every machine\./,
  ],
  ['an end by somebody else', 'kill -9 $$', 'kustomize 5.8.1 was ended by SIGKILL', /^It is tried again later\./],
])('%s is no fault of the files', async (_, script, seen, hint) => {
  const refused = await build(program(script));
  expect(refused).toMatchObject({ kind: 'refused', cause: 'stopped', seen, hint: expect.stringMatching(hint) });
  const issue = refused.kind === 'refused' ? buildIssue({ file: 'apps/kustomization.yaml' }, refused) : undefined;
  expect(issue).toMatchObject({ file: 'apps/kustomization.yaml', reason: 'BuildStopped', message: seen });
});

test('one that never ends is ended, with all that it has started', async () => {
  // The second keeps the output open: without its end the answer would never come.
  const refused = await build(program('/bin/sleep 100000 & /bin/sleep 100000'), { seconds: 0 });
  expect(refused).toMatchObject({
    cause: 'stopped',
    seen: 'kustomize 5.8.1 was ended after 0 seconds, the limit',
  });
  expect(readdirSync(builds)).toEqual([]);
});

test('each run counts, with the seconds that it took, and a look for the program does not', async () => {
  const builder = kustomizeBuilder({ named: undefined, searchPath: program('echo built') });
  expect(builder.spent?.()).toEqual({ count: 0, seconds: 0 });
  await Promise.all([builder.build(INPUT), builder.build(INPUT)]);
  const { count = 0, seconds = 0 } = builder.spent?.() ?? {};
  expect([count, seconds > 0]).toEqual([2, true]);
});

test('a path that leads out of the folder is never written', async () => {
  const builder = kustomizeBuilder({ named: undefined, searchPath: program('echo built') });
  const input = { files: [{ path: '../../x', text: '' }], root: '' };
  await expect(builder.build(input)).rejects.toThrow('bug: ../../x leads out');
});

test('a machine without room is no fault of the files', async () => {
  const builder = kustomizeBuilder({ named: undefined, searchPath: program('echo built') });
  const input = { files: [...FILES, { path: 'apps', text: '' }], root: 'apps/prod' };
  await expect(builder.build(input)).rejects.toThrow(/files for kustomize cannot be written: E/);
});

test('a machine without a folder to write in, and without kustomize, says that there is no kustomize', async () => {
  process.env['TMPDIR'] = path.join(temporary, 'no-such-folder');
  try {
    expect(await build('')).toMatchObject({ cause: 'missing', seen: 'there is no kustomize, there is no kubectl' });
    await expect(build(program('echo built'))).rejects.toThrow(/files for kustomize cannot be written: ENOENT/);
  } finally {
    process.env['TMPDIR'] = builds;
  }
});

const kubectl = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
const missing = !/kustomize version/i.test(kubectl.stdout ?? '');
if (missing) console.warn('kubectl is not installed: builds by it are skipped');

describe.skipIf(missing)('the kustomize in kubectl', () => {
  const searchPath = process.env['PATH'] ?? '';
  test('builds', async () => {
    expect(await build(searchPath, { named: 'kubectl' })).toEqual({
      kind: 'built',
      text: 'apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata:\n  name: prod-vllm\n',
    });
  });
  test('says what is wrong with the files', async () => {
    const builder = kustomizeBuilder({ named: 'kubectl', searchPath });
    const refused = await builder.build({ files: FILES.slice(0, 2), root: 'apps/prod' });
    expect(refused).toMatchObject({
      kind: 'refused',
      cause: 'fails',
      seen: expect.stringContaining('apps/base/lws.yaml'),
    });
  });
  test('fetches nothing, whatever it is given', async () => {
    const builder = kustomizeBuilder({ named: 'kubectl', searchPath });
    for (const entry of ['https://example.com/a.yaml', 'git@example.com:a/b', 'ssh://git@example.com/a.git']) {
      const files = [{ path: 'kustomization.yaml', text: `resources: ["${entry}"]\n` }];
      const refused = await builder.build({ files, root: '' });
      expect(refused).toMatchObject({
        kind: 'refused',
        cause: 'fails',
        seen: expect.stringMatching(/proxyconnect|no 'git' program|executable file not found/),
      });
    }
  });
});
