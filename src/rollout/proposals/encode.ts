/** Text of people and of the cluster as Markdown that shows it and does nothing else: no mention, link, HTML, image or cell. */

import { callingNobody } from '../../api/calling-nobody.ts';
import { seen, UNSEEN_SIGNS } from '../../api/seen.ts';

/** Control characters, line ends and the marks that turn text around: none of them is shown. */
const HIDDEN = new RegExp(`${UNSEEN_SIGNS}+`, 'gu');

/** One line of code, also in a cell of a table; nothing in it is read as Markdown. At most `most` characters are kept. */
export function code(text: string, most = 300): string {
  const line = cut(text.replace(HIDDEN, ' ').trim(), most);
  if (line === '') return '–';
  const fence = '`'.repeat(1 + longestRun(line));
  // A bar ends a cell of a table even in code, unless it is escaped there; some readers pair backslashes before it.
  return `${fence} ${line.replace(/(\\*)\|/g, '$1$1\\|')} ${fence}`;
}

/** Lines as they are, as code; what nobody would see in them, by its number. At most `most` characters are kept, and a line says so. */
export function block(text: string, language: string, most: number): string {
  const shown = seen(text);
  const kept = shown.length <= most ? shown : `${shown.slice(0, shown.lastIndexOf('\n', most - 1) + 1)}… and more\n`;
  const fence = '`'.repeat(Math.max(3, 1 + longestRun(kept)));
  const body = kept.endsWith('\n') ? kept : `${kept}\n`;
  return `${fence}${language}\n${body}${fence}\n`;
}

/**
 * One line of a title, which is no Markdown but for code: no backtick is left in it, nobody is mentioned, and no issue is
 * named, which a squash would close that took the title for its message.
 */
export function plain(text: string, most: number): string {
  return cut(callingNobody(text.replace(HIDDEN, ' ').replaceAll('`', "'").trim()), most);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
