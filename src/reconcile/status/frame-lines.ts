/** The lines of a picture that is drawn over itself: of the demo, and of `status --watch`. */

export const LABEL_COLUMNS = 13;
export const TEXT_COLUMNS = 64;

export const LEGEND = '● on the version in Git, ready   ○ on the other one, ready   ~ not ready';

/** One line of a picture, with what it is about before it. */
export function labelled(label: string, text: string): string {
  return `  ${label.padEnd(LABEL_COLUMNS - 2)}${text}`.trimEnd();
}

/** At least `length` lines: a picture that keeps its height does not jump. */
export function padded(lines: readonly string[], length: number): readonly string[] {
  return [...lines, ...Array.from({ length: Math.max(0, length - lines.length) }, () => '')];
}

/** Labels and times stand back, commits and people stand out. Widths stay as they are. */
export function coloured(line: string): string {
  if (line.startsWith('  +')) {
    const [time, text] = [line.slice(0, LABEL_COLUMNS), line.slice(LABEL_COLUMNS)];
    return text.startsWith('»')
      ? `${dim(time)}${bold(text)}`
      : `${dim(time)}${yellow(text.slice(0, 7))}${text.slice(7)}`;
  }
  return /^ {2}[a-z]/.test(line) ? `${dim(line.slice(0, LABEL_COLUMNS))}${line.slice(LABEL_COLUMNS)}` : line;
}

const paint =
  (code: number) =>
  (text: string): string =>
    `${ESC}${code}m${text}${ESC}0m`;
const [bold, dim, yellow] = [paint(1), paint(2), paint(33)];

const ESC = '\u001b[';

/** Words in lines of at most `width` columns. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
