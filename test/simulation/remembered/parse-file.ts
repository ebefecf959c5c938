/** Stands in for `src/manifests/parse-file.ts` in bundles of the simulation: takes each file to pieces once for all schedules. */

import { type ManifestFile, parseManifestFile as parseAfresh } from '../../../src/manifests/parse-file.ts';
import { Remembered } from './remembered.ts';

export type { ManifestDocument, ManifestFile } from '../../../src/manifests/parse-file.ts';
export { isKustomizationFile, withoutTrees } from '../../../src/manifests/parse-file.ts';

/** By its text, which whoever keeps it has hashed already: with its name before it that would be done each time. */
const known = new Remembered<Map<string, ManifestFile>>(3000);

/** As the real one, which is pure: what its caller knows of texts only saves time. */
export function parseManifestFile(...asked: Parameters<typeof parseAfresh>): ManifestFile {
  const [file, text, interests] = asked;
  const read = known.of(text, () => new Map());
  const key = `${file} ${interests === 'everything' ? interests : interests.join()}`;
  const found = read.get(key) ?? parseAfresh(...asked);
  read.set(key, found);
  return found;
}
