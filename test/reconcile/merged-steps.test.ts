/** Steps that people merged, squashed, rebased or picked with the real git are found by what main holds. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openGit } from '../../src/adapters/git/open.ts';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { notAsked } from '../../src/api/known.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { unreadLive } from '../../src/reconcile/cluster/observe-cluster.ts';
import { readWorkload } from '../../src/reconcile/documents/read-workload.ts';
import type { Observation } from '../../src/reconcile/history/observation.ts';
import { gitReader } from '../../src/reconcile/history/observe-git.ts';
import { observe } from '../../src/reconcile/observe/observe.ts';
import { readDesired } from '../../src/reconcile/observe/read-main.ts';
import { newMemory } from '../../src/reconcile/pass.ts';
import { printTrailers } from '../../src/rollout/commits/trailers.ts';
import type { Snapshot } from '../../src/rollout/snapshot.ts';
import { gitEnvironment } from '../support/git-server.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT } from '../support/vllm.ts';

const START = 1_700_000_000;
const roots: string[] = [];
let path = '';
let now = START;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'merged-'));
  roots.push(path);
  now = START;
  git('init', '-q', '-b', 'main');
});
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true });
});

/** A minute later. */
function git(...args: readonly string[]): string {
  now += 60;
  const date = `${now} +0000`;
  const env = { ...gitEnvironment, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  return execFileSync('git', ['-C', path, ...args], { env, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function commit(message: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  git('add', '-A');
  git('commit', '-q', '-m', message);
  return git('rev-parse', 'HEAD');
}

const digestOf = (text: string): string =>
  readWorkload(parseManifestFile('a.yaml', text, ['LeaderWorkerSet']).documents[0]!).workload?.digest ?? '';
const A = digestOf(LWS_TEXT);
const TEXT_B = LWS_TEXT.replaceAll(OLD, NEW);
const B = digestOf(TEXT_B);
const STABLE = `${'a'.repeat(40)}@${'b'.repeat(32)}`;

type Marked = { readonly text?: string; readonly release: string; readonly step?: string; readonly aborted?: string };

/** The workload with these marks. */
function marked({ text = TEXT_B, release, step, aborted }: Marked): string {
  const marks = [
    ['release', release],
    ['stable', STABLE],
    ...(step === undefined
      ? []
      : [
          ['step', step],
          ['restore', '{"floor":2}'],
        ]),
    ...(aborted === undefined ? [] : [['aborted', aborted]]),
  ];
  const lines = marks.map(([key, value]) => `    tranche.dev/${key}: '${value}'\n`).join('');
  return text.replace('  namespace: llm\n', `  namespace: llm\n  annotations:\n${lines}`);
}

const SUBJECT = 'rollout(llm/vllm): step 2/3, partition 3 → 2';

function body(step: string): string {
  const trailers = { rollout: 'default/llm/vllm', release: `${B}.2`, step, reason: 'StepReady', plannedFrom: STABLE };
  return `Group 3 is on it and ready. Group 2 is next.\n\n${printTrailers(trailers)}`;
}

const FIRST = { [LWS_FILE]: marked({ release: `${B}.2`, step: '1/3' }) };
const SECOND = { [LWS_FILE]: marked({ release: `${B}.2`, step: '2/3' }) };

/** Main holds step 1, and a branch has step 2; others go on with main. */
function propose(): void {
  commit('start', { [LWS_FILE]: LWS_TEXT, [ROLLOUT_FILE]: ROLLOUT_TEXT });
  commit(`step 1\n\n${body('1/3')}`, FIRST);
  git('checkout', '-q', '-b', 'proposal');
  commit(`${SUBJECT}\n\n${body('2/3')}`, SECOND);
  git('checkout', '-q', 'main');
  others(2);
}

function others(count: number): void {
  for (let i = 0; i < count; i += 1) commit(`notes ${now}`, { 'notes.md': `${now}\n` });
}

/** What a pass reads whose record was lost. */
async function observed(): Promise<Snapshot> {
  return observe(await observation());
}

async function observation(): Promise<Observation> {
  const port = openGit({ location: path });
  const main = git('rev-parse', 'main');
  const desired = await readDesired(port, main, { config: DEFAULT_CONFIG, memory: newMemory() });
  const entry = desired.rollouts[0]!;
  const reader = gitReader(port, main, { config: DEFAULT_CONFIG, texts: desired.trials.known });
  return {
    desired,
    entry,
    stored: undefined,
    deliveries: [],
    windowsOf: () => undefined,
    now,
    git: reader,
    live: async () => unreadLive(notAsked('no cluster')),
  };
}

const squashed = (message: string): void => {
  git('merge', '-q', '--squash', 'proposal');
  git('commit', '-q', '-m', message);
};
const CO_AUTHOR = 'Co-authored-by: Ada Lovelace <ada@example.com>';

test.each<readonly [how: string, merge: () => void, found: 'main' | 'proposal']>([
  ['fast-forward', () => git('merge', '-q', 'proposal'), 'proposal'],
  [
    'merge commit',
    () => git('merge', '-q', '--no-ff', '-m', 'Merge pull request #12 from tranche/x', 'proposal'),
    'proposal',
  ],
  ['squash', () => squashed(`${SUBJECT} (#12)\n\n${body('2/3')}`), 'main'],
  ['squash with an author next to it', () => squashed(`${SUBJECT} (#12)\n\n${body('2/3')}\n\n${CO_AUTHOR}`), 'main'],
  [
    'squash of several commits',
    () =>
      squashed(
        `${SUBJECT} (#12)\n\n* ${SUBJECT}\n\n${body('2/3')}\n\n* Merge branch main\n\n---------\n\n${CO_AUTHOR}`,
      ),
    'main',
  ],
  ['squash with its title alone', () => squashed(`${SUBJECT} (#12)`), 'main'],
  ['squash in somebody’s own words', () => squashed('Go on'), 'main'],
  ['rebase', () => git('cherry-pick', 'proposal'), 'main'],
  ['cherry-pick that says so', () => git('cherry-pick', '-x', 'proposal'), 'main'],
])('%s', async (_, merge, found) => {
  propose();
  merge();
  const brought = Number(git('log', '-1', '--format=%ct', found));
  others(5);
  const { record, recordFault } = await observed();
  expect(record?.step).toMatchObject({ index: 2, planned: [1, 2, 4], replicas: 4, writtenAt: brought });
  expect([recordFault, record?.step?.doneSince]).toEqual(['there was none', undefined]);
});

test('a commit that only says that it brought the step has not', async () => {
  propose();
  commit(`Words\n\n${body('2/3')}`, { 'notes.md': 'words\n' });
  squashed('Go on');
  const brought = Number(git('log', '-1', '--format=%at'));
  others(1);
  commit(`More words\n\n${body('2/3')}`, { 'notes.md': 'more words\n' });
  expect((await observed()).record?.step?.writtenAt).toBe(brought);
});

test('the plan of a step is not that of a Rollout of the same name in another namespace, in the same files', async () => {
  const withProd = (text: string, there: readonly [string, string]): string =>
    `${text.replace('namespace: llm', 'namespace: prod').replace(there[0], there[1])}---\n${text}`;
  const rollouts = withProd(ROLLOUT_TEXT, ['50%', '75%']);
  commit('start', { [LWS_FILE]: withProd(LWS_TEXT, ['replicas: 4', 'replicas: 8']), [ROLLOUT_FILE]: rollouts });
  const first = marked({ release: `${B}.2`, step: '1/3' });
  commit('Begin', { [LWS_FILE]: withProd(first, ['replicas: 4', 'replicas: 8']) });
  expect((await observed()).record?.step).toMatchObject({ planned: [1, 2, 4], replicas: 4 });
});

test('the text of a release that waits behind a newer edit, and of one that was aborted', async () => {
  commit('start', { [LWS_FILE]: LWS_TEXT, [ROLLOUT_FILE]: ROLLOUT_TEXT });
  others(2);
  const brought = commit('Begin', FIRST);
  others(2);
  commit('another image', {
    [LWS_FILE]: marked({ text: LWS_TEXT.replaceAll(OLD, 'vllm:3'), release: `${B}.2`, step: '2/3' }),
  });
  others(1);
  expect((await observed()).delivered).toEqual({ kind: 'known', value: brought });
  commit('go back', {
    [LWS_FILE]: marked({ text: LWS_TEXT, release: `${A}.1`, aborted: `${B}.2` }),
    [ROLLOUT_FILE]: ROLLOUT_TEXT.replace(
      '  namespace: llm\n',
      `  namespace: llm\n  annotations: {tranche.dev/retry: ${B}.2}\n`,
    ),
  });
  others(3);
  const { retryText } = await observed();
  expect(retryText.kind === 'known' ? retryText.value.release : retryText).toEqual({ digest: B, serial: 2 });
});
