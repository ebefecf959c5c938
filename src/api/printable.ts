/** Text of others on a terminal or in a log of CI: it may be read, and must not act. */

// oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]+/g;

/**
 * The text without escapes and directions, its line ends kept. CI runners obey `::command::` at the start of a line
 * and `##[command]` anywhere; both are broken up by a space of no width.
 */
export function printable(text: string): string {
  return text
    .replace(ACTING, ' ')
    .replace(/^([^\S\n]*):(?=:)/gm, '$1:\u200b')
    .replace(/##(?=\[|vso\[)/g, '##\u200b');
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.replace(/[\n\t]+/g, ' ')).trim();
}

/** On one line, with line ends written out: text that people quote keeps what it holds, and adds no line of its own. */
export function oneLine(text: string): string {
  return text.replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

// What JSON leaves as it is, and terminals or `##[commands]` of CI runners would not.
const ACTING_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]|#(?=\[|vso\[)/g;

/** A value as JSON, indented, with a line end, in characters that no terminal and no CI runner acts on. Parsing it gives the value back, character for character. */
export function jsonText(value: unknown): string {
  return inertJson(JSON.stringify(value, undefined, 2) ?? 'null');
}

/** The same on one line, for logs. */
export function jsonLine(value: unknown): string {
  return inertJson(JSON.stringify(value) ?? 'null');
}

function inertJson(text: string): string {
  return `${text.replace(ACTING_IN_JSON, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
