/** What one signature on the index tells of the other files of a place: their numbers, and a digest of them all. */

import { createHash } from 'node:crypto';
import { PAGE_FILE } from './others-branch.ts';
import type { Content } from './record-store.ts';
import type { Place } from './signed.ts';

/** How a file of ours starts that is signed. */
const SIGNED_HEAD =
  /^\{\n(?: {2}"checksum": "[0-9a-f]*",\n)? {2}"signature": \{\n {4}"key": "[^"]*",\n {4}"number": ([0-9]+),/;

/** The number in the text of a file as we print it, which stands before its content; undefined: it is not signed. */
export function numberIn(text: string): number | undefined {
  const [, number] = SIGNED_HEAD.exec(text) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Of the records of this cluster among these texts by path, with their pictures and the page. */
export function contentOf(texts: ReadonlyMap<string, string>, { cluster }: Place): Content {
  const numbers: Record<string, number> = {};
  for (const [path, text] of texts) {
    const number = path.startsWith(`rollouts/${cluster}/`) ? numberIn(text) : undefined;
    if (number !== undefined) numbers[path] = number;
  }
  return { numbers, files: filesDigest(texts, Object.keys(numbers)) };
}

/** Whether the files are those that an index speaks of. */
export function isWhole(texts: ReadonlyMap<string, string>, { numbers, files }: Content): boolean {
  return filesDigest(texts, Object.keys(numbers)) === files;
}

function filesDigest(texts: ReadonlyMap<string, string>, records: readonly string[]): string {
  const svgs = ['badges', 'timelines'].flatMap((folder) =>
    records.map((path) => path.replace(/^rollouts\/(.*)\.json$/, `${folder}/$1.svg`)),
  );
  const hash = createHash('sha256');
  // A delivery that has just started has no picture yet.
  const there = svgs.filter((path) => path.startsWith('badges/') || texts.has(path));
  const keys = new Set(records.map((path) => path.replace('rollouts/', 'analysis/').replace(/json$/, '')));
  const counted = [...texts.keys()].filter((path) => keys.has(path.replace(/\/[^/]*$/, '.')));
  for (const path of [...records, ...there, ...counted, PAGE_FILE].sort()) {
    const text = texts.get(path) ?? '';
    hash.update(`${path}\n${Buffer.byteLength(text)}\n${text}`);
  }
  return hash.digest('hex');
}
