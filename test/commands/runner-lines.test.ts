/** What we print for a runner, read by a parser that does as the runner does: text of others gives it no command. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, asyncProperty, constantFrom, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import { printable, printableLine } from '../../src/api/printable.ts';
import {
  annotation,
  errorLine,
  folded,
  maskLines,
  warningLine,
  writeOutputs,
} from '../../src/commands/runner-lines.ts';
import { runnerCommands, runnerOutputs } from '../support/runner-commands.ts';

/** Texts that are made to be obeyed. */
const hostile = array(
  constantFrom(
    '::error::owned',
    '::set-output name=changed::true',
    '::add-mask::a',
    '::stop-commands::x',
    '::endgroup::',
    '##[error]owned',
    '##[group]x',
    '::',
    ':',
    '##',
    '[',
    ']',
    ';',
    ',',
    '=',
    '%0A',
    '%250A',
    '%25',
    '%3A',
    '\n',
    '\r',
    '\r\n',
    ' ',
    '\t',
    '\u00a0',
    '\u200b',
    '\u2028',
    '\u0085',
    '\ufeff',
    'EOF',
    '<<',
    'a',
    '🧨',
  ),
  { maxLength: 12 },
).map((parts) => parts.join(''));

test('the parser knows a command where there is one', () => {
  expect(
    runnerCommands(' ::error file=a%2Cb,line=3::x%0Ay%25\n##[warning a=1;b=2]z\nplain ::error::no\n::nope::x'),
  ).toEqual([
    { name: 'error', properties: { file: 'a,b', line: '3' }, data: 'x\ny%' },
    { name: 'warning', properties: { a: '1', b: '2' }, data: 'z' },
  ]);
  expect(runnerOutputs('a=1\nb<<E\nx\ny\nE\n')).toEqual({ a: '1', b: 'x\ny' });
  expect(() => runnerOutputs('b<<E\nx\n')).toThrow('does not take');
});

test('an annotation is one command, with the file, the line and the words that were given', () => {
  assert(
    property(hostile, hostile, nat(9), (file, message, line) => {
      const shown = annotation('warning', { reason: 'Why', message, hint: '', file, line } as never);
      const place = printableLine(file);
      expect(runnerCommands(shown)).toEqual([
        {
          name: 'warning',
          properties: {
            ...(file === '' || place === '' ? {} : { file: place }),
            ...(line > 0 ? { line: String(line) } : {}),
            title: 'Why',
          },
          data: printableLine(message),
        },
      ]);
    }),
  );
});

test('a line without a place is one command', () => {
  assert(
    property(hostile, hostile, (title, message) => {
      for (const [name, line] of [
        ['error', errorLine(`a${title}`, message)],
        ['warning', warningLine(`a${title}`, message)],
      ] as const)
        expect(runnerCommands(line)).toEqual([
          { name, properties: { title: printableLine(`a${title}`) }, data: printableLine(message) },
        ]);
    }),
  );
});

test('what is folded opens and closes, and nothing else', () => {
  assert(
    property(hostile, hostile, (title, text) => {
      expect(runnerCommands(folded(title, text))).toEqual([
        { name: 'group', properties: {}, data: printableLine(title) },
        { name: 'endgroup', properties: {}, data: '' },
      ]);
      expect(runnerCommands(printable(text))).toEqual([]);
    }),
  );
});

test('each line of a secret is masked as it is', () => {
  expect(runnerCommands(maskLines('a%0Ab\n::c\r\n d ')).map(({ name, data }) => `${name} ${data}`)).toEqual([
    'add-mask a%0Ab',
    'add-mask ::c',
    'add-mask  d ',
  ]);
});

test('an output is the value that was given, whatever it holds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-outputs-'));
  try {
    let count = 0;
    await assert(
      asyncProperty(hostile, hostile, async (one, other) => {
        const path = join(folder, String((count += 1)));
        await writeOutputs(path, { one, other });
        expect(runnerOutputs(readFileSync(path, 'utf8'))).toEqual({ one, other });
      }),
      { numRuns: 40 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
