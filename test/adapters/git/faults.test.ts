/** Smart HTTP against servers that lie, stall, break off or refuse: what the caller is told, and what is true after. */

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GitLimits } from '../../../src/adapters/git/limits.ts';
import { openGit } from '../../../src/adapters/git/open.ts';
import type { Git } from '../../../src/ports/git.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { newCommit } from '../../support/fake-git.ts';
import {
  bareRepository,
  type GitServer,
  type ServedRepository,
  type ServerFault,
  type ServerRequest,
  startGitServer,
} from '../../support/git-server.ts';
import { type ManualTimers, manualTimers } from '../../support/manual-timers.ts';
import { textsOf, update } from './contract.ts';

const token = 'ghs_s3cretT0ken';
const request = { paths: ['apps'], suffixes: [], markers: [] };
const whole = { paths: [''], suffixes: [], markers: ['kind: Rollout'] };

let server: GitServer;
let repository: ServedRepository;
let head = '';
let made = 0;

beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  made += 1;
  server.fault = () => undefined;
  timers = manualTimers();
  timers.skipPauses();
  log = [];
  repository = await server.createRepository(`r${made}.git`);
  head = await repository.commit('main', {
    'apps/a.yaml': 'a: 1\n',
    'apps/b.yaml': 'b: 1\n',
    'other/c.yaml': 'c: 1\n',
  });
  server.requests.length = 0;
  server.bytes.sent = 0;
});

/** No test here waits for a clock: pauses are over at once, and time passes where a test says so. */
let timers: ManualTimers;
let log: string[] = [];
const say = (message: string): void => void log.push(message);

const open = (limits: Partial<GitLimits> = {}, location = repository.url): Git =>
  openGit({ location, token, limits, timers, log: { info: say, warn: say, error: say } });

/** The fault for every request of this kind, or only for the first this many. */
function inject(kind: ServerRequest['kind'], fault: ServerFault, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  server.fault = (seen) => {
    if (seen.kind !== kind || left <= 0) return undefined;
    left -= 1;
    return fault;
  };
}

async function failureOf(call: Promise<unknown>): Promise<PortError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PortError);
  const failure = error as PortError;
  expect(`${failure.message} ${failure.hint} ${failure.stack}`).not.toContain(token);
  return failure;
}

const hang: ServerFault = { kind: 'hang', thereafter: () => timers.advance(20) };
const garble = (change: (body: Buffer) => Buffer): ServerFault => ({ kind: 'garble', change });
/** Changes one byte of the pack inside the answer, counted from its end, without touching the framing. */
const spoilPackByte = (fromEnd: number): ServerFault =>
  garble((body) => {
    const copy = Buffer.from(body);
    const at = copy.length - 4 - fromEnd;
    copy[at] = copy[at]! ^ 0xff;
    return copy;
  });

