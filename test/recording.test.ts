/** The recorded terminal of the documents is what the command line prints today, to the byte. */

import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { AT, record } from '../scripts/record-terminal.mjs';
import { runProgram } from '../src/commands/program.ts';

afterEach(() => void vi.useRealTimers());

async function run(line: string): Promise<string> {
  let [out, err] = ['', ''];
  const code = await runProgram(line.split(' ').slice(1), {
    env: {},
    folder: process.cwd(),
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  expect([line, code], err).toEqual([line, 0]);
  return out;
}

test('recorded again it has the same bytes: else run node scripts/record-terminal.mjs, and look at the difference', async () => {
  // The clock stands still; timers stay real.
  vi.useFakeTimers({ toFake: ['Date'], now: AT });
  const { cast, svg } = await record(run);
  expect(cast).toBe(readFileSync('docs/terminal.cast', 'utf8'));
  expect(svg).toBe(readFileSync('docs/terminal.svg', 'utf8'));
  expect(cast.length + svg.length).toBeLessThan(60_000);
});

test('the recording is one of asciinema, version 2: a header, then output whose time does not go back', () => {
  const [header = '', ...events] = readFileSync('docs/terminal.cast', 'utf8').trimEnd().split('\n');
  expect(JSON.parse(header)).toEqual({
    version: 2,
    width: expect.any(Number),
    height: expect.any(Number),
    timestamp: AT / 1000,
    title: expect.any(String),
  });
  const read = events.map((line) => JSON.parse(line) as readonly [number, string, string]);
  expect(read.length).toBeGreaterThan(100);
  expect(read.filter(([time, kind, text]) => !(time > 0) || kind !== 'o' || typeof text !== 'string')).toEqual([]);
  expect(read.map(([time]) => time)).toEqual(read.map(([time]) => time).sort((one, other) => one - other));
});
