/** Mode verify where file names would like to act on the runner, and where a pull request edits who owns what. */

import { afterEach, expect, test } from 'vitest';
import { type Files, pullRequest } from '../support/pull-request.ts';
import { act, commands } from '../support/runner.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

const judged = async (site: Site, files: Files) =>
  act(site, { mode: 'verify', kubeconfig: '', token: '' }, await pullRequest(site, files));

const NAMES = [
  'a\nx',
  '\n::error file=x::owned\n::stop-commands::x ##[error]',
  '\u001b[2J\u2028\u202e\t"q" \'s\'\\',
  '-rf $(touch pwned)',
  'a,line=1::b%0Ac',
  'x|`y`<img src=x onerror=alert(1)>',
];
/** What a terminal or a runner obeys. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|^\s*::[a-z]|##\[|##vso\[/;

const textOf = (name: string): string =>
  `${LWS_TEXT.replace('  name: vllm\n', `  name: ${name}\n`)}---\n${ROLLOUT_TEXT.replaceAll('name: vllm', `name: ${name}`)}`;

test('a mark that nobody of ours wrote, in files of odd names', async () => {
  const files = Object.fromEntries(NAMES.map((name, at) => [`apps/${name}.yaml`, textOf(`odd-${at}`)]));
  const site = await startSite({ files });
  const forged = Object.entries(files).map(([path, text]) => [
    path,
    text.replace('metadata:\n', 'metadata:\n  annotations: {tranche.dev/step: 1/3}\n').replaceAll(OLD, NEW),
  ]);
  const ran = await judged(site, Object.fromEntries(forged));
  expect(ran.code).toBe(1);
  const told = commands(ran.out);
  expect(told.filter((one) => one.includes('title=MarkForged::'))).toHaveLength(NAMES.length);
  // Whatever a line of a file name says, each command is one of ours, with the file in its first field alone.
  const ours = /^::(error|warning) file=apps\/[^,:]*,line=\d+,title=(BadAnnotation|MarkForged|ReachesGroups)::/;
  expect(told.filter((one) => !ours.test(one))).toEqual([]);
  expect(ran.out.split('\n').filter((line) => ACTING.test(line) && !ours.test(line))).toEqual([]);
});

const OWNED = 'owners:\n  llm: [apps, rollouts]\n';
const FOREIGN = 'Rollout vllm: namespace llm belongs to others by owners of tranche.yaml';
test.each([
  // owners after the change → the exit status, and what is said of which file
  ['taken away', '', 0, ''],
  [
    'given to others',
    OWNED.replace('[apps, rollouts]', '[others]'),
    1,
    `rollouts/vllm.yaml,line=5,title=ForeignFolder::${FOREIGN}`,
  ],
  ['broken', 'owners: llm\n', 2, 'tranche.yaml,line=1,title=WrongType::owners is "llm", wanted a map.'],
])('owners %s in mid-delivery', async (_what, owners, code, said) => {
  const site = await startSite({ files: { ...VLLM_FILES, 'tranche.yaml': OWNED } });
  await site.run('reconcile');
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  await site.run('reconcile');
  expect(await site.subject()).toContain('step 1/3');
  const ran = await judged(site, { 'tranche.yaml': owners });
  expect(ran.code).toBe(code);
  expect(commands(ran.out).join('\n')).toContain(said);
  expect(commands(ran.out).length > 0).toBe(code !== 0);
});

test.each([
  // What merging makes of a tranche.yaml that is wrong on main → the exit status, and what is said.
  ['mended', 'cluster: eu\n', 0, ''],
  ['left as it is', undefined, 2, 'tranche.yaml,line=2,title=UnparsableYaml::'],
  ['wrong in another way', 'cluster: eu\nfoo: 1\n', 2, 'tranche.yaml,line=2,title=UnknownField::'],
])('a tranche.yaml that main has wrong is %s', async (_what, text, code, said) => {
  const site = await startSite({ files: { ...VLLM_FILES, 'tranche.yaml': 'cluster: eu\n' } });
  await site.repository.commit('main', { 'tranche.yaml': 'cluster: [eu\n' });
  const ran = await judged(site, text === undefined ? { 'notes.md': 'x\n' } : { 'tranche.yaml': text });
  expect(ran.code).toBe(code);
  expect(commands(ran.out).join('\n')).toContain(said);
  expect(commands(ran.out).some((one) => one.startsWith('::error'))).toBe(code !== 0);
});
