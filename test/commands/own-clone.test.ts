/** Who stands in a clone of their own: which repository is meant, and who gives an order. */

import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { bareRepository } from '../support/git-server.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD } from '../support/vllm.ts';

afterEach(stopSites);

type Clone = Awaited<ReturnType<typeof clone>>;

/** A clone of the site's repository with main checked out, and the command line called in it. */
async function clone(site: Site, url?: string) {
  const folder = join(site.folder, 'clone');
  mkdirSync(folder);
  await site.repository.git('clone', '-q', site.repository.path, folder);
  const { git } = bareRepository(folder);
  if (url !== undefined) await git('remote', 'set-url', 'origin', url);
  const run = async (line: string, env: Readonly<Record<string, string>> = {}, place = folder) => {
    let [out, err] = ['', ''];
    const code = await runProgram(line.split(' '), {
      env: { KUBECONFIG: site.kubeconfig, GIT_CONFIG_NOSYSTEM: '1', ...env },
      folder: place,
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      isTerminal: false,
      signal: new AbortController().signal,
    });
    return { code, out, err };
  };
  return { folder, git, run };
}

const branches = ({ git }: Clone) => git('for-each-ref', '--format=%(refname:short)', 'refs/heads');

describe('the repository', () => {
  test('is the one that the clone came from, and that is said; the clone stays as it is', async () => {
    const site = await startSite();
    const own = await clone(site);
    const called = await own.run('reconcile');
    expect(called).toMatchObject({
      code: 0,
      err: expect.stringContaining(`the repository is ${site.repository.path}`),
    });
    expect(called.err).toMatch(/origin of this clone; --repo \. is the clone itself/);
    expect(await site.subject()).toContain('adopt');
    expect(await branches(own)).toBe('main');
    expect((await own.run('status')).out).toContain('vllm');
  });

  test.each<readonly [string, (own: Clone) => Promise<unknown>, RegExp | undefined]>([
    ['nothing', async () => undefined, undefined],
    [
      'an edit that is not committed',
      async ({ folder }) => appendFileSync(join(folder, LWS_FILE), '# x\n'),
      /ignores what is not committed \(apps\/vllm\/lws\.yaml\)\. tranche lint reads/,
    ],
    [
      'a file that is new, and one that is gone',
      async ({ folder }) => renameSync(join(folder, LWS_FILE), join(folder, 'apps/vllm/new.yaml')),
      /ignores what is not committed \(apps\/vllm\/lws\.yaml, apps\/vllm\/new\.yaml\)\./,
    ],
    [
      'a commit that is not pushed',
      ({ git }) => git('commit', '-q', '--allow-empty', '-m', 'mine'),
      /ignores 1 commit of this clone that main has not\./,
    ],
  ])('plan says that it ignores what is not pushed: %s', async (_, change, said) => {
    const site = await startSite();
    const own = await clone(site);
    // Behind is not ahead.
    await site.edit(LWS_FILE, OLD, NEW);
    await change(own);
    const { out, err } = await own.run('plan');
    expect(out).toContain('adopt');
    if (said === undefined) expect(err).not.toContain('ignores');
    else expect(err).toMatch(said);
    expect((await own.run('plan --repo .')).err, 'the clone itself is read').not.toContain('ignores');
  });

  test('by ssh: what writes says what to give, and writes nothing; what reads reads the clone', async () => {
    const site = await startSite();
    const own = await clone(site, 'git@git.example.com:team/models.git');
    for (const verb of ['reconcile', 'pause vllm', 'eject vllm']) {
      const called = await own.run(verb);
      expect(called).toMatchObject({ code: 2, out: '' });
      expect(called.err).toContain('--repo, most likely https://git.example.com/team/models.git');
    }
    const planned = await own.run('plan');
    expect(planned.err).toContain('this reads the clone itself');
    expect(planned.out).toContain('adopt');
    expect(await branches(own)).toBe('main');
  });

  test.each(['https://me:secret@git.example.invalid/x.git', 'https://ghp_secret@git.example.invalid/x.git'])(
    'never with the password of the clone (%s)',
    async (url) => {
      const own = await clone(await startSite(), url);
      const called = await own.run('plan');
      expect(called.err).toContain('https://git.example.invalid/x.git');
      expect(`${called.out}${called.err}`).not.toContain('secret');
    },
  );

  test.each([
    ['https://me:secret@git.example.invalid:99999/x.git', 'the location of the repository is no URL'],
    ['ftp://me:secret@git.example.invalid/x.git', 'ftp://git.example.invalid/x.git cannot be opened'],
    ['ssh+git://me:secret@git.example.invalid/x.git', 'most likely https://git.example.invalid/x.git'],
    ['ssh://me:secret@git.example.invalid:port/x.git', 'ssh://git.example.invalid:port/x.git cannot be opened'],
    ['me:se@cret@git.example.invalid:x.git', 'most likely https://git.example.invalid/x.git'],
    ['me:secret@git.example.invalid/x.git', 'most likely https://me/***@git.example.invalid/x.git'],
  ])('nor with one in an address that is none of http(s) (%s)', async (url, said) => {
    const own = await clone(await startSite(), url);
    const called = await own.run('pause vllm');
    expect(called).toMatchObject({ code: 2, out: '', err: expect.stringContaining(said) });
    expect(called.err).not.toMatch(/secret|cret@|me:/);
  });

  test('is the clone itself where somebody says so: its checked-out main is refused, with what to do', async () => {
    const own = await clone(await startSite(), 'https://git.example.invalid/x.git');
    const called = await own.run('reconcile --repo .');
    expect(called).toMatchObject({ code: 2, out: '' });
    expect(called.err).toMatch(
      /main is checked out in .*; nothing was written\. Name the repository .*--repo https:\/\/git\.example\.invalid\/x\.git/,
    );
    expect(await branches(own)).toBe('main');
    const order = await own.run('pause vllm --repo .');
    expect(order.code).toBe(1);
    expect(order.err).toMatch(/main is checked out in .*\. Name the repository/);
    expect(order.err).not.toContain('pull request');
  });

  test('is the clone itself where another branch is checked out there', async () => {
    const own = await clone(await startSite());
    await own.git('checkout', '-q', '-b', 'mine');
    expect(await own.run('reconcile --repo .')).toMatchObject({ code: 0 });
    expect(await branches(own)).toContain('tranche-status');
  });
});

