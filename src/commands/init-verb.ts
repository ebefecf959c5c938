/** The options of `tranche init`. */

import type { Command } from 'commander';
import { commonOptions, type Io } from '../options.ts';
import { clusterFlags, type Given, gitFlags, textOf } from './flags.ts';

/** Adds the verb. */
export function addInit(program: Command, io: Io, done: (code: number) => void): void {
  clusterFlags(gitFlags(program.command('init')))
    .description('what this repository needs to be delivered from: files to add, settings to change, what is refused')
    .option('--write', 'write the files that are not there yet; without it they are only named')
    .option('--rollouts <folder>', 'where Rollouts are put: no agent applies it', 'rollouts')
    .option('-n, --namespace <namespace>', 'of manifests that name none, where no agent says which')
    .option('--strategy <name>', 'partition, canary or blueGreen: what the Rollouts say', 'partition')
    .option('--policy <name>', 'default, production, freeze, gpu-budget or none', 'default')
    .option('--run <how>', 'auto, workflow, deployment or none: what makes the passes', 'auto')
    .action(async (given: Given) => {
      const { init } = await import('./init.ts');
      const { addressOf, openFiles } = await import('../wiring.ts');
      const common = commonOptions(given, io);
      const { ports, ref, folder } = await openFiles(common, io, undefined);
      const words = ['rollouts', 'strategy', 'policy', 'run'].map((key) => textOf(given, key));
      const [rollouts = '', strategy = '', policy = '', run = ''] = words;
      const url = await addressOf(folder ?? common.repo, io);
      const wishes = { rollouts, strategy, policy, run, url, namespace: textOf(given, 'namespace') };
      done(await init({ ...common, ...wishes, ref, workingTree: folder, write: given['write'] === true }, ports, io));
    });
}
