/** Mode verify where Git has names that no text has, or that a person cannot tell apart. */

import { afterEach, expect, test } from 'vitest';
import { pipeToGit } from '../support/git-server.ts';
import { act, commands } from '../support/runner.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_TEXT, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

/** Files of the folder apps, by names whose characters are bytes. */
type Raw = Readonly<Record<string, string>>;

/** A commit on this one with these files in the folder apps next to what is there in the first. */
async function committed(site: Site, parent: string, files: Raw): Promise<string> {
  const { path, git } = site.repository;
  const run = (args: readonly string[], input: Buffer) => pipeToGit(path, args, input);
  const entry = (line: string, name: string): Buffer => Buffer.from(`${line}\t${name}\0`, 'latin1');
  const [first = ''] = (await git('rev-list', '--max-parents=0', 'main')).split('\n');
  const idOf = (place: string): Promise<string> => git('rev-parse', `${first}:${place}`);
  const blobs = await Promise.all(
    Object.entries(files).map(async ([name, text]) =>
      entry(`100644 blob ${await run(['hash-object', '-w', '--stdin'], Buffer.from(text))}`, name),
    ),
  );
  const folder = entry(`040000 tree ${await idOf('apps/vllm')}`, 'vllm');
  const apps = await run(['mktree', '-z'], Buffer.concat([folder, ...blobs]));
  const rollouts = entry(`040000 tree ${await idOf('rollouts')}`, 'rollouts');
  const root = await run(['mktree', '-z'], Buffer.concat([entry(`040000 tree ${apps}`, 'apps'), rollouts]));
  return git('commit-tree', root, '-p', parent, '-m', 'files');
}

/** What is said of merging `after` where main has `before`. */
async function judged(before: Raw, after: Raw) {
  const site = await startSite({ files: VLLM_FILES });
  const { git } = site.repository;
  const main = await committed(site, await git('rev-parse', 'main'), before);
  await git('update-ref', 'refs/heads/main', main);
  await git('update-ref', 'refs/pull/7/merge', await committed(site, main, { ...before, ...after }));
  const event = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_REF: 'refs/pull/7/merge', GITHUB_BASE_REF: 'main' };
  return act(site, { mode: 'verify', kubeconfig: '', token: '' }, event);
}

const both = (name: string): string =>
  `${LWS_TEXT.replace('  name: vllm\n', `  name: ${name}\n`)}---\n${ROLLOUT_TEXT.replaceAll('name: vllm', `name: ${name}`)}`;
const bytes = (text: string): string => Buffer.from(text).toString('latin1');
const [NFC, NFD] = [bytes('caf\u00e9.yaml'), bytes('cafe\u0301.yaml')];

test.each([
  // What main has → what comes → the errors, each with its file.
  ['a name of other bytes', {}, { '\xff.yaml': both('one') }, ['apps/\\377.yaml UnreadableFile']],
  [
    'a second one next to it',
    { '\xff.yaml': both('one') },
    { '\xfe.yaml': both('two') },
    ['apps/\\376.yaml UnreadableFile'],
  ],
  ['half a character', {}, { 'caf\xc3.yaml': both('one') }, ['apps/caf\\303.yaml UnreadableFile']],
  ['a surrogate', {}, { '\xed\xa0\x80.yaml': both('one') }, ['apps/\\355\\240\\200.yaml UnreadableFile']],
  [
    'next to one that has the sign for it',
    { [bytes('\ufffd.yaml')]: both('one') },
    { '\xff.yaml': both('one') },
    ['apps/\\377.yaml UnreadableFile'],
  ],
] as const)('%s is an error with its bytes', async (_what, before, after, wanted) => {
  const ran = await judged(before, after);
  expect(ran.code).toBe(1);
  const errors = commands(ran.out).filter((line) => line.startsWith('::error'));
  expect(errors.map((line) => line.replace(/^::error file=([^,]*),.*title=(\w+)::.*/s, '$1 $2'))).toEqual(wanted);
});

test.each([
  ['one more form of a character', NFC, NFD],
  ['another case', 'a.yaml', 'A.yaml'],
] as const)('%s is another file: a twin in it is an error at its place', async (_what, there, comes) => {
  expect((await judged({ [there]: both('one') }, { [comes]: both('two') })).code).toBe(0);
  const ran = await judged({ [there]: both('one') }, { [comes]: both('one') });
  expect(ran.code).toBe(1);
  expect(commands(ran.out).join('\n')).toContain(
    `::error file=apps/${Buffer.from(comes, 'latin1').toString()},line=5,title=DuplicateObject::`,
  );
});