test('what lies in a folder of a clone like a bare repository is none: whoever merges there has put it there', async () => {
  const site = await startSite();
  const own = await clone(site);
  const folder = join(own.folder, 'apps/vllm');
  for (const name of ['HEAD', 'config', 'objects', 'refs'])
    cpSync(join(site.repository.path, name), join(folder, name), { recursive: true });
  const head = () => readFileSync(join(folder, 'refs/heads/main'), 'utf8');
  const before = head();
  for (const line of [
    'pause vllm',
    'pause vllm --repo .',
    'abort vllm',
    'stop',
    'status',
    'plan',
    'lint --branch main',
  ]) {
    const called = await own.run(line, {}, folder);
    expect(called, line).toMatchObject({ code: 2, out: '' });
    expect(called.err, line).toContain(`lies in the clone ${own.folder}`);
    expect(called.err, line).toMatch(
      /Call tranche in \S+clone, or name the repository by its URL or path with --repo$/m,
    );
  }
  expect(head()).toBe(before);
  expect(await own.run('pause vllm', {}, own.folder)).toMatchObject({ code: 0 });
  expect(await own.run(`status --repo ${folder}`, {}, folder), 'somebody has named it').toMatchObject({ code: 0 });
});

test('no kustomize that lies in the clone is run, though PATH leads there as under npx', async () => {
  const site = await startSite();
  const own = await clone(site);
  const [bin, ran] = [join(own.folder, 'node_modules/.bin'), join(site.folder, 'ran')];
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'kustomize'), `#!/bin/sh\necho > ${ran}\necho v5.8.1\n`, { mode: 0o755 });
  writeFileSync(join(own.folder, 'apps/vllm/kustomization.yaml'), 'resources: [lws.yaml]\n');
  for (const env of [{}, { TRANCHE_KUSTOMIZE: 'kustomize' }]) {
    const called = await own.run('roots', { PATH: bin, ...env }, join(own.folder, 'apps'));
    expect(existsSync(ran), `${called.out}${called.err}`).toBe(false);
    expect(`${called.out}${called.err}`).toContain('there is no kustomize');
  }
});

describe('who gives an order', () => {
  const ADA = ['Ada', 'ada@example.com'];
  const OCTOCAT = 'octocat <octocat@users.noreply.github.com>';
  const rows: readonly (readonly [
    string,
    readonly string[],
    Readonly<Record<string, string>>,
    { readonly said: string; readonly author: string },
  ])[] = [
    ['the user of the clone', ADA, {}, { said: 'Ada <ada@example.com>', author: 'Ada <ada@example.com>' }],
    [
      'the author in the environment',
      ADA,
      { GIT_AUTHOR_NAME: 'Bo' },
      { said: 'Bo <ada@example.com>', author: 'Bo <ada@example.com>' },
    ],
    ['the person whom a runner names', ADA, { GITHUB_ACTOR: 'octocat' }, { said: 'octocat', author: OCTOCAT }],
    ['nobody whom the environment names', ['', ''], {}, { said: '', author: 'tranche <tranche@localhost>' }],
  ];
  test.each(rows)('is %s', async (_what, [name = '', email = ''], env, { said, author }) => {
    const site = await startSite();
    const own = await clone(site);
    await own.git('config', 'user.name', name);
    await own.git('config', 'user.email', email);
    expect(await own.run('pause vllm', env)).toMatchObject({ code: 0 });
    const last = (format: string): Promise<string> => site.repository.git('log', '-1', `--format=${format}`, 'main');
    expect(await last('%(trailers:key=Ordered-By,valueonly)')).toBe(said);
    expect(await last('%an <%ae>')).toBe(author);
    expect(await last('%cn')).toBe('tranche');
    expect(await own.run('resume vllm --by Cy', env)).toMatchObject({ code: 0 });
    expect(await last('%(trailers:key=Ordered-By,valueonly)')).toBe('Cy (claim)');
    expect(await last('%an <%ae>'), 'a claim makes nobody an author').toBe(author);
  });
});
