/** How the command line answers to those who do not know it: help, version, wrong usage. */

import { afterEach, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { VERSION } from '../../src/options.ts';
import { startSite, stopSites } from '../support/site.ts';

afterEach(stopSites);

const VERBS = [
  'reconcile',
  'plan',
  'lint',
  'init',
  'status',
  'page',
  'approve',
  'jump',
  'abort',
  'undo',
  'retry',
  'pause',
  'resume',
  'acknowledge',
  'eject',
  'replay',
];

test('the version is that of the package', async () => {
  const site = await startSite();
  expect(VERSION).toBe(packageJson.version);
  expect(await site.run('--version')).toEqual({ code: 0, out: `${VERSION}\n`, err: '' });
});

describe('help', () => {
  test('names every verb, the environment and the exit codes', async () => {
    const site = await startSite();
    const help = await site.run('--help');
    expect(help).toMatchObject({ code: 0, err: '' });
    for (const verb of VERBS) expect(help.out).toMatch(new RegExp(`^ {2}${verb} .*[a-z]`, 'm'));
    for (const word of ['TRANCHE_GIT_TOKEN', 'TRANCHE_REPO', 'KUBECONFIG']) expect(help.out).toContain(word);
    expect(help.out).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 /);
  });

  // The process counts as failed until there is an answer, and commander takes that code for the one of its help.
  test.each(['help', 'help plan'])('%s is asked for, and no error', async (line) => {
    const site = await startSite();
    process.exitCode = 1;
    try {
      expect(await site.run(line)).toMatchObject({ code: 0, out: expect.stringContaining('Usage: '), err: '' });
    } finally {
      process.exitCode = undefined;
    }
  });

  test.each(VERBS)('%s --help describes each of its options and arguments', async (verb) => {
    const site = await startSite();
    const help = await site.run(`${verb} --help`);
    expect(help).toMatchObject({ code: 0, err: '' });
    const entries = help.out.split('\n').filter((line) => /^ {2}(-|[a-z])/.test(line));
    expect(entries.length).toBeGreaterThan(1);
    for (const line of entries) expect(line, 'has words next to it').toMatch(/^ {2}\S.*? {2,}\S/);
    expect(help.out).not.toContain('--token');
  });
});

