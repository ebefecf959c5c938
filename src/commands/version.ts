/** `tranche --version`: which version, of which commit, and which bundle this is. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { at } from '../api/json.ts';
import { VERSION } from '../options.ts';

/** Digits of a commit and of a digest that are shown. */
const SHOWN = 12;

/**
 * One line: the version, and in brackets what a bundle knows of itself. The commit is there where the build was given one: a
 * bundle that is committed cannot name the commit that it is in. The digest is that of its files, so that two who run the
 * same bytes see the same. From sources it is the version alone.
 */
export async function versionText(folder: string = dirname(__dirname)): Promise<string> {
  if (!existsSync(join(folder, 'tranche.js'))) return VERSION;
  const about: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const commit = at(about, ['commit']);
  const parts = [
    ...(typeof commit === 'string' ? [`commit ${commit.slice(0, SHOWN)}`] : []),
    `build ${(await digestOf(folder)).slice(0, SHOWN)}`,
  ];
  return `${VERSION} (${parts.join(', ')})`;
}

/** Over names and bytes of all programs, in the order of their names. */
async function digestOf(folder: string): Promise<string> {
  // Every start loads this file, and nearly none asks.
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => one.endsWith('.js')).sort())
    hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}
