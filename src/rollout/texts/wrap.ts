/** Lines of a commit. */

const LINE_WIDTH = 100;

/** The words of a text on lines that are no longer than a commit's; one that is longer has its own, and `stays` starts none. */
export function wrap(text: string, stays: (word: string) => boolean): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > LINE_WIDTH && !stays(word)) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
