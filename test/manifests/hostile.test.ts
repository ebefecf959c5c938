/** Files made to hang a reader: the work is counted, not timed, and the answer is an Issue. */

import { describe, expect, test, vi } from 'vitest';
import { Parser, parseDocument } from 'yaml';
import { buildTree } from '../../src/manifests/build-tree.ts';
import { composeText } from '../../src/manifests/compose-text.ts';
import { newKnownTexts } from '../../src/manifests/known-texts.ts';
import {
  DOCUMENT_WORK,
  MAX_DOCUMENT_CHARACTERS,
  MAX_DOCUMENTS,
  MAX_FILE_CHARACTERS,
  MAX_FILE_WORK,
  MAX_NODES,
  MAX_SYNTAX_ISSUES,
  MAX_TOKENS,
} from '../../src/manifests/limits.ts';
import { parseDocumentText } from '../../src/manifests/parse-document.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { resolveTree } from '../../src/manifests/resolve-tree.ts';
import { splitDocuments } from '../../src/manifests/split-documents.ts';

/** Values visited for a text of this many characters: a few per value, never a power of it. */
const MAX_VISITS = 4 * MAX_NODES;

function visits(text: string): number {
  const built = buildTree(text, parseDocument(text, { uniqueKeys: false, logLevel: 'silent' }).contents);
  return built.nodes + (built.faults.length > 0 ? 0 : resolveTree(built.root).nodes);
}

const quadratic = (characters: number): string => {
  let text = '';
  for (let at = 0; text.length < characters; at += 1) text += `key${at}: 1\n`;
  return text;
};
const bomb = (width: number, levels: number): string => {
  const line = (level: number): string => {
    const items = Array(width).fill(level === 0 ? '"lol"' : `*l${level - 1}`);
    return `l${level}: &l${level} [${items.join(',')}]\n`;
  };
  return Array.from({ length: levels }, (_, level) => line(level)).join('');
};

