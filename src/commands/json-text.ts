/** JSON on standard output: the values as they are, in characters that no terminal and no CI runner acts on. */

// What JSON leaves as it is, and terminals or `##[commands]` of CI runners would not.
const ACTING = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]|#(?=\[|vso\[)/g;

/** Indented, with a line end. Parsing it gives the value back, character for character. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'null';
  return `${text.replace(ACTING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
