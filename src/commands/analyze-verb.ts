/** `tranche analyze` on the command line. */

import type { Command } from 'commander';
import type { CommonOptions, Io } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import {
  clusterFlags,
  type Given,
  gitFlags,
  ROLLOUT_NAME,
  shardFlag,
  targetFlags,
  targetOf,
  textsOf,
} from './flags.ts';

type Run = (verb: (common: CommonOptions, ports: Ports) => Promise<number>) => (given: Given) => Promise<void>;

/** Adds the verb. */
export function addAnalyze(program: Command, io: Io, run: Run): void {
  targetFlags(shardFlag(clusterFlags(gitFlags(program.command('analyze')))))
    .description('what metrics say of the step: the new version against the one before; writes nothing')
    .argument('<name>', ROLLOUT_NAME)
    .option('--analysis <name...>', 'only these Analyses (default: all of the files)')
    .action((name: string, given: Given) =>
      run(async (common, ports) => {
        const { analyze } = await import('./analyze.ts');
        const options = { ...common, ...targetOf(name, given), analyses: textsOf(given, 'analysis') };
        return analyze(options, ports, io);
      })(given),
    );
}
