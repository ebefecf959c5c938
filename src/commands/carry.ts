/** `tranche carry`: what tranche has written on a branch, into manifests that were rendered again for it. */

import { rename, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { EXIT, type Io } from '../options.ts';
import type { Given } from './flags.ts';

/** Adds the verb. */
export function addCarry(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('carry')
    .description('put annotations, partition and orders of a rendered branch into the next render of it')
    .argument('<old>', 'the file or folder as the branch has it')
    .argument('<new>', 'the same, rendered again and not yet committed')
    .option('--write', 'change the new files; without it the changes are only shown')
    .action(async (old: string, fresh: string, given: Given) => {
      done(await carry({ old, fresh, write: given['write'] === true }, io));
    });
}

type Carry = { readonly old: string; readonly fresh: string; readonly write: boolean };

/** Exit code 1 where something cannot be carried: no file is changed then. Throws a UsageError for what cannot be read. */
async function carry({ old, fresh, write }: Carry, io: Io): Promise<number> {
  const [{ carryOver }, { filesIn }, { issueLine }, { unifiedDiff }] = await Promise.all([
    import('../reconcile/carry.ts'),
    import('./text-files.ts'),
    import('../reconcile/status/report.ts'),
    import('../manifests/diff.ts'),
  ]);
  const after = await filesIn([fresh], io);
  const carried = carryOver(await filesIn([old], io), after);
  if (carried.kind === 'refused') {
    for (const issue of carried.issues) io.err(`${issueLine(issue)}\n`);
    io.err(
      'Nothing was written. Do not commit the new files as they are: a partition that is lost releases every group.\n',
    );
    return EXIT.failed;
  }
  for (const note of carried.notes) io.err(`warning: ${note}\n`);
  for (const [file, text] of carried.texts) {
    if (write) await replace(resolve(io.folder, file), text);
    io.out(write ? `${file}\n` : unifiedDiff({ file, before: after.get(file) ?? '', after: text }));
  }
  if (carried.texts.size === 0) io.out('nothing to carry\n');
  return EXIT.ok;
}

/** A reader finds the old text or the new one, never a half. */
async function replace(path: string, text: string): Promise<void> {
  const half = `${path}.tranche-${process.pid}`;
  await writeFile(half, text);
  await rename(half, path);
}
