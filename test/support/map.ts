/** Reads src/README.md: which rings it knows, what it says that they import, and which files it names. */

export type RingRow = { readonly ring: string; readonly imports: readonly string[] };

/** The rows of the table of rings, as they are written. */
export function ringRows(text: string): readonly RingRow[] {
  const table = /\| ring *\|[^\n]*\n\|[-| ]*\n([^]*?)\n\n/.exec(text)?.[1] ?? '';
  return table.split('\n').map((row) => {
    const [, ring = '', , imports = ''] = row.split('|');
    const named = [...imports.matchAll(/`([^`]+)`( \(types\))?/g)].map(([, name, types]) => `${name}${types ?? ''}`);
    return { ring: ring.replaceAll('`', '').trim(), imports: named };
  });
}

/**
 * Every file or folder that is named: with a slash relative to src, or to the root where it starts with `test/`; a file
 * without one in the folder that the same item or row has named last.
 */
export function namedPaths(text: string): readonly string[] {
  return itemsOf(text).flatMap((item) => {
    let folder = '';
    return [...item.matchAll(/`([a-z][a-z0-9-]*(?:\/[a-z0-9.-]*)+|[a-z][a-z0-9-]*\.ts)`/g)].map(([, name = '']) => {
      if (!name.includes('/')) return `${folder}${name}`;
      const path = name.startsWith('test/') ? name : `src/${name}`;
      folder = path.slice(0, path.lastIndexOf('/') + 1);
      return path;
    });
  });
}

/** Rows of tables, items of lists and paragraphs: what is read as one thing. */
function itemsOf(text: string): readonly string[] {
  return text.split(/\n(?=\||[-*] |\d+\. |\n)/);
}

/** The folders that the table of rooms has a row for. */
export function roomRows(text: string): readonly string[] {
  const table = /\| room *\|[^\n]*\n\|[-| ]*\n([^]*?)\n\n/.exec(text)?.[1] ?? '';
  return table.split('\n').map((row) => /^\| `([^`]+)\/` +\|/.exec(row)?.[1] ?? row);
}
