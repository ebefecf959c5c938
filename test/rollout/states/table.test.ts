/** Holds src/rollout/states.md to the tests: each row names one that exists and that says so, and each reason has a row. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HOLDS } from '../../../src/rollout/hold.ts';
import { MOVES } from '../../../src/rollout/move.ts';

const folder = new URL('.', import.meta.url).pathname;
const root = new URL('../../../', import.meta.url).pathname;
/** Rows whose files are built: they need a world with a builder. */
const elsewhere = `${root}test/reconcile/`;

type Shown = { readonly id: string; readonly source: string };

/** What stands between quotes, without its escapes. */
const QUOTED = `'((?:[^'\\\\]|\\\\.)*)'`;

/** The rows of `test.each([…])('title, %s')` and the plain tests of a file, each with the source that belongs to it. */
function testsIn(file: string): readonly Shown[] {
  const text = readFileSync(`${file.includes('/') ? elsewhere : folder}${file}.test.ts`, 'utf8');
  const plain = [...text.matchAll(new RegExp(`^test\\(${QUOTED}([^]*?)^\\}\\);`, 'gm'))].map(
    ([source, title = '']): Shown => ({ id: `${file}: ${title}`, source }),
  );
  const blocks = [...text.matchAll(new RegExp(`^test\\.each[^]*?^\\]\\)\\(${QUOTED}`, 'gm'))];
  const rows = blocks.flatMap(([block, title = '']) => {
    const starts = [...block.matchAll(new RegExp(`^  \\[\\s*${QUOTED}`, 'gm'))];
    return starts.flatMap((start, index): readonly Shown[] => {
      const source = block.slice(start.index, starts[index + 1]?.index ?? block.length);
      const titles = [title.replace('%s', start[1] ?? ''), withAll(title, source.slice(0, source.indexOf('\n')))];
      return [...new Set(titles)].map((shown) => ({ id: `${file}: ${shown}`, source }));
    });
  });
  const lists = [...text.matchAll(new RegExp(`^test\\.each\\(\\[(.*)\\]\\)\\(\\s*${QUOTED}`, 'gm'))];
  const words = lists.flatMap(([source, list = '', title = '']) =>
    cellsOf(list).map((word): Shown => ({ id: `${file}: ${title.replace('%s', word)}`, source })),
  );
  return [...plain, ...rows, ...words];
}

function cellsOf(list: string): readonly string[] {
  return [...list.matchAll(new RegExp(`${QUOTED}|[^\\s,[\\]]+`, 'g'))].map(([all, quoted]) => quoted ?? all);
}

/** The title with all cells of a row that stands on one line. */
function withAll(title: string, row: string): string {
  return cellsOf(row).reduce((shown, cell) => shown.replace('%s', cell), title);
}

const files = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts') && name !== 'table.test.ts')
  .map((name) => name.replace('.test.ts', ''));
const known = new Map(
  [
    ...files,
    'built/rollback',
    'built/forged-label',
    'built/unbuilt',
    'built/differs',
    'built/recreate',
    'built/walk',
    'helm/there-twice',
    'helm/delivery',
    'helm/rollback',
    'helm/entry',
    'helm/taken-back',
  ]
    .flatMap(testsIn)
    .map((shown) => [shown.id, shown.source]),
);

const table = readFileSync(`${root}src/rollout/states.md`, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const rows = table
  .filter((cells) => cells.at(-1) !== 'test')
  .map((cells) => ({ when: cells.slice(0, -2).join(', '), answer: cells.at(-2) ?? '', id: cells.at(-1) ?? '' }));

const holds = Object.keys(HOLDS);
const moves = Object.keys(MOVES);

describe('src/rollout/states.md', () => {
  test('is found, and so are the tests', () => {
    expect(rows.length).toBeGreaterThan(80);
    expect(known.size).toBeGreaterThan(300);
    expect(holds.length + moves.length).toBeGreaterThan(60);
  });

  test.each(rows)('$when: $id', ({ answer, id }) => {
    const [, reason] = /`([A-Za-z]+)`/.exec(answer) ?? [];
    if (id.startsWith('story: ')) {
      const transcript = `${root}fixtures/scenarios/${id.slice('story: '.length)}/transcript.txt`;
      expect(existsSync(transcript), transcript).toBe(true);
      if (reason !== undefined) expect(readFileSync(transcript, 'utf8')).toContain(reason);
      return;
    }
    const source = known.get(id);
    expect(source, `no test is called "${id}"`).toBeDefined();
    // A row whose expectation is spelled out must expect what the table says.
    const spelled = [...(source ?? '').matchAll(/'(?:hold [A-Za-z ]+|[A-Z][A-Za-z]+: [^']*)'/g)].map(([text]) => text);
    if (reason !== undefined && spelled.length > 0) expect(spelled.join(' ')).toContain(reason);
  });

  test.each([...holds, ...moves])('%s has a row', (reason) => {
    expect(rows.some(({ answer }) => answer.includes(`\`${reason}\``))).toBe(true);
  });

  test('names no reason that is not there', () => {
    const named = rows.flatMap(({ answer }) =>
      [...answer.matchAll(/`([A-Za-z]+)`/g)].map(([, reason]) => reason ?? ''),
    );
    expect(named.filter((reason) => ![...holds, ...moves].includes(reason))).toEqual([]);
  });
});
