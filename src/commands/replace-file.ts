/** Writes a file as a whole, in the place of what is there. */

import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * A reader finds the old text or the new one, never a half. A link that somebody has put there, or under the name of the half-written
 * file, is not written through: it goes.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const half = `${path}.tranche-${process.pid}`;
  await rm(half, { force: true });
  try {
    await writeFile(half, text, { flag: 'wx', ...(mode === undefined ? {} : { mode }) });
    await rename(half, path);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}
