/** The policies that are shipped: each with tests that pass and tests that hold, its line, and no fault. */

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runProgram } from '../../src/commands/program.ts';

const root = new URL('../../', import.meta.url).pathname;
const bundles = readdirSync(`${root}policies`, { withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && !['admission', 'agents', 'github', 'install', 'prometheus'].includes(entry.name),
  )
  .map(({ name }) => name);

async function called(
  ...argv: string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ['', ''];
  const code = await runProgram(argv, {
    env: {},
    folder: root,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, out, err };
}

test('are there', () => {
  expect(bundles).toEqual(['default', 'freeze', 'gpu-budget', 'production']);
});

test.each(bundles)('%s passes its tests, of which some hold and some do not', async (name) => {
  const tests = parseAllDocuments(readFileSync(`${root}policies/${name}/tests.yaml`, 'utf8')).map((one) => one.toJS());
  const expected = tests.map(({ spec }) => spec.expect.length > 0);
  expect(new Set(expected)).toEqual(new Set([true, false]));
  expect(await called('policy', 'test', `policies/${name}`)).toEqual({
    code: 0,
    out: `${tests.length} passed, 0 failed\n`,
    err: '',
  });
});

test.each(bundles)('%s has a line, and its schema', (name) => {
  expect(readFileSync(`${root}policies/README.md`, 'utf8')).toContain(`| [${name}](${name}/policy.yaml) |`);
  const [first] = readFileSync(`${root}policies/${name}/policy.yaml`, 'utf8').split('\n');
  expect(first).toBe('# yaml-language-server: $schema=../rollout-policy.schema.json');
});
