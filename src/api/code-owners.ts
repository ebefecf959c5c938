/** CODEOWNERS as GitHub reads it: which files have owners. Of the lines that match a file the last one counts. */

import { FOLDERS, matchesPath, ONE, type PathPattern, type Sign, STAR } from './path-pattern.ts';

/** Where GitHub looks for it; the first that is there counts. */
export const CODE_OWNERS_FILES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'] as const;

/** GitHub passes over a larger one. */
const BYTES_MOST = 3 * 1024 * 1024;
const OWNER = /^(@[\w.-]+(\/[\w.-]+)?|[^\s@]+@[^\s@]+)$/;

type OwnedPattern = { readonly pattern: PathPattern; readonly hasOwner: boolean };

/** The lines that GitHub would take: it passes over one with `!`, `[`, an escaped `#` or an owner that is none. */
export function parseCodeOwners(text: string): readonly OwnedPattern[] {
  if (text.length > BYTES_MOST) return [];
  return text.split(/\r?\n/).flatMap((line) => {
    const [pattern = '', ...owners] = line
      .replace(/(^|\s)#.*$/, '')
      .trim()
      .split(/\s+/);
    if (pattern === '' || /^!|[[\]\\]/.test(pattern) || !owners.every((owner) => OWNER.test(owner))) return [];
    return [{ pattern: patternOf(pattern), hasOwner: owners.length > 0 }];
  });
}

/** Whether somebody owns a file of this path. */
export function hasCodeOwner(patterns: readonly OwnedPattern[], path: string): boolean {
  return patterns.findLast(({ pattern }) => matchesPath(pattern, path))?.hasOwner === true;
}

/** A slash before the end ties it to the root; without `/*` at its end it means all below as well. */
function patternOf(written: string): PathPattern {
  const isFolder = written.endsWith('/');
  const inner = written.replace(/^\//, '').replace(/\/$/, '');
  const rooted = written.startsWith('/') || inner.includes('/');
  const names = inner.split('/');
  const parts = names.flatMap((name, at): PathPattern => {
    if (name !== '**') return [signsOf(name)];
    return at === names.length - 1 ? ALL_BELOW : [FOLDERS];
  });
  const below = isFolder ? ALL_BELOW : /(^|\/)\*$/.test(inner) && rooted ? [] : [FOLDERS];
  return [...(rooted ? [] : [FOLDERS]), ...parts, ...below];
}

/** At least one name. */
const ALL_BELOW: PathPattern = [[STAR], FOLDERS];

function signsOf(name: string): readonly Sign[] {
  return name.split('').map((sign) => (sign === '*' ? STAR : sign === '?' ? ONE : sign));
}
