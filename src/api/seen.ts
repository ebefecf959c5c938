/** Text of others that someone decides by: all that it holds is seen. */

/**
 * What nobody sees in a text, or what turns it around, as a class for regular expressions with the flag `u`. By what Unicode says of
 * each sign: a list by hand leaves out soft hyphens, tags, fillers and selectors
 * (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point).
 */
export const UNSEEN_SIGNS = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`;

/** The same without line ends and tabs, and what looks like a space and is none: who approves a value has to see all of it. */
const UNSEEN = new RegExp(String.raw`(?!\n|\t|\r\n)${UNSEEN_SIGNS}|(?! )\p{Zs}`, 'gu');

/** The text with those by their numbers, as `\u202e` or `\u{e0041}`; line ends and what indents lines stay. */
export function seen(text: string): string {
  return text.replace(UNSEEN, (sign) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}
