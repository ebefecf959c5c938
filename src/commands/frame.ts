/** A picture that is drawn over itself on a terminal: which terminals can, what fits on them, and the text that draws it. */

import type { Io } from '../options.ts';

/** What a terminal holds. */
type Size = { readonly rows: number; readonly columns: number };

/** Of a terminal that does not say how large it is: that of all since the first ones. */
const USUAL: Size = { rows: 24, columns: 80 };

/** Whether a picture can be drawn over itself: `TERM=dumb` is the name of terminals without a cursor to move. */
export function isRedrawable({ isTerminal, env }: Io): boolean {
  return isTerminal && env['TERM'] !== 'dumb';
}

/** What the terminal holds at this moment: people drag its corner while a picture is on it. */
export function sizeOf({ size }: Io): Size {
  const { rows = 0, columns = 0 } = size?.() ?? {};
  return { rows: rows > 0 ? rows : USUAL.rows, columns: columns > 0 ? columns : USUAL.columns };
}

/**
 * Whether signs beyond ASCII are drawn: not on a terminal without a name for them, nor where the locale names another
 * character set than UTF-8. Where no locale is set, as in most containers, they are.
 */
export function isAscii(env: Io['env']): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => (value ?? '') !== '') ?? 'UTF-8';
  return env['TERM'] === 'dumb' || !/utf-?8/i.test(locale);
}

/** The signs of our pictures and sentences. None has a meaning that its ASCII form does not have. */
const ASCII_FORMS: Readonly<Record<string, string>> = {
  '●': '#',
  '○': 'o',
  '→': '->',
  '–': '-',
  '…': '...',
  '»': '>',
  '├': '|',
  '└': '`',
  '│': '|',
  '─': '-',
  '·': '-',
  '▁': '1',
  '▂': '2',
  '▃': '3',
  '▄': '4',
  '▅': '5',
  '▆': '6',
  '▇': '7',
  '█': '8',
  '✔': 'ok',
  '✘': 'NO',
};

/** The same text in ASCII; what somebody else wrote beyond it becomes `?`, one for each character. */
export function asciiText(text: string): string {
  return Array.from(text, (char) => (char <= '~' ? char : (ASCII_FORMS[char] ?? '?'))).join('');
}

/** As this terminal draws it: in ASCII where it has no other signs. */
export function drawable(text: string, env: Io['env']): string {
  return isAscii(env) ? asciiText(text) : text;
}

/**
 * The lines that fit: each one column short of the terminal, as a full line leaves the cursor on its last character, which
 * clearing the rest would take; one line fewer than rows, for the cursor. Blank lines go first, then the last ones.
 */
export function fitted(lines: readonly string[], { rows, columns }: Size): readonly string[] {
  const most = Math.max(1, rows - 1);
  const kept = [...lines];
  for (let at = kept.length - 1; at >= 0 && kept.length > most; at--) if (kept[at] === '') kept.splice(at, 1);
  return kept.slice(0, most).map((line) => cut(line, Math.max(1, columns - 1)));
}

function cut(line: string, columns: number): string {
  let width = 0;
  let text = '';
  for (const char of line) {
    width += columnsOf(char);
    if (width > columns) return text;
    text += char;
  }
  return text;
}

/** Two for the signs and letters that terminals draw over two columns, none for marks that are drawn on the character before. */
function columnsOf(char: string): number {
  if (/\p{Mark}|\u200b/u.test(char)) return 0;
  return /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(char)
    ? 2
    : 1;
}

const ESC = '\u001b[';
/** A terminal that has become narrower meanwhile cuts lines instead of breaking them, so that the picture keeps its height. */
const WRAP_OFF = `${ESC}?7l`;
const WRAP_ON = `${ESC}?7h`;

/** The text that draws `picture` where the one before it, of `above` lines, stands; nothing of that one is left. */
export function redraw(picture: readonly string[], above: number): string {
  const up = above === 0 ? '' : `${ESC}${above}A`;
  return `${up}\r${WRAP_OFF}${picture.map((text) => `${text}${ESC}K\n`).join('')}${ESC}J${WRAP_ON}`;
}

export const HIDE_CURSOR = `${ESC}?25l`;
export const SHOW_CURSOR = `${ESC}?25h`;
