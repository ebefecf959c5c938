/** A program that stands for kustomize where this machine has none: it builds the folders of this benchmark, in Node. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { standInBuilder } from './builds-place.ts';

const [, , verb, folder = ''] = process.argv;
if (verb === 'version') console.log('v5.8.1');
else {
  const tree = process.cwd();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(tree, file), text: readFileSync(file, 'utf8') }));
  const build = await standInBuilder.build({ root: relative(tree, folder), files });
  if (build.kind === 'built') process.stdout.write(build.text);
}
