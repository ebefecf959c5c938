/** Every command that a story prints exists: the program knows its verb and its options. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';

const scenarios = resolve(import.meta.dirname, '../../fixtures/scenarios');

/** `tranche VERB NAME --option value`, as holds and messages print it; prose has no option after the name. */
const PRINTED = /\btranche ([a-z]+) (vllm|chat)((?: --[a-z-]+(?: [A-Z0-9][A-Za-z0-9]*)?)*)(?=[\s.,;:)`"]|$)/g;
const PROSE = new Set(['from']);

function printed(): readonly string[] {
  const files = readdirSync(scenarios).map((name) => join(scenarios, name, 'transcript.txt'));
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
  const all = texts.flatMap((text) => [...text.matchAll(PRINTED)]);
  return [...new Set(all.filter(([, verb = '']) => !PROSE.has(verb)).map(([told]) => told))];
}

async function answerTo(told: string): Promise<string> {
  let err = '';
  const [, ...words] = told.split(' ');
  await runProgram([...words, '--repo', '/nowhere'], {
    env: {},
    folder: '/',
    out: () => undefined,
    err: (text) => void (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return err;
}

const USAGE = /unknown (?:command|option)|missing required|too many arguments|argument missing/;

test('a command that does not exist is one that the program refuses', async () => {
  expect(await answerTo('tranche mend vllm')).toMatch(USAGE);
  expect(await answerTo('tranche abort vllm --gently')).toMatch(USAGE);
});

test.each(printed())('%s', async (told) => {
  expect(await answerTo(told)).not.toMatch(USAGE);
});
