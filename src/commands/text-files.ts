/** Reads files and folders that someone names on the command line. */

import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type Io, UsageError } from '../options.ts';

/** Files that are looked at. */
const FILES_MOST = 1000;
/** In the place of a file: what is piped into the command. */
export const PIPED = '-';
/** Bytes of each: a schema of Kubernetes may lie next to manifests, and no more than that. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** The files themselves, and those below the folders that end in .yaml or .yml, by their path from here. Throws a UsageError. */
export async function filesIn(places: readonly string[], io: Pick<Io, 'folder'>): Promise<ReadonlyMap<string, string>> {
  const paths = (await Promise.all(places.map((place) => under(resolve(io.folder, place))))).flat();
  if (paths.length > FILES_MOST) throw new UsageError(`more than ${FILES_MOST} files in ${places.join(', ')}`);
  const texts = await Promise.all(paths.map((path) => textOf(path, io)));
  return new Map(paths.map((path, at) => [relative(io.folder, path), texts[at] ?? '']));
}

async function under(path: string): Promise<readonly string[]> {
  const seen = await stat(path).catch(() => undefined);
  if (seen === undefined) throw new UsageError(`${path} is not there: name a file, or a folder with .yaml files`);
  if (!seen.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && /\.ya?ml$/.test(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name));
}

/** What is piped into the command, under the name `-`. Throws a UsageError. */
export async function pipedIn(io: Pick<Io, 'input'>): Promise<ReadonlyMap<string, string>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io.input?.() ?? []) {
    const read = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    bytes += read.length;
    if (bytes > FILE_BYTES_MAX) throw new UsageError(`more than ${FILE_BYTES_MAX} bytes are piped in`);
    chunks.push(read);
  }
  // A branch that was not read must not count as one that nobody steps.
  if (bytes === 0) throw new UsageError('nothing is piped in: has the command before failed?');
  try {
    return new Map([[PIPED, textIn(Buffer.concat(chunks))]]);
  } catch {
    throw new UsageError('what is piped in is not UTF-8');
  }
}

/** The one file of that name; a folder is refused. Throws a UsageError that says what is there instead. */
export async function fileAt(place: string, io: Pick<Io, 'folder'>): Promise<string> {
  const path = resolve(io.folder, place);
  const seen = await stat(path).catch(() => undefined);
  if (seen === undefined) throw new UsageError('there is no such file');
  if (seen.isDirectory()) throw new UsageError('it is a folder');
  return textOf(path, io);
}

/** A device has no size, and no end. */
async function textOf(path: string, io: Pick<Io, 'folder'>): Promise<string> {
  const name = relative(io.folder, path);
  try {
    const seen = await stat(path);
    if (seen.isCharacterDevice() || seen.isBlockDevice()) throw new UsageError(`${name} is no file`);
    if (seen.size > FILE_BYTES_MAX)
      throw new UsageError(`${name} has ${seen.size} bytes, at most ${FILE_BYTES_MAX} are read`);
    return textIn(await readFile(path));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Bytes that are no text would be others once they are written again: they throw. */
function textIn(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
