/** Markup whose parts are texts of others: whatever is put into it is shown and does not act. */

import { printable } from '../../api/printable.ts';
import { seen } from '../../api/seen.ts';

/** Markup of our own. Nothing that was read is ever one: only `html` makes it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A text is escaped, markup stands as it is, and undefined is nothing. */
type Part = Markup | string | number | undefined | readonly Markup[];

const PLAIN = /^[a-zA-Z0-9 ._/,+-]{0,1000}$/;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters of one text; a page is no place for a log that somebody has put into a name. */
const CHARACTERS_MOST = 4000;

/** A tag of templates: every text in it is escaped, so that it is one in an element and in a quoted attribute. */
export function html(words: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(words.reduce((text, word, at) => text + written(parts[at - 1]) + word));
}

function written(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  const text = String(part);
  // Most texts are names and times: 1,000 Rollouts have 100,000 of them.
  if (PLAIN.test(text)) return text;
  return printable(seen(text.slice(0, CHARACTERS_MOST))).replace(/[&<>"']/g, (char) => ESCAPES[char] ?? '');
}

/**
 * A link where the address is https and nothing but an address, else the words alone: a scheme of another kind may run
 * what it says.
 */
export function linked(url: string, words: string): Markup {
  const isPlain = /^https:\/\/[^\s"'<>\\]+$/.test(url) && URL.canParse(url) && new URL(url).username === '';
  return isPlain ? html`<a href="${url}" rel="noreferrer">${words}</a>` : html`${words}`;
}
