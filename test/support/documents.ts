/** The documents that people read: their pages, headings, links and tables, for the tests that hold them against the code. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The text without its fenced blocks, line by line as before: what looks like a heading or a link in them is none. */
const prose = (text: string): string =>
  text.replace(/^```[^]*?^```/gm, (block) => '\n'.repeat(block.split('\n').length - 1));

/** The pages of the reference, in the order in which REFERENCE.md names them. */
export const PAGES: readonly string[] = [
  ...new Set([...read('REFERENCE.md').matchAll(/\]\((docs\/[\w-]+\.md)/g)].map(([, path]) => path ?? '')),
];

/** The whole reference as one text: its index, and all of its pages. */
export const reference = (): string => ['REFERENCE.md', ...PAGES].map(read).join('\n');

/** What stands under a heading of the reference, up to the next one, with an empty line at its end. */
export function section(heading: string): string {
  const text = reference();
  const seen = prose(text).split('\n');
  const from = seen.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (from === -1) throw new Error(`the reference has no heading "${heading}"`);
  const to = seen.findIndex((line, at) => at > from && /^#+ /.test(line));
  const lines = text.split('\n');
  return [...lines.slice(from + 1, to === -1 ? lines.length : to), ''].join('\n');
}

/** Every document of the repository, but those among the data of tests. */
export const documents = (): readonly string[] => [
  ...readdirSync(ROOT).filter((path) => path.endsWith('.md')),
  ...['docs', 'policies', 'src', 'fixtures/examples', 'test/seeds', 'test/simulation'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => join(folder, path)),
  ),
];

/** The headings of a text, without their signs. */
export const headings = (text: string): readonly string[] =>
  [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);

/** The anchor of a heading, as forges make it. */
export const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** Where the links of a text lead: files and headings, not addresses. */
export const links = (text: string): readonly string[] =>
  [...prose(text).matchAll(/\]\(([^):]+)\)/g)].map(([, link]) => link ?? '');