/** The line below an error that nothing of another tool explains. */
const usedAs = (usage: string): string => {
  const verb = usage.replace(/ [[<].*/, '');
  return `hint: it is called as: tranche ${usage}; its options are listed by: tranche ${verb} --help\n`;
};

const wrong: readonly (readonly [line: string, said: string])[] = [
  ...['3/3', '1', '-1/3', '0/0', '00/3', '0/1001'].map((shard): readonly [string, string] => [
    `reconcile --shard=${shard}`,
    `error: --shard is ${shard}, wanted i/n, as 0/3: n from 1 to 1000, i from 0 to n - 1\n`,
  ]),
  ['nope', "error: unknown command 'nope'\nhint: the verbs are listed by: tranche --help\n"],
  ['reconcil', "error: unknown command 'reconcil'\n(Did you mean reconcile?)\n"],
  [
    'reconcile extra',
    "error: too many arguments for 'reconcile'. Expected 0 arguments but got 1.\nhint: one Rollout alone is: --only NAME\n",
  ],
  ['reconcile --nope', `error: unknown option '--nope'\n${usedAs('reconcile [options]')}`],
  ['reconcile --token x', `error: unknown option '--token'\n${usedAs('reconcile [options]')}`],
  ['approve', `error: missing required argument 'name'\n${usedAs('approve [options] <name>')}`],
  ['jump vllm', `error: missing required argument 'step'\n${usedAs('jump [options] <name> <step>')}`],
  [
    'status vllm llama',
    `error: too many arguments for 'status'. Expected 1 argument but got 2.\n${usedAs('status [options] [name]')}`,
  ],
  ['status --repo', `error: option '--repo <where>' argument missing\n${usedAs('status [options] [name]')}`],
  ['policy test', `error: missing required argument 'place'\n${usedAs('policy test [options] <place...>')}`],
  ['completion', `error: missing required argument 'shell'\n${usedAs('completion [options] <shell>')}`],
  ['jump vllm x', 'error: <step> is "x", wanted a whole number from 0 to 9999999\n'],
  ['jump vllm 1.5', 'error: <step> is "1.5", wanted a whole number from 0 to 9999999\n'],
  ['jump vllm 0x2', 'error: <step> is "0x2", wanted a whole number from 0 to 9999999\n'],
  ['approve vllm --step two', 'error: --step is "two", wanted a whole number from 0 to 9999999\n'],
  ['eject vllm --partition 5e3', 'error: --partition is "5e3", wanted a whole number from 0 to 9999999\n'],
  ['plan --output yaml', 'error: --output is yaml, wanted text or json\n'],
  ['replay', `error: missing required argument 'dir'\n${usedAs('replay [options] <dir>')}`],
];
test.each(wrong)('tranche %s', async (line, said) => {
  const site = await startSite();
  expect(await site.run(line)).toEqual({ code: 2, out: '', err: said });
  expect(await site.subject()).toBe('first files');
});

test.each([
  ['help me', 'me', 'Usage: tranche [options]'],
  ['policy help me', 'me', 'Usage: tranche policy'],
])('%s: the help, and below it the word that is no verb', async (line, word, usage) => {
  const site = await startSite();
  const called = await site.run(line);
  expect(called).toMatchObject({ code: 2, out: '', err: expect.stringContaining(usage) });
  expect(called.err.split('\n').slice(-3)).toEqual([
    `error: unknown command '${word}'`,
    'hint: the verbs are listed above',
    '',
  ]);
});

test('no verb at all: the help, as an error', async () => {
  const site = await startSite();
  const called = await site.run([]);
  expect(called).toMatchObject({ code: 2, out: '' });
  expect(called.err).toContain('Usage: tranche');
});

describe('what people type who know other tools', () => {
  test.each([
    ['plan vllm', 'one Rollout alone is: --only NAME'],
    ['plan -o json', 'the format is: --output json'],
    ['status -o json', 'the format is: --output json'],
    ['plan -n llm', 'one Rollout of a namespace is: --only NAMESPACE/NAME'],
    ['lint apps', 'the files and folders to read are: tranche lint --path PATH'],
    ['reconcile --dry-run', 'tranche plan writes nothing: it is the same pass without its commits'],
    ['abort vllm --dry-run', 'tranche plan writes nothing: it is the same pass without its commits'],
    ['list', 'where the Rollouts stand is: tranche status [NAME]'],
    ['get rollouts', 'where the Rollouts stand is: tranche status [NAME]'],
    ['promote vllm', 'the pause of a step is ended by: tranche approve NAME'],
    [
      'rollback vllm',
      'of a delivery in progress that is: tranche abort NAME; of a release that has settled: tranche undo NAME',
    ],
    ['apply', 'one pass over all Rollouts is: tranche reconcile'],
    ['set image vllm', 'change the manifest in Git: the next pass delivers it in steps'],
    ['version', 'the version is: tranche --version'],
    ['-v', 'the version is: tranche --version'],
    ['delete vllm', 'tranche leaves a workload, which stays, by: tranche eject NAME'],
    ['login', 'what a repository needs is named by: tranche init'],
    ['--repo . status', 'options stand behind the verb, as in: tranche status --repo URL'],
    ['-n llm status', 'options stand behind the verb, as in: tranche status --repo URL'],
    ['status -A', 'without a name and -n all Rollouts are meant, where the verb takes several: tranche status'],
    ['approve vllm -y', 'nothing is asked before an order, and nothing is forced: leave it out'],
    ['reconcile --interval 30', 'how often a process looks is intervalSeconds in tranche.yaml'],
    ['stop vllm', 'stop is for all Rollouts; one is held by: tranche pause NAME'],
    ['go vllm', 'go is for all Rollouts; one goes on by: tranche resume NAME'],
    ['approve vllm 2', 'a later step is reached by: tranche jump NAME STEP'],
    ['jump vllm --step 3', 'the step comes after the name: tranche jump NAME STEP'],
    [
      'show-stable vllm --commit x',
      'it is called as: tranche show-stable [options] <name>; its options are listed by: tranche show-stable --help',
    ],
    ['stop 2h', 'how long is said by --until, as in: tranche stop --until 2h'],
    ['pause vllm 2h', 'a pause lasts until: tranche resume NAME; of all Rollouts for a time: tranche stop --until 2h'],
    ['init apps', 'the files and folders to look at are: tranche init --path PATH'],
    ['policy vllm', 'what policies say of a Rollout is: tranche policy explain NAME'],
  ])('%s', async (typed, hint) => {
    const site = await startSite();
    const { code, err } = await site.run(typed);
    expect(code).toBe(2);
    expect(err).toMatch(/^error: /);
    expect(err).not.toContain('Did you mean');
    expect(err.split('\n').at(-2)).toBe(`hint: ${hint}`);
  });
  test.each([
    ['simulate .', /^error: \. is a folder: name its files, one by one\n$/],
    [
      'policy test .',
      /^error: no RolloutPolicyTest in \.: name the folder that has one, or write one, as docs\/policies\.md shows\n$/,
    ],
  ])('%s', async (typed, said) => {
    const site = await startSite();
    expect(await site.run(typed)).toEqual({ code: 2, out: '', err: expect.stringMatching(said) });
  });
  test('a slip that is none of these gets no hint', async () => {
    const site = await startSite();
    expect((await site.run('plan --onyl vllm')).err).toBe("error: unknown option '--onyl'\n(Did you mean --only?)\n");
  });
});
