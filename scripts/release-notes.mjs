// Prints what CHANGELOG.md says of a version: the notes of its release. Fails where a release of it would be none.
// Usage: node scripts/release-notes.mjs TAG [FOLDER]

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [tag = '', folder = '.'] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const log = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');

/** The text below the heading of a version, up to the next one; undefined where there is no such heading. */
function sectionOf(name) {
  const sections = log.split(/^## /m).slice(1);
  const found = sections.find((section) => section.startsWith(`[${name}]`));
  return found?.slice(found.indexOf('\n')).trim();
}

function fault() {
  if (tag !== `v${version}`) return `the tag is ${JSON.stringify(tag)}, wanted v${version}, as package.json says`;
  const notes = sectionOf(version);
  if (notes === undefined) return `CHANGELOG.md has no section [${version}]`;
  if (notes === '') return `CHANGELOG.md says nothing of ${version}`;
  const left = sectionOf('Unreleased') ?? '';
  return left === '' ? undefined : 'CHANGELOG.md has lines under [Unreleased]: they belong to this version';
}

const wrong = fault();
if (wrong !== undefined) {
  process.stderr.write(`error: ${wrong}\n`);
  process.exit(1);
}
process.stdout.write(`${sectionOf(version)}\n`);
