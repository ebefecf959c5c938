/** Text that is not ours, inside of Markdown. */

import { printableLine } from '../../api/printable.ts';
import { seen } from '../../api/seen.ts';

const SHOWN = 300;

/** In a code span, also inside a table cell: no pipe, no line end, no markup, no mention, nothing that nobody sees. Empty: nothing. */
export function code(value: string, most = SHOWN): string {
  const flat = printableLine(seen(value)).replace(/[|`\\]/g, "'");
  const short = flat.length > most ? `${flat.slice(0, most)}…` : flat;
  return short === '' ? '' : `\`${short}\``;
}

/** A path in a link of Markdown: also without what encodeURIComponent lets through and would end one. */
export function urlPath(text: string): string {
  return text
    .split('/')
    .map((part) => encodeURIComponent(part).replace(/[()'!*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`))
    .join('/');
}
