/** `tranche carry`: what tranche has written on a branch, into manifests that were rendered again for it. */

import { resolve } from 'node:path';
import { issueLine } from '../api/issue-line.ts';
import { unifiedDiff } from '../manifests/diff.ts';
import { EXIT, type Io, UsageError } from '../options.ts';
import { carryOver } from '../reconcile/carry/carry.ts';
import { replaceFile } from './replace-file.ts';
import { filesIn, PIPED, pipedIn } from './text-files.ts';

type Carry = { readonly old: string; readonly fresh: string; readonly write: boolean };

/**
 * Exit code 1 where something cannot be carried: no file is changed then, and nothing printed. What is piped in comes out
 * whole. Throws a UsageError for what cannot be read.
 */
export async function carry({ old, fresh, write }: Carry, io: Io): Promise<number> {
  if (old === PIPED && fresh === PIPED) throw new UsageError('only one of the two can be piped in');
  if (fresh === PIPED && write) throw new UsageError('what is piped in has no file to write: it is printed');
  const after = await textsOf(fresh, io);
  const carried = carryOver(await textsOf(old, io), after);
  if (carried.kind === 'refused') {
    for (const issue of carried.issues) io.err(`${issueLine(issue)}\n`);
    io.err(
      'Nothing was written. Do not commit the new files as they are: a partition that is lost releases every group.\n',
    );
    return EXIT.failed;
  }
  for (const note of carried.notes) io.err(`warning: ${note}\n`);
  if (fresh === PIPED) {
    io.out(carried.texts.get(PIPED) ?? after.get(PIPED) ?? '');
    return EXIT.ok;
  }
  for (const [file, text] of carried.texts) {
    if (write) await replaceFile(resolve(io.folder, file), text);
    io.out(write ? `${file}\n` : unifiedDiff({ file, before: after.get(file) ?? '', after: text }));
  }
  if (carried.texts.size === 0) io.out('nothing to carry\n');
  return EXIT.ok;
}

function textsOf(place: string, io: Io): Promise<ReadonlyMap<string, string>> {
  return place === PIPED ? pipedIn(io) : filesIn([place], io);
}
