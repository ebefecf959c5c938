/** A name, a namespace, a cluster or a file that is nowhere: an error that says which there are, and never a proof of nothing. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

let site: Site;
beforeAll(async () => {
  site = (await startSite({ files: VLLM_FILES })).keep();
  await site.run('reconcile');
  await site.edit(LWS_FILE, OLD, NEW);
  await site.run('reconcile');
  mkdirSync(join(site.folder, 'empty'));
  site.file('notes', '# keys follow\n');
});
afterAll(async () => {
  await site.stop();
  await stopSites();
});

const READERS = ['status', 'status --live', 'status --watch', 'history', 'verify-history', 'show-stable', 'analyze'];
const ORDERS = 'undo abort approve pause resume retry propose repair acknowledge eject'.split(' ');
const WITH_JSON = ['status', 'history', 'verify-history'].map((verb) => `${verb} --output json`);

describe.each([...READERS, ...WITH_JSON, 'policy explain', ...ORDERS])('%s', (verb) => {
  test.each([
    ['llama', 'llama'],
    ['llm/llama', 'llama'],
    ['prod/vllm', 'prod/vllm'],
    ['vllm -n prod', 'prod/vllm'],
  ])('%s', async (name, said) => {
    const called = await site.run(`${verb} ${name}`);
    expect(called).toMatchObject({ code: 1, out: '' });
    expect(called.err).toContain(said);
    expect(called.err).toMatch(/here is: llm\/vllm/);
  });
});

test.each(['jump llama 2', 'plan --only llama', 'reconcile --only prod/vllm'])('%s', async (line) => {
  const called = await site.run(line);
  expect(called.code).toBe(1);
  expect(called.out + called.err).toMatch(/here is: llm\/vllm/);
});

describe.each(['status', 'history', 'verify-history', ...WITH_JSON])('%s', (verb) => {
  test('of a namespace without a Rollout', async () => {
    const called = await site.run(`${verb} -n prod`);
    expect(called).toMatchObject({ code: 1, out: '' });
    expect(called.err).toMatch(/in the namespace prod.*here is: llm\/vllm/);
  });

  test('of a cluster that nothing is about', async () => {
    for (const name of ['', ' vllm']) {
      const called = await site.run(`${verb}${name} --cluster prod`);
      expect(called).toMatchObject({ code: 1, out: '' });
      expect(called.err).toMatch(/cluster prod.*here is: default/);
    }
  });
});

test('a name that many files have is said once', async () => {
  const managed = await site.text(LWS_FILE);
  const names = Array.from({ length: 5 }, (_, at) => `apps/copy-${at}/lws.yaml`);
  const many = await startSite({ files: Object.fromEntries(names.map((name) => [name, managed])) });
  for (const line of ['abort llama', 'plan --only llama', 'status llama', 'history llama']) {
    const { out, err } = await many.run(line);
    expect(/here is: .*/.exec(out + err)?.[0], line).toMatch(/^here is: llm\/vllm\b(?!.*vllm)/);
  }
});

describe('a name that is empty is called so, and means no other', () => {
  const verbs = [...READERS, 'policy explain', ...ORDERS];
  test.each(verbs.flatMap((verb) => ['', ' '].map((name) => [...verb.split(' '), name])))('%s', async (...words) => {
    const called = await site.run(words);
    expect(called).toMatchObject({ code: 2, out: '' });
    expect(called.err).toMatch(/^error: <name> is empty, wanted the Rollout: its name, or namespace\/name/);
  });

  test.each([
    [['jump', 'vllm', ''], '<step> is empty, wanted its number, from 1'],
    [['jump', '', '2'], '<name> is empty'],
    [['plan', '--only', ''], '--only is empty, wanted the Rollout: its name, or namespace/name'],
    [['reconcile', '--only', 'vllm', ''], '--only is empty'],
    [['plan', ''], 'hint: one word is empty, as that of a variable which is not set'],
    [['simulate', ''], '<files> is empty, wanted the manifest'],
    [['replay', ''], '<dir> is empty, wanted as given to --save-pass'],
    [['policy', 'test', 'a', ''], '<place> is empty, wanted files, or folders of YAML'],
    [['abort', 'llm/'], '"llm/": wanted a name, or namespace/name'],
    [['status', 'llm/'], '"llm/": wanted a name, or namespace/name'],
  ])('%j', async (words, said) => {
    const called = await site.run(words);
    expect(called).toMatchObject({ code: 2, out: '' });
    expect(called.err).toContain(said);
  });
});

