/** The verb `carry` and its options. */

import type { Command } from 'commander';
import type { Io } from '../options.ts';
import type { Given } from './flags.ts';

/** Adds the verb. */
export function addCarry(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('carry')
    .description('put annotations, partition and orders of a rendered branch into the next render of it')
    .argument('<old>', 'the file or folder as the branch has it; - for what is piped in')
    .argument('<new>', 'the same, rendered again and not yet committed; - prints it whole')
    .option('--write', 'change the new files; without it the changes are only shown')
    .action(async (old: string, fresh: string, given: Given) => {
      const { carry } = await import('./carry-files.ts');
      done(await carry({ old, fresh, write: given['write'] === true }, io));
    });
}