describe('reading', () => {
  const html = { 'content-type': 'text/html' };
  const rows: readonly (readonly [string, ServerRequest['kind'], ServerFault, RegExp, boolean])[] = [
    ['401', 'ls-refs', { kind: 'answer', status: 401 }, /HTTP 401 \(wants a valid token\)/, false],
    [
      '403',
      'ls-refs',
      { kind: 'answer', status: 403, body: `no ${token}` },
      /HTTP 403 \(refuses this token\): no \*\*\*/,
      false,
    ],
    ['404', 'ls-refs', { kind: 'answer', status: 404 }, /repository not found, or the token may not see it/, false],
    ['500', 'fetch', { kind: 'answer', status: 500, body: 'oops' }, /HTTP 500: oops/, true],
    ['503 for long', 'fetch', { kind: 'answer', status: 503, headers: { 'retry-after': '3600' } }, /HTTP 503/, true],
    [
      '429 again and again',
      'fetch',
      { kind: 'answer', status: 429, headers: { 'retry-after': '0' } },
      /too many requests/,
      true,
    ],
    [
      'a login page',
      'ls-refs',
      { kind: 'answer', status: 200, headers: html, body: '<h1>Log in</h1>' },
      /text\/html, wanted Git's smart HTTP: Log in/,
      false,
    ],
    ['nothing at all', 'fetch', { kind: 'drop' }, /socket hang up|closed/, true],
    ['silence', 'fetch', hang, /sent nothing for 20 s/, true],
    ['a cut connection', 'fetch', { kind: 'truncate', missingBytes: 30, clean: false }, /closed|aborted/, true],
    ['a cut answer', 'fetch', { kind: 'truncate', missingBytes: 30, clean: true }, /stopped/, true],
    [
      'an answer without its last packet',
      'fetch',
      { kind: 'truncate', missingBytes: 4, clean: true },
      /stopped before its end/,
      true,
    ],
    ['a cut list of branches', 'ls-refs', { kind: 'truncate', missingBytes: 4, clean: true }, /without a word/, true],
    ['a wrong checksum', 'fetch', spoilPackByte(1), /wrong checksum/, true],
    ['a spoiled object', 'fetch', spoilPackByte(25), /cannot be inflated|inflates to|checksum/, true],
    [
      'garbage instead of packets',
      'fetch',
      garble(() => Buffer.from('hello, world')),
      /wanted the length of a packet, saw "hell"/,
      true,
    ],
    [
      'an answer about something else',
      'fetch',
      garble((body) => Buffer.from(body.toString('latin1').replace('packfile\n', 'packfoll\n'), 'latin1')),
      /stopped before its end/,
      true,
    ],
    ['an error in words', 'fetch', garble(() => Buffer.from('0010ERR go away\n')), /answered: go away/, true],
  ];
  test.each(rows)('%s', async (_what, kind, fault, message, retryable) => {
    inject(kind, fault);
    const call = async () => {
      const git = open();
      const [main] = await git.heads(['main']);
      return git.readAt(main ?? '', request);
    };
    const failure = await failureOf(call());
    expect(failure.message).toMatch(message);
    expect(failure).toMatchObject({ port: 'git', retryable });
    if (/HTTP 5/.test(failure.message)) expect(failure.hint).toContain('look at that server');
  });

  test('the hints for a token name the variable', async () => {
    inject('ls-refs', { kind: 'answer', status: 401 });
    expect((await failureOf(open().heads(['main']))).hint).toContain('TRANCHE_GIT_TOKEN');
  });

  test('one pass has one deadline: a byte a second ends it, and nothing more is asked', async () => {
    inject('fetch', { kind: 'drip', everyMilliseconds: 1 });
    timers.secondsPerRefresh = 1;
    const git = open();
    git.begin();
    const failure = await failureOf(git.readAt(head, request));
    expect(failure.message).toMatch(/not done after 60 s, which is all that one pass waits/);
    expect(failure).toMatchObject({ retryable: true, hint: expect.stringContaining('--git-timeout') });
    expect(timers.now()).toBe(60);
    const asked = server.requests.length;
    expect((await failureOf(git.heads(['main']))).message).toMatch(/60 s, .*nothing more was asked/);
    expect(server.requests).toHaveLength(asked);
    git.begin();
    expect(await git.heads(['main'])).toEqual([head]);
  });

  const takes = (seconds: number) => () => {
    timers.advance(seconds);
    return undefined;
  };

  test('what a pass does next to Git does not count, and requests at once count once', async () => {
    const git = open({ passSeconds: 100, idleSeconds: 1000 });
    git.begin();
    timers.advance(1000);
    server.fault = takes(20);
    await Promise.all([git.heads(['main']), git.heads(['status'])]);
    expect(await git.heads(['main'])).toEqual([head]);
    server.fault = takes(60);
    expect((await failureOf(git.heads(['main']))).message).toMatch(/not done after 100 s/);
  });

  test('a pause that a server asks for is told, and not taken where the time is not there', async () => {
    inject('fetch', { kind: 'answer', status: 503, headers: { 'retry-after': '7' } }, 1);
    expect((await open().readAt(head, request)).files).toHaveLength(2);
    inject('fetch', { kind: 'drop' }, 1);
    expect((await open().readAt(head, request)).files).toHaveLength(2);
    expect(log.filter((line) => line.includes('again'))).toEqual([
      expect.stringMatching(/HTTP 503; trying again in 7 s$/),
      expect.stringMatching(/; trying again$/),
    ]);
    server.fault = () => {
      timers.advance(1);
      return { kind: 'answer', status: 503, headers: { 'retry-after': '7' } };
    };
    expect((await failureOf(open({ passSeconds: 7.5 }).readAt(head, request))).message).toMatch(/HTTP 503/);
  });

  test.each([
    ['the pack', { packBytes: 100 }, /over the limit of 100 bytes/],
    ['all objects', { inflatedBytes: 150_000 }, /inflate to more than 150000/],
    ['the number of objects', { packObjects: 1 }, /the limit is 1/],
  ])('too large: %s', async (_what, limits, message) => {
    // Zeros: a bomb of a few hundred bytes on the wire.
    const bomb = await repository.commit('main', {
      'apps/bomb.yaml': '0'.repeat(120_000),
      'apps/more.yaml': '1'.repeat(90_000),
    });
    const failure = await failureOf(open(limits).readAt(bomb, request));
    expect(failure.message).toMatch(message);
    expect(textsOf(await open().readAt(bomb, request))['apps/bomb.yaml']).toHaveLength(120_000);
  });

  // A model next to the manifests, a tokenizer among them; the server sends parts, or only all of it.
  const plain = ['uploadpack.allowFilter', 'false'] as const;
  const noLimit = ['uploadpackfilter.blob:limit.allow', 'false'] as const;
  test.each([
    ['outside of the paths', ['apps'], undefined],
    ['outside of the paths, whole commits only', ['apps'], plain],
    ['in all paths', [''], undefined],
    ['in all paths, no limit for large files', [''], noLimit],
    ['in all paths, whole commits only', [''], plain],
  ])('objects over the limit %s: what is read is read, a file of its name is named', async (_what, paths, setting) => {
    if (setting !== undefined) await repository.git('config', ...setting);
    const noise = Buffer.concat(
      Array.from({ length: 20_000 }, (_none, i) => createHash('sha1').update(`${i}`).digest()),
    );
    const files = {
      'model.safetensors': noise,
      'apps/tokenizer.json': '0'.repeat(300_000),
      'apps/r.yaml': 'kind: Rollout\n',
    };
    const at = await repository.commit('main', files);
    const git = open({ blobBytes: 100_000, packBytes: 200_000 });
    for (const names of [[], ['tokenizer.json']]) {
      const tree = await git.readAt(at, { paths, suffixes: ['.yaml', '.json'], markers: ['kind: Rollout'], names });
      const shown = tree.files.filter(({ path }) => path.startsWith('apps/'));
      expect(shown.map(({ path, content }) => `${path} ${content.kind}`)).toEqual([
        'apps/r.yaml text',
        'apps/tokenizer.json unreadable',
      ]);
      expect(tree.skipped().map(({ path }) => path)).toEqual(expect.arrayContaining(['apps/a.yaml', 'apps/b.yaml']));
    }
    const sent = server.bytes.sent;
    expect((await git.push([update('main', at, [newCommit({ 'apps/a.yaml': 'a: 2\n' })])])).kind).toBe('pushed');
    expect((await git.history(at, undefined, 9)).length).toBe(2);
    // The tokenizer, which deflate makes small, and nothing of the model.
    if (setting === undefined && paths[0] === 'apps') expect(sent).toBeLessThan(100_000);
  });

  test('one dropped connection, and one 503 with Retry-After, do not matter', async () => {
    inject('fetch', { kind: 'drop' }, 1);
    expect(textsOf(await open().readAt(head, request))).toEqual({ 'apps/a.yaml': 'a: 1\n', 'apps/b.yaml': 'b: 1\n' });
    inject('fetch', { kind: 'answer', status: 503, headers: { 'retry-after': '0' } }, 2);
    expect((await open().readAt(head, request)).files).toHaveLength(2);
  });

  test('a commit that is gone is named', async () => {
    const failure = await failureOf(open().readAt('1'.repeat(40), request));
    expect(failure.message).toContain(`no commit ${'1'.repeat(40)}`);
    expect(failure.retryable).toBe(true);
  });

  test('an unreachable server', async () => {
    const stopped = await startGitServer();
    await stopped.stop();
    const failure = await failureOf(openGit({ location: `${stopped.url}/x.git` }).heads(['main']));
    expect(failure).toMatchObject({ retryable: true, message: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('redirects', () => {
  const to = (location: string): ServerFault => ({ kind: 'answer', status: 301, headers: { location } });

  test('to another host, port or scheme are not followed, and get no token', async () => {
    const elsewhere = await startGitServer();
    for (const target of [elsewhere.url, server.url.replace('http:', 'https:'), 'http://example.invalid']) {
      server.fault = (seen) => to(`${target}${seen.url}`);
      const failure = await failureOf(open().heads(['main']));
      expect(failure).toMatchObject({ retryable: false, message: expect.stringContaining(`redirects to ${target}`) });
      expect(failure.message).not.toContain('info/refs');
    }
    expect(elsewhere.requests).toHaveLength(0);
    await elsewhere.stop();
  });

  test('to another path of the same server are followed for reading and for pushing', async () => {
    server.fault = (seen) =>
      seen.url.startsWith('/old.git') ? to(seen.url.replace('/old.git', `/r${made}.git`)) : undefined;
    const git = open({}, `${server.url}/old.git`);
    expect(await git.heads(['main'])).toEqual([head]);
    expect(textsOf(await git.readAt(head, request))).toHaveProperty(['apps/a.yaml']);
    expect(await git.push([update('main', head, [newCommit({ x: '1' })])])).toMatchObject({ kind: 'pushed' });
  });

  test('hold for one pass, and are told once', async () => {
    const moved = (seen: ServerRequest) =>
      seen.url.startsWith('/old.git') ? to(seen.url.replace('/old.git', `/r${made}.git`)) : undefined;
    const git = open({}, `${server.url}/old.git`);
    for (let pass = 0; pass < 2; pass += 1) {
      server.fault = moved;
      git.begin();
      expect(await git.heads(['main'])).toEqual([head]);
    }
    expect(log).toEqual([
      `git: ${server.url}/old.git redirects to ${repository.url}; followed for one pass at a time. Give the new address as --repo`,
    ]);
    // The old name is somebody's again, and what it led to is gone.
    const old = await server.createRepository('old.git');
    const theirs = await old.commit('main', { a: '1\n' });
    server.fault = (seen) => (seen.url.startsWith('/old.git') ? undefined : { kind: 'answer', status: 404 });
    git.begin();
    expect(await git.heads(['main'])).toEqual([theirs]);
  });

  test('in a circle end', async () => {
    server.fault = (seen) => to(seen.url);
    expect((await failureOf(open().heads(['main']))).message).toMatch(/redirects to/);
  });
});

describe('servers that offer less', () => {
  const settings = [
    ['no filter', 'uploadpack.allowFilter', 'false'],
    ['no root tree with the commit', 'uploadpackfilter.tree.maxDepth', '0'],
    ['no limit for large files', 'uploadpackfilter.blob:limit.allow', 'false'],
    ['no tree filter', 'uploadpackfilter.tree.allow', 'false'],
    ['only some filters', 'uploadpackfilter.allow', 'false'],
  ] as const;
  test.each(settings)('%s: the same answers', async (_what, key, value) => {
    await repository.git('config', key, value);
    const later = await repository.commit('main', { 'apps/r.yaml': 'kind: Rollout\n', 'apps/a.yaml': undefined });
    const git = open();
    const wanted = { 'apps/b.yaml': 'b: 1\n', 'apps/r.yaml': 'kind: Rollout\n' };
    expect(textsOf(await git.readAt(later, request))).toEqual(wanted);
    expect(textsOf(await git.readAt(head, request))).toEqual({ 'apps/a.yaml': 'a: 1\n', 'apps/b.yaml': 'b: 1\n' });
    expect(textsOf(await open().readAt(later, whole))).toEqual({ 'apps/r.yaml': 'kind: Rollout\n' });
    expect((await git.history(later, head, 5)).map(({ oid }) => oid)).toEqual([later, head]);
    const pushed = await git.push([update('main', later, [newCommit({ 'apps/b.yaml': 'b: 2\n' })])]);
    expect(pushed.kind).toBe('pushed');
    await repository.git('fsck', '--strict');
    // What the server will not do was asked once, not before every read.
    const before = server.requests.length;
    await git.readAt(head, request);
    expect(server.requests.slice(before).filter(({ kind }) => kind === 'discover-upload')).toHaveLength(0);
  });

  test.each([
    ['uploadpack.allowFilter', [/r\d+\.git has no partial clone .*git config uploadpack\.allowFilter true \(/]],
    ['uploadpackfilter.tree.allow', [/r\d+\.git sends all trees .*uploadpackfilter\.tree\.allow true \(/]],
    ['uploadpackfilter.tree.maxDepth', []],
  ])('what costs much is said once, with the setting to change: %s', async (key, wanted) => {
    await repository.git('config', key, key.endsWith('maxDepth') ? '0' : 'false');
    const git = open();
    const reads = [request, { ...request, paths: ['other'] }, { ...request, paths: ['apps/a.yaml'] }];
    await Promise.all(reads.map((read) => git.readAt(head, read)));
    const later = await repository.commit('main', { 'apps/b.yaml': 'b: 2\n' });
    git.begin();
    await git.readAt(later, request);
    // A machine under load may drop a connection, which is tried again, and said: that is another story.
    const said = log.filter((line) => line.includes('git config'));
    expect(said).toEqual(wanted.map((line) => expect.stringMatching(line)));
  });

  test('version 0 only: said so', async () => {
    await repository.git('config', 'protocol.version', '0');
    server.fault = (seen) =>
      seen.kind === 'ls-refs'
        ? garble(() => Buffer.alloc(0))
        : seen.kind === 'discover-upload'
          ? garble(versionZero)
          : undefined;
    expect((await failureOf(open().heads(['main']))).message).toMatch(/does not speak Git's protocol version 2/);
  });

  const versionZero = () =>
    Buffer.from(`001e# service=git-upload-pack\n0000${line(`${head} HEAD\0multi_ack shallow\n`)}0000`);
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;

  test('SHA-256: said so', async () => {
    await repository.git('init', '-q', '--bare', '--object-format=sha256', `${repository.path}256`);
    const { commit } = bareRepository(`${repository.path}256`);
    await commit('main', { a: '1\n' });
    const failure = await failureOf(openGit({ location: `${repository.url}256` }).heads(['main']));
    expect(failure).toMatchObject({ retryable: false, message: expect.stringMatching(/sha256|SHA-256/) });
  });
});

describe('pushing', () => {
  const step = () => [
    update('main', head, [newCommit({ 'apps/a.yaml': 'a: 2\n' })]),
    update('status', undefined, [newCommit({ s: '1\n' })]),
  ];
  const heads = async () => repository.git('for-each-ref', '--format=%(refname:short) %(objectname)');

  test.each<readonly [string, ServerFault]>([
    ['the reply is lost', { kind: 'lose-reply' }],
    ['the server hangs', hang],
    ['the report is cut', { kind: 'truncate', missingBytes: 12, clean: true }],
    ['the report is garbage', garble(() => Buffer.from('what?'))],
    ['a proxy answers for it with a page', garble(() => Buffer.alloc(0))],
  ])('%s: the branches are read, and what has landed counts', async (_what, fault) => {
    inject('receive', fault);
    const result = await open().push(step());
    expect(result.kind).toBe('pushed');
    if (result.kind === 'pushed') expect(await heads()).toBe(`main ${result.heads[0]}\nstatus ${result.heads[1]}`);
  });

  test.each<readonly [string, ServerFault, RegExp]>([
    ['the connection drops before anything', { kind: 'drop' }, /the branches are as they were/],
    ['500', { kind: 'answer', status: 500, body: 'disk full' }, /HTTP 500: disk full; the branches are as they were/],
    ['503', { kind: 'answer', status: 503 }, /HTTP 503/],
    ['429', { kind: 'answer', status: 429 }, /too many requests/],
  ])('%s: an error that may be tried again, and nothing written', async (_what, fault, message) => {
    inject('receive', fault);
    const failure = await failureOf(open().push(step()));
    expect(failure).toMatchObject({ operation: 'push', retryable: true, message: expect.stringMatching(message) });
    expect(await heads()).toBe(`main ${head}`);
  });

  test.each<readonly [ServerRequest['kind'], number]>([
    ['discover-receive', 401],
    ['receive', 403],
  ])('at %s HTTP %i: an error that stays', async (kind, status) => {
    inject(kind, { kind: 'answer', status });
    expect(await failureOf(open().push(step()))).toMatchObject({
      retryable: false,
      hint: expect.stringContaining('TRANCHE_GIT_TOKEN'),
    });
    expect(await heads()).toBe(`main ${head}`);
  });

  test('somebody moves a branch after the server was asked and before it is told: moved', async () => {
    const git = open();
    let theirs = '';
    server.fault = async (seen) => {
      if (seen.kind === 'receive') theirs = await repository.commit('main', { 'apps/a.yaml': 'theirs\n' });
      return undefined;
    };
    expect(await git.push(step())).toEqual({ kind: 'moved' });
    expect(await heads()).toBe(`main ${theirs}`);
  });

  test('the reply is lost and somebody else has moved on from there: moved, not an error', async () => {
    server.fault = async (seen) => {
      if (seen.kind !== 'ls-refs') return seen.kind === 'receive' ? { kind: 'lose-reply' } : undefined;
      await repository.commit('main', { later: '1\n' });
      return undefined;
    };
    expect(await open().push(step())).toEqual({ kind: 'moved' });
  });

  test('words that nobody knows: the branches are read, and the words are told', async () => {
    repository.hook('update', 'exit 0');
    inject(
      'receive',
      garble((body) => Buffer.from(body.toString('latin1').replace('unpack ok', 'unpack no'), 'latin1')),
    );
    expect((await open().push(step())).kind).toBe('pushed');
    server.fault = (seen) => {
      if (seen.kind !== 'receive') return undefined;
      const report = '000eunpack ok\n0028ng refs/heads/status the moon is full\n0000'.replace(
        '0028',
        line('ng refs/heads/status the moon is full\n').slice(0, 4),
      );
      const band = Buffer.concat([Buffer.from([1]), Buffer.from(report)]);
      return {
        kind: 'answer',
        status: 200,
        headers: { 'content-type': 'application/x-git-receive-pack-result' },
        body: `${(band.length + 4).toString(16).padStart(4, '0')}${band.toString('latin1')}0000`,
      };
    };
    const status = await repository.git('rev-parse', 'status');
    const again = [update('status', status, [newCommit({ s: '2\n' })])];
    expect(await open().push(again), 'a no is a no').toMatchObject({ kind: 'refused', rule: 'the moon is full' });
  });

  test('words that nobody knows about one of two branches: that one is refused, not moved', async () => {
    repository.hook('update', 'if [ "$1" = refs/heads/status ]; then exit 1; fi');
    const moon = garble((body) =>
      Buffer.from(body.toString('latin1').replace('hook declined', 'moon is full!'), 'latin1'),
    );
    inject('receive', moon);
    expect(await open().push(step())).toMatchObject({
      kind: 'refused',
      branch: 'status',
      rule: expect.stringContaining('moon is full!'),
    });
    expect(await heads()).toBe(`main ${head}`);
  });

  test('a lock that a crashed git has left on the server: the words are told, as nobody has moved anything', async () => {
    writeFileSync(join(repository.path, 'refs/heads/main.lock'), '');
    expect(await open().push(step())).toEqual({ kind: 'moved' });
    expect(log.at(-1)).toMatch(/^git push: .* says ".*main\.lock.*", and the branches are as they were$/);
    expect(await heads()).toBe(`main ${head}`);
  });
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;

  test('the update hook of one branch refuses: that branch and its words', async () => {
    repository.hook('update', 'if [ "$1" = refs/heads/status ]; then echo "no status on Fridays" >&2; exit 1; fi');
    const result = await open().push(step());
    expect(result).toMatchObject({
      kind: 'refused',
      branch: 'status',
      rule: expect.stringContaining('no status on Fridays'),
    });
    expect(await heads()).toBe(`main ${head}`);
  });

  test('a branch above a branch: refused, with the words of git', async () => {
    const result = await open().push([update('main/x', undefined, [newCommit({ s: '1\n' })])]);
    expect(result).toMatchObject({
      kind: 'refused',
      branch: 'main/x',
      rule: expect.stringMatching(/exists; cannot create/),
    });
  });

  test('a server without atomic: one by one in the order given, and a half is told', async () => {
    await repository.git('config', 'receive.advertiseAtomic', 'false');
    expect((await open().push(step())).kind).toBe('pushed');
    const [main, status] = (await open().heads(['main', 'status'])) as [string, string];
    repository.hook('update', 'if [ "$1" = refs/heads/status ]; then exit 1; fi');
    const failure = await failureOf(
      open().push([
        update('main', main, [newCommit({ n: '3\n' })]),
        update('status', status, [newCommit({ s: '3\n' })]),
      ]),
    );
    expect(failure).toMatchObject({
      retryable: true,
      message: expect.stringMatching(/main landed, status did not \(refused/),
    });
    expect(await repository.git('rev-parse', 'status')).toBe(status);
    expect(await repository.git('rev-parse', 'main^')).toBe(main);
    // The end of a branch is no half: what landed has landed, and alone it is an answer, as ever.
    await repository.git('branch', 'gone', 'main');
    repository.hook('update', 'if [ "$1" = refs/heads/gone ]; then exit 1; fi');
    const [end] = await open().heads(['gone']);
    const gone = { branch: 'gone', expectedOld: end ?? '', isDeleted: true } as const;
    const pushed = await open().push([update('main', end, [newCommit({ n: '4\n' })]), gone]);
    expect([pushed.kind, log.at(-1)]).toEqual(['pushed', expect.stringMatching(/main landed, gone did not \(refused/)]);
    expect(await open().push([gone])).toMatchObject({ kind: 'refused', branch: 'gone' });
  });

  test('a dead kept connection is replaced', async () => {
    const git = open();
    expect((await git.push(step())).kind).toBe('pushed');
    const [main] = await git.heads(['main']);
    inject('receive', { kind: 'drop' }, 1);
    expect((await git.push([update('main', main, [newCommit({ n: '2\n' })])])).kind).toBe('pushed');
  });
});

describe('addresses', () => {
  test.each([
    ['https://user:secret@example.com/x.git', /has credentials in it/],
    ['https://ghp_secret@example.com/x.git', /has credentials in it/],
    ['https://example.com/x.git?token=secret', /query/],
    ['ssh://git@example.com/x.git', /cannot be opened/],
    ['git@example.com:x.git', /cannot be opened/],
    ['git://example.com/x.git', /cannot be opened/],
    ['https://', /no URL/],
  ])('%s is refused without its secret', (location, message) => {
    const call = () => openGit({ location });
    expect(call).toThrow(PortError);
    expect(call).toThrow(message);
    expect(call).not.toThrow(/secret/);
  });

  test('the token goes as Basic authentication of x-access-token', async () => {
    await open().heads(['main']);
    const [first] = server.requests;
    expect(Buffer.from(first!.authorization!.replace('Basic ', ''), 'base64').toString()).toBe(
      `x-access-token:${token}`,
    );
    expect(first!.url).not.toContain(token);
  });
});
