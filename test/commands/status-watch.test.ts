/** `status --watch`: a picture in place, lines without a terminal, JSON a line a change. The clock is a port, and moves when asked. */

import { expect, test } from 'vitest';
import { type Look, watchStatus } from '../../src/commands/status-watch.ts';
import type { Io } from '../../src/options.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { NOTHING_SINCE } from '../../src/reconcile/read-picture.ts';
import { plan } from '../../src/rollout/plan.ts';
import { checkedOutput } from '../support/output-schemas.ts';
import { MAIN, NOW, type World, world } from '../support/snapshot.ts';

const BEGUN: World = { text: 'B', marks: 'B.2 1/3 floor=3', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B-', record: {} };

function lookAt(of: World | undefined, unknown = ''): Look {
  const due = { writtenBy: undefined, overdueSince: undefined };
  const asOf = { kind: 'recorded', at: NOW - 60, main: MAIN, unseen: [], more: false, ...due } as const;
  const shown = of === undefined ? [] : [{ record: plan(world(of)).record, since: NOTHING_SINCE, next: undefined }];
  return { picture: { asOf, shown, fresh: [], brakes: [] }, failed: [], unknown };
}

const [waiting, done] = [lookAt(BEGUN), lookAt({ ...BEGUN, groups: '0:A+ 1:A+ 2:A+ 3:B+' })];
const broken = new PortError('the server did not answer', {
  port: 'git',
  operation: 'fetch',
  retryable: true,
  hint: '',
});

type Watched = { readonly code: number; readonly out: string; readonly err: string; readonly looked: number };

/** Watches until all of these were looked at; each look is 5 s after the one before. */
async function watched(
  looks: readonly (Look | PortError)[],
  of: { readonly output?: 'text' | 'json'; readonly name?: string; readonly terminal?: Partial<Io> } = {},
): Promise<Watched> {
  let [out, err, looked, now] = ['', '', 0, NOW];
  const stop = new AbortController();
  const look = async (): Promise<Look> => {
    const found = looks[looked];
    looked += 1;
    if (found === undefined || found instanceof PortError) throw found ?? new Error('looked too often');
    return found;
  };
  const sleep = async (seconds: number): Promise<void> => {
    now += seconds;
    if (looked === looks.length) stop.abort();
  };
  const io: Io = {
    env: { NO_COLOR: '1' },
    folder: '/',
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: false,
    signal: stop.signal,
    ...of.terminal,
  };
  const { output = 'text', name = 'vllm' } = of;
  const code = await watchStatus({ output, name }, { look, clock: { now: () => now, sleep }, io });
  return { code, out, err, looked };
}

test('without a terminal a line a change, and none while nothing changes', async () => {
  const { code, out, looked } = await watched([waiting, waiting, done, lookAt(undefined)]);
  expect([code, looked]).toEqual([0, 4]);
  expect(out).toBe(
    [
      '15:06:40  llm/vllm  step 1/3, StepUpgrade  vllm-openai:v0.10.0 → vllm-openai:v0.10.1  [-----' +
        '---------------] 0 of 4 groups ready on the release  waits for GroupsNotReady',
      '15:06:50  llm/vllm  step 1/3, StepPaused  vllm-openai:v0.10.0 → vllm-openai:v0.10.1  [#####---' +
        '------------] 1 of 4 groups ready on the release  waits for PauseDuration',
      '15:06:55  default/llm/vllm is gone',
      '',
    ].join('\n'),
  );
});

test('as JSON a line a change, each as the schema says', async () => {
  const { out } = await watched([waiting, waiting, done], { output: 'json' });
  const found = out.trimEnd().split('\n');
  expect(found).toHaveLength(2);
  for (const line of found) expect(checkedOutput('status', line)).toMatchObject({ version: 1 });
});

test('a picture that only got older is no change for JSON, and one for the eye', async () => {
  const { asOf } = waiting.picture;
  const older: Look = { ...waiting, picture: { ...waiting.picture, asOf: asOf && { ...asOf, at: NOW } } };
  expect((await watched([waiting, older], { output: 'json' })).out.trimEnd().split('\n')).toHaveLength(1);
});

const ESC = '\u001b[';
/** What is on the screen in the end: a terminal that knows what `redraw` says. */
function screenOf(out: string): readonly string[] {
  const lines: string[] = [];
  let at = 0;
  for (const part of out.replaceAll(ESC, '␛').split(/(␛[0-9?]*[A-Za-z]|\n)/)) {
    const up = /^␛([0-9]+)A$/.exec(part)?.[1];
    if (up !== undefined) at -= Number(up);
    else if (part === '\n') at += 1;
    else if (part === '␛J') lines.length = at;
    else if (!part.startsWith('␛') && part !== '' && part !== '\r') lines[at] = part.replace('\r', '');
    else if (part === '\r') lines[at] ??= '';
  }
  return Array.from(lines, (line) => line ?? '');
}

test.each([
  [24, 80],
  [10, 40],
  [4, 20],
  [2, 8],
])('in place, within %i rows and %i columns', async (rows, columns) => {
  const terminal = { isTerminal: true, size: () => ({ rows, columns }) };
  const { out } = await watched([waiting, done, done], { terminal });
  expect(out.startsWith(`${ESC}?25l`)).toBe(true);
  expect(out.endsWith(`${ESC}?25h`)).toBe(true);
  const screen = screenOf(out);
  expect(screen.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
  for (const line of screen) expect(line.length).toBeLessThan(Math.max(2, columns));
  if (rows === 24) expect(screen.join('\n')).toContain('  progress   [#####---------------] 1 of 4 groups ready');
  if (rows === 24) expect(screen.filter((line) => line.startsWith('  state'))).toHaveLength(1);
});

test('of all Rollouts the table, in place', async () => {
  const terminal = { isTerminal: true, size: () => ({ rows: 24, columns: 200 }) };
  const { out } = await watched([waiting], { name: '', terminal });
  expect(screenOf(out)[0]).toMatch(/^ROLLOUT +STATE/);
});

test.each([
  ['TERM=dumb', { TERM: 'dumb' }],
  ['a locale without such signs', { LC_ALL: 'C' }],
])('%s gets letters that it draws', async (_, env) => {
  const { out } = await watched([done], { terminal: { env, isTerminal: false } });
  expect(out).toMatch(/^[\n -~]*$/);
  expect(out).toContain('v0.10.0 -> vllm-openai:v0.10.1');
});

test('a look that fails is said, and the next one is taken', async () => {
  const { code, err, out } = await watched([waiting, broken, done]);
  expect(code).toBe(0);
  expect(err).toMatch(/the server did not answer.*; looking again in 5 s\n$/);
  expect(out.trimEnd().split('\n')).toHaveLength(2);
});

test('a name that is not there ends it with 1', async () => {
  expect(await watched([lookAt(undefined, 'no record of x\n')])).toEqual({
    code: 1,
    out: '',
    err: 'no record of x\n',
    looked: 1,
  });
});
