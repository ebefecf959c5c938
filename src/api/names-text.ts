/** Names that there are, for a message about one that is not among them. */

import { nearest } from './nearest.ts';

/** How many names one message has: a repository may have thousands. */
const NAMED_MOST = 8;

/** Each name once, the one nearest to what was typed first, the others by the alphabet: a few, and how many more. */
export function namesText(names: Iterable<string>, typed = ''): string {
  const all = [...new Set(names)].sort();
  const near =
    nearest(typed, all) ?? all.find((name) => nearest(typed, [name.slice(name.indexOf('/') + 1)]) !== undefined);
  const sorted = near === undefined ? all : [near, ...all.filter((name) => name !== near)];
  if (sorted.length === 0) return 'none';
  const more = sorted.length > NAMED_MOST ? ` and ${sorted.length - NAMED_MOST} more` : '';
  return `${sorted.slice(0, NAMED_MOST).join(', ')}${more}`;
}
