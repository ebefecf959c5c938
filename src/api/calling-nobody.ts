/** Text of others where a forge reads it, as in a commit: it may be read, and must not act. */

/**
 * Text of others where a forge reads it: nobody is mentioned, and no issue is named, in any form that GitHub follows
 * (https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls). Its
 * words close one in a commit or in the title of a pull request. Behind a letter or a digit `@` mentions nobody: digests and addresses
 * stay what people copy.
 */
export function callingNobody(text: string): string {
  return text.replace(/(?<!\w)@|#(?=\d)|\bGH-(?=\d)|\/(?:issues|pull|discussions)\/(?=\d)/gi, '$&\u200b');
}
