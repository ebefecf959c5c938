/** Columns of text for terminals: emoji take two places there, and one character here. */

export type Column = { readonly title: string; readonly align: 'left' | 'right' };

const WIDE = /\p{Emoji_Presentation}/u;

/** The rows under their titles, two spaces between columns, nothing at the ends of lines. */
export function alignedTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => widthOf(cells[at] ?? ''))));
  return lines
    .map((cells) =>
      columns
        .map(({ align }, at) => {
          const cell = cells[at] ?? '';
          const space = ' '.repeat((widths[at] ?? 0) - widthOf(cell));
          return align === 'left' ? cell + space : space + cell;
        })
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** How many places of a terminal a text takes, as far as our own texts go. */
export function widthOf(text: string): number {
  return Array.from(text).reduce((width, character) => width + (WIDE.test(character) ? 2 : 1), 0);
}
