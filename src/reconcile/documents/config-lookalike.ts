/** Finds a file that people take for `tranche.yaml` and nobody reads: without it owners, keys and limits would be those of no file. */

import { CONFIG_FILE, OTHER_CONFIG_FILE } from '../../api/config.ts';
import type { Gaps } from '../../ports/git.ts';

/** Letters of another alphabet may look like any; of a name that has more of them nobody says that it reads so. */
const FOREIGN_MOST = 4;

/** Its name, with what is not seen of it written out; undefined: there is none at the root. */
export function lookalikeIn(gaps: Gaps | undefined): string | undefined {
  const beside = gaps?.absent.find(({ path }) => path === CONFIG_FILE)?.beside ?? [];
  const name = beside.find((one) => readsAs(one, CONFIG_FILE) || readsAs(one, OTHER_CONFIG_FILE));
  return name?.replace(/[^\x20-\x7e]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** In other letters, another spelling of Unicode, with signs that are not seen, or with blanks and dots at its end. */
function readsAs(name: string, wanted: string): boolean {
  const seen = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\p{Cf}\p{Cc}\s]/gu, '');
  const letters = seen.replace(/\.+$/, '').split('');
  const isForeign = (letter: string): boolean => letter > '\u007f';
  if (letters.length !== wanted.length || letters.filter(isForeign).length > FOREIGN_MOST) return false;
  return letters.every((letter, at) => isForeign(letter) || letter === wanted[at]);
}