test('of a main without any Rollout', async () => {
  const bare = await startSite({ files: { 'README.md': 'nothing yet\n' } });
  for (const verb of ['history', 'verify-history'])
    expect(await bare.run(`${verb} vllm`)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('none') });
});

describe('verify-history proves nothing of what it has not looked at', () => {
  test('a Rollout that is no longer on main', async () => {
    const gone = await startSite({ files: VLLM_FILES });
    await gone.run('reconcile');
    await gone.repository.commit('main', { [LWS_FILE]: undefined, [ROLLOUT_FILE]: undefined }, 'gone');
    const named = await gone.run('verify-history vllm');
    expect(named.out).toContain('not looked at  default/llm/vllm  1 step: ');
    expect(named.out).toContain('No step was looked at');
    expect(named.out).not.toContain('whole');
    expect(named.code).toBe(1);
    const { notLooked } = JSON.parse((await gone.run('verify-history vllm --output json')).out);
    expect(notLooked).toEqual([{ rollout: 'default/llm/vllm', steps: 1 }]);
  });

  test('a main that has no step yet', async () => {
    const early = await startSite({ files: VLLM_FILES });
    const called = await early.run('verify-history');
    expect(called.out).toMatch(/^There is no step to look at in \d+ commits of main at [0-9a-f]{12}\.$/m);
    expect(called.code).toBe(0);
  });

  test('paths that are not in the repository', async () => {
    const called = await site.run('verify-history --path elsewhere');
    expect(called.out).toContain('not looked at  default/llm/vllm  1 step: ');
    expect(called.out).not.toContain('whole');
    expect(called.code).toBe(1);
  });

  test('a cluster that has another name now has the steps that it had', async () => {
    const renamed = await startSite({ files: VLLM_FILES });
    await renamed.run('reconcile');
    await renamed.repository.commit('main', { 'tranche.yaml': 'cluster: prod\n' }, 'another name');
    const called = await renamed.run('verify-history vllm');
    expect(called.out).toContain('The chain is whole: 1 steps');
    expect(called.code).toBe(0);
  });
});

describe('verify-history --allowed-signers', () => {
  test.each([
    ['/nope', '--allowed-signers /nope: there is no such file'],
    ['nope', '--allowed-signers nope: there is no such file'],
    ['empty', '--allowed-signers empty: it is a folder'],
    ['notes', '--allowed-signers notes: it has no key'],
  ])('%s', async (file, said) => {
    const called = await site.run(`verify-history --allowed-signers ${file}`);
    expect(called).toMatchObject({ code: 2, out: '' });
    expect(called.err).toContain(said);
    expect(called.err).toContain('wanted a file with a line for each key, as "ada@example.com ssh-ed25519 AAAA…"');
  });
});

test.each([
  ['lint --ref nope', /has no branch nope.*--ref/],
  ['roots --ref nope', /has no branch nope.*--ref/],
  ['lint --base nope', /--base nope: the repository has no such branch/],
  ['simulate nope.yaml', /nope\.yaml cannot be read/],
  ['policy test nope', /nope is not there: name a file, or a folder/],
])('%s', async (line, said) => {
  expect(await site.run(line)).toMatchObject({ code: 2, err: expect.stringMatching(said) });
});
