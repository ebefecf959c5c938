// A plugin of esbuild that puts something else in the place of files of src: what remembers the answers of a pure function.

import { basename, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** `names`: files of src, each with the file of test/simulation/remembered that stands in for it. */
export function remembering(names) {
  const stands = new Map(
    Object.entries(names).map(([real, name]) => [join(root, real), join(root, 'test/simulation/remembered', name)]),
  );
  return {
    name: 'remembering',
    setup: (setup) => {
      setup.onResolve({ filter: called(Object.keys(names)) }, ({ path, resolveDir, importer }) => {
        const stand = stands.get(resolve(resolveDir, path));
        return stand === undefined || stand === importer ? undefined : { path: stand };
      });
    },
  };
}

/** What files of these names are asked for by. What a plugin looks at is asked of another process, so it is asked of no other file. */
export function called(paths) {
  return new RegExp(`(^|[/\\\\])(${paths.map((path) => basename(path, '.ts')).join('|')})\\.ts$`);
}