describe('work stays bounded', () => {
  test.each([
    ['a map of 258 KB', quadratic(250_000)],
    [
      'an alias bomb of 20 KB',
      bomb(100, 40)
        .slice(0, 20_800)
        .replace(/\n[^\n]*$/, '\n'),
    ],
    ['an alias bomb of nine levels', bomb(9, 9)],
    [
      'merges of merges',
      Array.from(
        { length: 300 },
        (_, at) => `m${at}: &m${at} {${at > 0 ? `<<: [*m${at - 1}, *m${at - 1}], ` : ''}k${at}: 1}`,
      ).join('\n'),
    ],
    [
      'one large map merged often',
      `big: &b {${Array.from({ length: 5000 }, (_, at) => `k${at}: 1`).join(', ')}}\n${Array.from({ length: 500 }, (_, at) => `m${at}: {<<: *b}`).join('\n')}`,
    ],
    [
      'a chain of aliases',
      Array.from({ length: 5000 }, (_, at) => `a${at}: &a${at} ${at === 0 ? '1' : `[*a${at - 1}]`}`).join('\n'),
    ],
  ])('%s', (_, text) => {
    expect(visits(text)).toBeLessThan(MAX_VISITS);
    expect(parseDocumentText({ file: 'x', text, firstLine: 1, doubt: undefined })).toMatchObject({
      kind: 'wrong',
      issues: [{ reason: 'TooManyNodes' }],
    });
  });

  test.each([
    ['brackets', '['.repeat(MAX_DOCUMENT_CHARACTERS)],
    ['braces', '{a: '.repeat(MAX_DOCUMENT_CHARACTERS / 4)],
    ['lists', '- '.repeat(MAX_DOCUMENT_CHARACTERS / 2)],
    ['question marks', '? '.repeat(MAX_DOCUMENT_CHARACTERS / 2)],
    ['colons', ': '.repeat(MAX_DOCUMENT_CHARACTERS / 2)],
    ['anchors', `a: ${'&a '.repeat(MAX_DOCUMENT_CHARACTERS / 4)}`],
    ['quotes', `a: ${'"'.repeat(MAX_DOCUMENT_CHARACTERS - 4)}`],
    ['closing braces', `{\n${'}\n'.repeat(MAX_DOCUMENT_CHARACTERS / 2 - 2)}`],
  ])('%s are refused, not followed', (_, text) => {
    const parsed = parseDocumentText({ file: 'x', text, firstLine: 1, doubt: undefined });
    expect(parsed.kind).toBe('wrong');
    expect(parsed.kind === 'wrong' ? parsed.issues.length : 0).toBeLessThanOrEqual(3);
  });

  test('comments with carriage returns before a document', () => {
    // A regular expression that skips comments takes exponential time here.
    const text = `${'# comment\r\n'.repeat(5000)}kind: X\r\n`;
    expect(splitDocuments('a.yaml', text)).toMatchObject([{ firstLine: 1 }]);
  });

  test('a file of separators', () => {
    expect(splitDocuments('a.yaml', '---\n'.repeat(100_000))).toEqual([]);
  });

  test('prototypes are as they were', () => {
    const keys = ['__proto__', 'constructor', 'prototype', '"__proto__"', "'constructor'"];
    for (const key of keys) {
      const text = `apiVersion: v1\nkind: A\nmetadata: {name: x}\nspec: {a: &a {${key}: {polluted: true}}, b: {<<: *a}}\n`;
      expect(parseManifestFile('x.yaml', text, ['A']).issues[0]?.reason).toBe('ForbiddenKey');
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('files of no interest are not split, let alone parsed', () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\n---\n'.repeat(20);
    expect(parseManifestFile('x.yaml', text, ['LeaderWorkerSet'])).toMatchObject({
      documents: [],
      others: [],
      issues: [],
    });
  });
});

/** As much of `unit` behind `head` as fits. */
const filled = (head: string, unit: string, characters: number): string =>
  `${head}${unit.repeat(Math.floor((characters - head.length) / unit.length))}\n`;

/** A file that is as large as one may be, of documents alike, behind one that is right. */
const fileOf = (document: string): string => {
  const text = `---\n${document}`;
  const right = 'apiVersion: v1\nkind: Rollout\nmetadata: {name: right}\n';
  return right + text.repeat(Math.floor((MAX_FILE_CHARACTERS - right.length) / text.length));
};

/** Tokens that the library's parser is given while `run` runs, and for how many texts. */
function parsing(run: () => void): { readonly tokens: number; readonly texts: number } {
  const next = vi.spyOn(Parser.prototype, 'next');
  const parse = vi.spyOn(Parser.prototype, 'parse');
  try {
    run();
    return { tokens: next.mock.calls.length, texts: parse.mock.calls.length };
  } finally {
    next.mockRestore();
    parse.mockRestore();
  }
}

/** Small enough to be many in one file, large enough that each is slow. */
const SMALL = 32 * 1024 - 16;

describe('the work on one file stays bounded, however it is cut into documents', () => {
  test.each([
    ['aliases', filled('kind: Rollout\n', '*a\n', SMALL)],
    ['closing brackets', filled('kind: Rollout\n', ']\n', SMALL)],
    ['lists without values', filled('kind: Rollout\n', '- : \n', SMALL)],
    ['equal keys', filled('kind: Rollout\n', 'a: 1\n', SMALL)],
    ['aliases of aliases, in documents of no interest', `# Rollout\n${bomb(9, 6)}`],
    ['small documents of no interest', '# Rollout\na: 1\n'],
  ])('%s', (_, document) => {
    let parsed: ReturnType<typeof parseManifestFile> | undefined;
    const { tokens, texts } = parsing(() => {
      parsed = parseManifestFile('x.yaml', fileOf(document), ['Rollout']);
    });
    expect(tokens + texts * DOCUMENT_WORK).toBeLessThan(MAX_FILE_WORK + MAX_TOKENS);
    expect(parsed?.documents.map(({ object }) => object.name)).toEqual(['right']);
    const last = parsed?.issues.at(-1);
    expect(last).toMatchObject({ file: 'x.yaml', reason: 'TooManyNodes' });
    expect(last?.message).toContain('nothing from here on is read');
    expect(parsed?.issues.length).toBeLessThanOrEqual(MAX_DOCUMENTS * MAX_SYNTAX_ISSUES + 1);
  });

  test('aliases of aliases: values count, not only what is written', () => {
    const { texts } = parsing(() => parseManifestFile('x.yaml', fileOf(`# Rollout\n${bomb(9, 6)}`), ['Rollout']));
    expect(texts).toBeLessThanOrEqual(MAX_FILE_WORK / MAX_NODES + 2);
  });

  test('what is known counts as it did: what a file means does not go by what was read before', () => {
    const known = newKnownTexts(4 * MAX_FILE_CHARACTERS);
    const text = fileOf(filled('kind: Rollout\n', ']\n', SMALL));
    const [first, again] = [1, 2].map(() => parseManifestFile('x.yaml', text, ['Rollout'], known));
    expect(again?.issues).toEqual(first?.issues);
    expect(parsing(() => parseManifestFile('x.yaml', text, ['Rollout'], known))).toEqual({ tokens: 0, texts: 0 });
  });
});

test.each([
  ['aliases', '*a\n'],
  ['closing brackets', ']\n'],
  ['commas', '- [,,\n'],
  ['tags that nobody knows', '- !x 1\n'],
  ['escapes that do not exist', '- "\\q\\q"\n'],
])('the library makes no more errors of a document than are reported: %s', (_, unit) => {
  const composed = composeText(filled('a: [\n', unit, SMALL));
  expect(composed.kind).toBe('composed');
  // Errors, and then warnings.
  const errors = composed.kind === 'composed' ? composed.errors.length : 0;
  expect(errors).toBeGreaterThan(0);
  expect(errors).toBeLessThanOrEqual(2 * MAX_SYNTAX_ISSUES);
});
