/** `tranche page`: files to look at, made from the published JSON of `status` and `history`. */

import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { asWritten } from '../api/json.ts';
import { type CommonOptions, EXIT, type Io, UsageError } from '../options.ts';
import { readHistory } from '../reconcile/log/history.ts';
import { historyJson } from '../reconcile/log/history-json.ts';
import { type PageFile, pagesOf } from '../reconcile/page/pages.ts';
import type { Ports } from '../reconcile/pass.ts';
import { readPicture } from '../reconcile/read-picture.ts';
import { statusJson } from '../reconcile/status/status-json.ts';
import { withFaults } from './config-faults.ts';

/** Bytes of one file of JSON. */
const BYTES_MOST = 256 * 1024 * 1024;
/** Says of a folder that its files are ours, to be written over. */
const MARK = '.tranche-page';
const MARK_TEXT = 'tranche page has written this folder, and writes over what is in it.\n';

type FromFiles = { readonly out: string; readonly status: string; readonly history: string | undefined };

/** By files of JSON alone: where they were made may be the only place with credentials. */
export async function pageFromFiles({ out, status, history }: FromFiles, io: Io): Promise<number> {
  const read = (path: string, name: string): unknown => jsonIn(resolve(io.folder, path), name);
  return written(pagesOf(read(status, '--status'), history && read(history, '--history')), out, io);
}

/** By the status branch and the log of main, as both verbs read them; never the cluster. */
export async function pageFromGit(
  { out, overrides }: CommonOptions & { readonly out: string },
  ports: Ports,
  io: Io,
): Promise<number> {
  const picture = await readPicture(ports, overrides);
  const ended = withFaults(picture.faults, io);
  const history = await readHistory(ports, overrides, { name: '', namespace: '', since: undefined });
  if (typeof history === 'string') {
    io.err(`${history}\n`);
    return EXIT.failed;
  }
  // As written and read again: a page is made of nothing but what both verbs publish.
  return ended(written(pagesOf(asWritten(statusJson(picture)), asWritten(historyJson(history))), out, io));
}

function written(pages: ReturnType<typeof pagesOf>, out: string, io: Io): number {
  if ('fault' in pages) throw new UsageError(pages.fault);
  const folder = resolve(io.folder, out);
  emptied(folder, out);
  for (const { path, text } of pages.files) writeBelow(folder, { path, text });
  const { looked, notLooked } = pages.count;
  const more = notLooked === 0 ? '' : `, and ${notLooked} that no pass has looked at yet`;
  io.out(`${join(out, 'index.html')}: ${looked} ${looked === 1 ? 'Rollout' : 'Rollouts'}${more}\n`);
  return EXIT.ok;
}

/** Ready for new files. Throws UsageError where it has files that nobody knows to be ours. */
function emptied(folder: string, out: string): void {
  const entry = lstatSync(folder, { throwIfNoEntry: false });
  if (entry !== undefined && !entry.isDirectory()) throw new UsageError(`--out ${out} is no folder, wanted one`);
  const names = entry === undefined ? [] : readdirSync(folder);
  if (names.length > 0 && !names.includes(MARK))
    throw new UsageError(
      `--out ${out} has files that tranche page has not written, wanted a new folder or one of its own. Nothing was written`,
    );
  // Of ours alone: what somebody has put next to them, as a CNAME, stays. A link goes, and not what it leads to.
  for (const name of ['index.html', 'style.css', 'rollouts', 'others', MARK])
    rmSync(join(folder, name), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeBelow(folder, { path: MARK, text: MARK_TEXT });
}

function writeBelow(folder: string, { path, text }: PageFile): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, { flag: 'wx' });
}

/** Throws UsageError where it cannot be read, or is no JSON. */
function jsonIn(path: string, name: string): unknown {
  try {
    if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > BYTES_MOST)
      throw new UsageError(`${name} has more than ${BYTES_MOST} bytes`);
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof SyntaxError ? 'is no JSON' : 'cannot be read';
    throw new UsageError(`${name} ${path} ${why}, wanted what tranche ${name.slice(2)} --output json prints`);
  }
}
