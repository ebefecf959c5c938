/** CODEOWNERS as GitHub reads it: which files have owners. Of the lines that match a file the last one counts. */

/** Where GitHub looks for it; the first that is there counts. */
export const CODE_OWNERS_FILES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'] as const;

/** GitHub passes over a larger one. */
const BYTES_MOST = 3 * 1024 * 1024;
const OWNER = /^(@[\w.-]+(\/[\w.-]+)?|[^\s@]+@[^\s@]+)$/;

type OwnedPattern = { readonly pattern: RegExp; readonly hasOwner: boolean };

/** The lines that GitHub would take: it passes over one with `!`, `[`, an escaped `#` or an owner that is none. */
export function parseCodeOwners(text: string): readonly OwnedPattern[] {
  if (text.length > BYTES_MOST) return [];
  return text.split(/\r?\n/).flatMap((line) => {
    const [pattern = '', ...owners] = line
      .replace(/(^|\s)#.*$/, '')
      .trim()
      .split(/\s+/);
    if (pattern === '' || /^!|[[\]\\]/.test(pattern) || !owners.every((owner) => OWNER.test(owner))) return [];
    return [{ pattern: expressionOf(pattern), hasOwner: owners.length > 0 }];
  });
}

/** Whether somebody owns a file of this path. */
export function hasCodeOwner(patterns: readonly OwnedPattern[], path: string): boolean {
  return patterns.findLast(({ pattern }) => pattern.test(path))?.hasOwner === true;
}

/** A slash before the end ties it to the root; without `/*` at its end it means all below as well. */
function expressionOf(pattern: string): RegExp {
  const isFolder = pattern.endsWith('/');
  const inner = pattern.replace(/^\//, '').replace(/\/$/, '');
  const rooted = pattern.startsWith('/') || inner.includes('/');
  const parts = inner.split('/').map((part) => (part === '**' ? '**' : segment(part)));
  const body = parts.reduce((all, part, at) => {
    if (part !== '**') return `${all}${part}${at < parts.length - 1 ? '/' : ''}`;
    return `${all}${at === parts.length - 1 ? '.+' : '(?:[^/]+/)*'}`;
  }, '');
  const below = isFolder ? '/.+' : /(^|\/)\*$/.test(inner) && rooted ? '' : '(?:/.+)?';
  return new RegExp(`^${rooted ? '' : '(?:[^/]+/)*'}${body}${below}$`);
}

function segment(part: string): string {
  return part
    .split('')
    .map((sign) => (sign === '*' ? '[^/]*' : sign === '?' ? '[^/]' : sign.replace(/[.+^${}()|]/g, '\\$&')))
    .join('');
}
