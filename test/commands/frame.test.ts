/** Pictures on terminals of all sizes, and what those draw that know neither cursor nor signs. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asciiText, fitted, isAscii, isRedrawable, redraw, sizeOf } from '../../src/commands/frame.ts';
import type { Io } from '../../src/options.ts';

function io(env: Io['env'], given: Partial<Io> = {}): Io {
  const say = () => undefined;
  return { env, folder: '/', out: say, err: say, isTerminal: true, signal: new AbortController().signal, ...given };
}

test('a picture is drawn over the one before it, and nothing of that one is left', () => {
  expect(redraw(['a', 'b'], 0)).toBe('\r\u001b[?7la\u001b[K\nb\u001b[K\n\u001b[J\u001b[?7h');
  expect(redraw(['a'], 2)).toBe('\u001b[2A\r\u001b[?7la\u001b[K\n\u001b[J\u001b[?7h');
});

test.each([
  ['enough room', 9, 80, ['ab', '', 'cd', '', 'ef'], ['ab', '', 'cd', '', 'ef']],
  ['one row for the cursor: the last blank line goes', 5, 80, ['ab', '', 'cd', '', 'ef'], ['ab', '', 'cd', 'ef']],
  ['all blank lines, then the last lines', 3, 80, ['ab', '', 'cd', '', 'ef'], ['ab', 'cd']],
  ['one row', 1, 80, ['ab', 'cd'], ['ab']],
  ['the last column stays free', 9, 4, ['abc', 'abcd'], ['abc', 'abc']],
  ['what is two columns wide is not cut in half', 9, 4, ['ab✅d', '日本'], ['ab', '日']],
  ['a mark on a letter takes no column', 9, 4, ['ae\u0301bc'], ['ae\u0301b']],
  ['colours come after the cut', 9, 1, ['abc'], ['a']],
])('%s', (_, rows, columns, lines, wanted) => {
  expect(fitted(lines, { rows, columns })).toEqual(wanted);
});

test.each([
  [{}, false],
  [{ LANG: 'C.UTF-8' }, false],
  [{ LANG: 'de_DE.utf8', TERM: 'xterm' }, false],
  [{ LANG: 'C' }, true],
  [{ LANG: 'de_DE.UTF-8', LC_ALL: 'POSIX' }, true],
  [{ LANG: 'C', LC_CTYPE: 'C.UTF-8' }, false],
  [{ LANG: 'C.UTF-8', TERM: 'dumb' }, true],
])('%j: in ASCII %j', (env, wanted) => {
  expect(isAscii(env)).toBe(wanted);
});

test('ASCII keeps what each sign says', () => {
  expect(asciiText('● v1  ○ v0  ~ v1  3 → 2 – ✔ ✘ » … é')).toBe('# v1  o v0  ~ v1  3 -> 2 - ok NO > ... ?');
});

test('lines instead of pictures where there is no terminal, or one without a cursor', () => {
  expect(isRedrawable(io({}))).toBe(true);
  expect(isRedrawable(io({ TERM: 'dumb' }))).toBe(false);
  expect(isRedrawable(io({}, { isTerminal: false }))).toBe(false);
});

test('a terminal that does not say how large it is has 24 lines of 80 columns', () => {
  expect(sizeOf(io({}))).toEqual({ rows: 24, columns: 80 });
  expect(sizeOf(io({}, { size: () => ({ rows: 0, columns: undefined }) }))).toEqual({ rows: 24, columns: 80 });
  expect(sizeOf(io({}, { size: () => ({ rows: 50, columns: 132 }) }))).toEqual({ rows: 50, columns: 132 });
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s to the wrapper of the demo leaves no orphan',
  async (signal) => {
    const forward = join(import.meta.dirname, '../../scripts/forward.mjs');
    const inner = 'console.log(process.pid); setInterval(() => undefined, 1000)';
    const outer = `import(${JSON.stringify(forward)}).then((it) => it.runForwarding(['-e', ${JSON.stringify(inner)}]))`;
    const wrapper = spawn(process.execPath, ['-e', outer], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [first] = (await once(wrapper.stdout, 'data')) as [Buffer];
    const pid = Number(first.toString());
    wrapper.kill(signal);
    await once(wrapper, 'exit');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  },
);
