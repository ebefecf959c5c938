/** Entries of `policyPaths` and `namespaces` that lead to no file that is read: what they say counts for nothing. */

import { CONFIG_FILE, type Config, type EntryLines, isBelow } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { nearest } from '../../api/nearest.ts';
import type { Tree } from '../../ports/git.ts';

/** Such an entry stops nothing: its folder may be to come. Nothing is reported where the command line narrows what is read. */
export function unreadEntries(
  { files, skipped }: Pick<Tree, 'files' | 'skipped'>,
  { lines, policyPaths = [], namespaces }: Pick<Config, 'lines' | 'policyPaths' | 'namespaces'>,
): readonly Issue[] {
  if (lines === undefined) return [];
  const lists = [
    { list: 'policyPaths', entries: policyPaths, lost: 'no grant and no exception counts from there' },
    { list: 'namespaces', entries: Object.keys(namespaces), lost: 'it gives no manifest a namespace' },
  ] as const;
  return lists.flatMap(({ list, entries, lost }) =>
    entries.flatMap((entry, at): readonly Issue[] => {
      const isAt = ({ path }: { readonly path: string }): boolean => isBelow([entry], path);
      // Those without a marker are listed for this alone, and seldom.
      if (files.some(isAt) || skipped().some(isAt)) return [];
      return [
        unread({ list, entry, lost, line: lines[list][at] ?? 0, meant: meantBy(entry, [...files, ...skipped()]) }),
      ];
    }),
  );
}

function unread(of: {
  readonly list: keyof EntryLines;
  readonly entry: string;
  readonly lost: string;
  readonly line: number;
  readonly meant: string | undefined;
}): Issue {
  const { list, entry, lost, line, meant } = of;
  const instead = meant === undefined ? '' : `; there is ${meant}`;
  return {
    file: CONFIG_FILE,
    line,
    path: list,
    reason: 'PathMissing',
    message: `${list} has "${entry}", where no manifest is read${instead}: ${lost}`,
    hint: 'Correct it, name its folder in paths as well, or leave it out until there is something.',
  };
}

/** The same path with the first name that is not there replaced by the nearest that is. */
function meantBy(entry: string, files: readonly { readonly path: string }[]): string | undefined {
  const names = entry.split('/');
  let folder = '';
  for (const name of names) {
    const beside = new Set(
      files.flatMap(({ path }) => (path.startsWith(folder) ? (path.slice(folder.length).split('/')[0] ?? []) : [])),
    );
    if (!beside.has(name)) {
      const near = nearest(name, [...beside]);
      return near === undefined ? undefined : `${folder}${near}`;
    }
    folder = `${folder}${name}/`;
  }
  return undefined;
}
