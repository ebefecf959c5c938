/** Texts in pictures: few characters are shown as they are, and nothing of them acts. */

/** Names are of files, or of a record that anyone may have written who can push to its branch. */
export function escaped(text: string): string {
  return text
    .slice(0, 600)
    .replace(/[^\x20-\x7e–→×]/gu, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
