/** The options of `tranche init`. */

import type { Command } from 'commander';
import { type CommonOptions, commonOptions, type Io, UsageError } from '../options.ts';
import { clusterFlags, type Given, gitFlags, textOf } from './flags.ts';

/** Adds the verb. */
export function addInit(program: Command, io: Io, done: (code: number) => void): void {
  clusterFlags(gitFlags(program.command('init')))
    .description('what this repository needs to be delivered from: files to add, settings to change, what is refused')
    .option('--write', 'write the files that are not there yet; without it they are only named')
    .option('--pull-request', 'open a pull request of these files, on the desired branch of the repository')
    .option('--rollouts <folder>', 'where Rollouts are put: no agent applies it', 'rollouts')
    .option('-n, --namespace <namespace>', 'of manifests that name none, where no agent says which')
    .option('--strategy <name>', 'partition, canary or blueGreen: what the Rollouts say', 'partition')
    .option('--policy <name>', 'default, production, freeze, gpu-budget or none', 'default')
    .option('--image <name>', 'of tranche, with its tag or digest, as your registry names it')
    .option('--run <how>', 'auto, workflow, deployment or none: what makes the passes', 'auto')
    .action(async (given: Given) => {
      const { init } = await import('./init.ts');
      const { addressOf, ownBranches } = await import('../wiring.ts');
      const [writes, asked] = [given['write'] === true, given['pullRequest'] === true];
      if (writes && asked) throw new UsageError('--write and --pull-request: wanted one of them');
      const common = commonOptions(given, io);
      const from = asked ? await toPropose(common, io) : await asTheyLie(common, io);
      const words = ['rollouts', 'strategy', 'policy', 'run'].map((key) => textOf(given, key));
      const [rollouts = '', strategy = '', policy = '', run = ''] = words;
      const url = await addressOf(from.workingTree ?? from.common.repo, io);
      const [namespace, image] = [textOf(given, 'namespace'), textOf(given, 'image')];
      const wishes = { rollouts, strategy, policy, run, url, namespace, image };
      const { ports, ref, workingTree, proposes } = from;
      const own = workingTree === undefined ? undefined : (await ownBranches()).ownBranchOf(workingTree);
      const options = { ...from.common, ...wishes, ref, workingTree, proposes, ownBranch: own, write: writes };
      done(await init(options, ports, io));
    });
}

/** Files as they lie in a working tree, where there is one. */
async function asTheyLie(common: CommonOptions, io: Io) {
  const { ports, ref, folder } = await (await import('../wiring.ts')).openFiles(common, io, undefined);
  return { common, ports, ref, workingTree: folder, proposes: undefined };
}

/** What the desired branch of the repository has: a pull request is for that, and not for what lies in a clone. */
async function toPropose(given: CommonOptions, io: Io) {
  const { giverOf, meant, openPorts } = await import('../wiring.ts');
  const common = await meant(given, io, true);
  const { author } = await giverOf(given, io, undefined);
  return { common, ports: openPorts(common, io), ref: undefined, workingTree: undefined, proposes: { author } };
}
