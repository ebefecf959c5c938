/** The options of `tranche roots`. */

import type { Command } from 'commander';
import { commonOptions, type Io } from '../options.ts';
import { builderFlag, type Given, gitFlags, textOf } from './flags.ts';

/** Adds the verb. */
export function addRoots(program: Command, io: Io, done: (code: number) => void): void {
  builderFlag(gitFlags(program.command('roots')))
    .description('kustomize folders: what each is built from, the LeaderWorkerSets that come out, what is in the way')
    .option('--ref <ref>', 'a branch or a full ref, as refs/pull/1/merge (default: the files of the working tree)')
    .option('--base <commit>', 'what they are to be merged into: shows what the merge changes in each build')
    .action(async (given: Given) => {
      const { roots } = await import('./roots.ts');
      const { openFiles } = await import('../wiring.ts');
      const common = commonOptions(given, io);
      const { ports, ref, folder } = await openFiles(common, io, textOf(given, 'ref'));
      done(await roots({ ...common, ref, workingTree: folder, base: textOf(given, 'base') }, ports, io));
    });
}
