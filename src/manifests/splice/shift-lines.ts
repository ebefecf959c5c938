/** Moves a block of lines to another indentation. */

/**
 * The text with every line but the first moved by `by` columns, and with `eol` as its line breaks. Lines that hold
 * only blanks move too, since in block text the blanks behind its indentation are content; empty lines stay empty.
 */
export function shiftLines(text: string, by: number, eol: string): string {
  const [first = '', ...rest] = text.split(/\r?\n/);
  return [first, ...rest.map((line) => shift(line, by))].join(eol);
}

function shift(line: string, by: number): string {
  if (line === '' || by === 0) return line;
  if (by > 0) return ' '.repeat(by) + line;
  const blanks = line.length - line.trimStart().length;
  const indentation = /^ */.exec(line)?.[0].length ?? blanks;
  return line.slice(Math.min(indentation, -by));
}
