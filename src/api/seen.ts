/** Text of others that someone decides by: all that it holds is seen. */

/** What nobody would see in a text, or what turns it around, by its number: who approves a value has to see all of it. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must be seen
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\r(?!\n)/g;

/** The text with those as `\u202e`; line ends and what indents lines stay. */
export function seen(text: string): string {
  return text.replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
