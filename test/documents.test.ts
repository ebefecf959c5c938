/** The documents as people walk through them: pages that are short, contents that match, and no link that leads nowhere. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { POLICY_FIELDS } from '../src/api/policy-fields.ts';
import { anchor, documents, headings, links, PAGES } from './support/documents.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

test('the index leads to every page of docs, and to every heading of each', () => {
  const there = readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  expect([...PAGES].sort()).toEqual(there.sort());
  const wanted = PAGES.flatMap((page) => [
    page,
    ...headings(read(page))
      .slice(1)
      .map((heading) => `${page}#${anchor(heading)}`),
  ]);
  expect(links(read('REFERENCE.md')).filter((link) => link.startsWith('docs/'))).toEqual(wanted);
});

test.each(PAGES)('%s is short, and starts with its contents', (page) => {
  const text = read(page);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(300);
  const [title = '', contents = ''] = text.split('\n\n');
  expect(title).toMatch(/^# /);
  const sections = headings(text).slice(1);
  expect([...contents.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name, link]) => [name, link])).toEqual([
    ['Reference', '../REFERENCE.md'],
    ...sections.map((heading) => [heading, `#${anchor(heading)}`]),
  ]);
  const anchors = headings(text).map(anchor);
  expect(new Set(anchors).size, 'each heading once').toBe(anchors.length);
});

/** What people read of a table at a glance: what needs more stands below it. Editors show a field of a policy in the same words. */
const CELL = 240;

test.each(PAGES)('the cells of %s are short', (page) => {
  const cells = read(page)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  const shown = new Set(Object.values(POLICY_FIELDS).map(({ meaning }) => meaning));
  expect(cells.filter((cell) => cell.length > CELL && !shown.has(cell))).toEqual([]);
});

test.each(documents())('every link of %s leads to a file, and to a heading of it', (document) => {
  const dead = links(read(document)).filter((link) => {
    const [path = '', heading] = link.split('#');
    const file = path === '' ? document : join(dirname(document), path);
    if (!existsSync(file)) return true;
    return heading !== undefined && !headings(read(file)).map(anchor).includes(heading);
  });
  expect(dead).toEqual([]);
});

test.each(documents())('every file of this repository that %s names is there', (document) => {
  // `policies/…` and `docs/CODEOWNERS` may be of the reader's own repository.
  const named = [...read(document).matchAll(/`((?:src|test|scripts|fixtures|schemas|bench|\.ci)\/[\w./-]*\w)`/g)];
  const isThere = (path: string): boolean => existsSync(path) || existsSync(join(dirname(document), path));
  // NAME stands for any; what was removed since is in the changelog.
  const missing = named.map(([, path = '']) => path).filter((path) => !path.includes('NAME') && !isThere(path));
  expect(document === 'CHANGELOG.md' ? [] : missing).toEqual([]);
});

test.each([
  ['a\n```\n# no\n[a](b)\n```\n# yes it is\n[c](d.md#e)\n', ['yes it is'], ['d.md#e']],
  ['[x](https://example.com) [y](#z)', [], ['#z']],
])('%j has headings and links', (text, titles, leads) => {
  expect([headings(text), links(text)]).toEqual([titles, leads]);
});

/** The pages whose tables say what a reason means, and what to do. */
const REASONS_IN = ['docs/refusals.md', 'docs/holds.md', 'docs/access.md'];

test('every reason of the tables is named in a test', () => {
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.test.ts'));
  const words = new Set(tests.flatMap((path) => read(join('test', path)).match(/\b[A-Z][a-z]+[A-Z]\w+\b/g) ?? []));
  const firsts = REASONS_IN.flatMap((page) => read(page).match(/^\| `.*?(?= \|)/gm) ?? []);
  const reasons = firsts.flatMap((cell) => [...cell.matchAll(/`([A-Z][a-z]+[A-Z]\w+)`/g)].map(([, name = '']) => name));
  expect(reasons.length).toBeGreaterThan(300);
  expect(reasons.filter((reason) => !words.has(reason))).toEqual([]);
});
