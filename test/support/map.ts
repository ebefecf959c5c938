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

/** Every file or folder that is named with a slash: relative to src, or to the root where it begins with `test/`. */
export function namedPaths(text: string): readonly string[] {
  const paths = [...text.matchAll(/`([a-z][a-z0-9-]*(?:\/[a-z0-9.-]*)+)`/g)].map(([, path]) => path ?? '');
  return paths.map((path) => (path.startsWith('test/') ? path : `src/${path}`));
}
