/** The words of `tranche simulate` on the command line. What they mean is loaded only when it is called. */

import type { Command } from 'commander';
import type { Io } from '../../options.ts';

/** Adds the verb; `done` gets its exit code. */
export function addSimulate(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('simulate')
    .description('what LWS will do with a change of a manifest, stage by stage; needs no repository and no cluster')
    .argument(
      '[files...]',
      'the manifest with the LeaderWorkerSet, taken to be at rest with every group ready; or a Rollout of canary, blueGreen or with routes, and the files of what it names, for the commits of a release',
    )
    .option('--set <key=value>', 'image, leader.image or worker.image: of all containers there (repeatable)', add)
    .option('--replicas <n>', 'groups')
    .option('--partition <n>', 'ordinals below it keep the old version')
    .option('--max-surge <n>', 'a number or a percentage')
    .option('--max-unavailable <n>', 'a number or a percentage')
    .option('--name <name>', 'which LeaderWorkerSet, where the file has several')
    .option('--ready-order <ordinals>', 'groups that become ready before others, as 4,5,3 (default: the highest first)')
    .option('--scenario <file>', 'run a scenario in the format of fixtures/lws-traces instead')
    .option('--lws <version>', '0.6, 0.8 or 0.10 (default: 0.10, or as the scenario says)')
    .option(
      '--gate <state>',
      'MaxUnavailableStatefulSet of the cluster, on, off or on-1.37 (default: off, or as the scenario says)',
    )
    .option('--output <format>', 'text, markdown or json', 'text')
    .action(async (files: readonly string[], given: Readonly<Record<string, unknown>>) => {
      const { simulate } = await import('../simulate.ts');
      done(await simulate(files, given, io));
    });
}

function add(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
