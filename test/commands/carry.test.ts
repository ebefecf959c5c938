/** `tranche carry` on real files: what is printed, what is written, and that a refusal writes nothing. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { LWS_TEXT } from '../support/vllm.ts';
import { yamlValues } from '../support/yaml-values.ts';

const RELEASE = `${'a'.repeat(32)}.2`;
const OLD = LWS_TEXT.replace(
  'namespace: llm\n',
  `namespace: llm\n  annotations:\n    tranche.dev/release: ${RELEASE}\n    tranche.dev/step: 1/3@${RELEASE}\n    tranche.dev/stable: ${'b'.repeat(40)}@${'b'.repeat(32)}\n    tranche.dev/restore: '{"floor":3}'\n`,
).replace('partition: 0', 'partition: 3');
const FRESH = LWS_TEXT.replace('partition: 0', 'partition: 1000000');

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-carry-'));
  for (const [path, text] of Object.entries({
    'env/lws.yaml': OLD,
    'out/all.yaml': FRESH,
    'out/README.md': '# no\n',
  })) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(
  line: string,
  piped?: string | Uint8Array,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const said = { out: '', err: '' };
  const code = await runProgram(line.split(' '), {
    env: {},
    folder,
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    ...(piped === undefined ? {} : { input: () => Readable.from([Buffer.from(piped)]) }),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, ...said };
}

test('shows the changes; --write makes them, and a second time there are none', async () => {
  const shown = await run('carry env out');
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(shown.out).toContain('--- a/out/all.yaml\n');
  expect(shown.out).toContain('-      partition: 1000000\n+      partition: 3\n');
  expect(readFileSync(join(folder, 'out/all.yaml'), 'utf8')).toBe(FRESH);
  expect(await run('carry env out --write')).toEqual({ code: 0, out: 'out/all.yaml\n', err: '' });
  expect(yamlValues(readFileSync(join(folder, 'out/all.yaml'), 'utf8'))).toEqual(yamlValues(OLD));
  expect(await run('carry env out --write')).toEqual({ code: 0, out: 'nothing to carry\n', err: '' });
  expect(readdirSync(join(folder, 'out')).sort()).toEqual(['README.md', 'all.yaml']);
});

test('a workload that the render has lost: nothing is written', async () => {
  writeFileSync(join(folder, 'out/other.yaml'), FRESH.replaceAll('vllm', 'other'));
  writeFileSync(join(folder, 'out/all.yaml'), 'kind: Service\n');
  const refused = await run('carry env/lws.yaml out --write');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatchInlineSnapshot(`
    "env/lws.yaml:5: LeaderWorkerSet vllm: tranche has written in it, and the rendered files do not have it (WorkloadMissing). Render it under the same name and namespace. To remove it on purpose, run tranche eject first.
    Nothing was written. Do not commit the new files as they are: a partition that is lost releases every group.
    "
  `);
  expect(readFileSync(join(folder, 'out/other.yaml'), 'utf8')).not.toContain('tranche.dev');
});

test('a link that somebody has committed, where the new text is written first: nothing is written through it', async () => {
  const elsewhere = join(folder, 'elsewhere');
  symlinkSync(elsewhere, join(folder, `out/all.yaml.tranche-${process.pid}`));
  expect(await run('carry env out --write')).toMatchObject({ code: 0, err: '' });
  expect(existsSync(elsewhere)).toBe(false);
  expect(readFileSync(join(folder, 'out/all.yaml'), 'utf8')).toContain('partition: 3');
  expect(await run('carry env out --write')).toEqual({ code: 0, out: 'nothing to carry\n', err: '' });
});

test.each([
  ['a folder that is not there', 'carry env gone', 'gone is not there'],
  ['bytes that are no text', 'carry env out', 'out/all.yaml cannot be read'],
])('%s', async (_, line, why) => {
  if (!line.endsWith('gone')) writeFileSync(join(folder, 'out/all.yaml'), Buffer.from([0x61, 0xff, 0xfe]));
  const wrong = await run(line);
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.err).toContain(why);
});

test('a render that is piped in comes out whole, carried; piped in again it stays as it is', async () => {
  const first = await run('carry env -', `${FRESH}---\nkind: ConfigMap\nmetadata: {name: other} # as it is\n`);
  expect(first).toMatchObject({ code: 0, err: '' });
  expect(first.out).toContain('metadata: {name: other} # as it is\n');
  expect(first.out).toContain('partition: 3');
  expect(await run('carry env -', first.out)).toEqual({ code: 0, out: first.out, err: '' });
  expect(await run('carry - out --write', OLD)).toEqual({ code: 0, out: 'out/all.yaml\n', err: '' });
});

test('a render that is piped in and cannot be carried prints nothing', async () => {
  const refused = await run('carry env -', 'kind: Service\n');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('WorkloadMissing');
});

test.each([
  ['carry - out', '', 'nothing is piped in'],
  ['carry - -', OLD, 'only one of the two'],
  ['carry env - --write', FRESH, 'it is printed'],
  ['carry - out', Buffer.from([0xff]), 'is not UTF-8'],
  ['carry - out', undefined, 'nothing is piped in'],
])('%s refuses what nobody could have meant', async (line, piped, why) => {
  const wrong = await run(line, piped);
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.err).toContain(why);
});
