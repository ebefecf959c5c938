/** `tranche analyze` on the command line. */

import type { Command } from 'commander';
import { type CommonOptions, type Io, UsageError } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import {
  clusterFlags,
  type Given,
  gitFlags,
  giverFlags,
  ROLLOUT_NAME,
  shardFlag,
  targetFlags,
  targetOf,
  textOf,
  textsOf,
} from './flags.ts';

type Run = (
  verb: (common: CommonOptions, ports: Ports) => Promise<number>,
  writes?: boolean,
) => (given: Given) => Promise<void>;

/** Days of the past that are tried where nobody says how many; and how many at the most. */
const DAYS = 7;
const DAYS_MOST = 28;

/** Adds the verb. */
export function addAnalyze(program: Command, io: Io, run: Run): void {
  giverFlags(targetFlags(shardFlag(clusterFlags(gitFlags(program.command('analyze'))))))
    .description('what metrics say of the step: the new version against the one before')
    .argument('<name>', ROLLOUT_NAME)
    .option('--analysis <name...>', 'only these Analyses (default: all of the files)')
    .option('--check', 'whether each leader has the series, and what a step could tell at the traffic of now')
    .option(
      '--backtest [days]',
      `how often it would have called a group worse in the past (default: ${DAYS}d, at most ${DAYS_MOST}d)`,
    )
    .option('--enable', 'the same, and if never: let a failure roll back, by an annotation of the Rollout')
    .action((name: string, given: Given) =>
      run(async (common, ports) => {
        const options = { ...common, ...targetOf(name, given), analyses: textsOf(given, 'analysis') };
        const days = daysOf(given['backtest']);
        if (given['enable'] === true) {
          const [{ enableAnalysis }, { giverOf }] = await Promise.all([
            import('./analyze-past.ts'),
            import('../wiring.ts'),
          ]);
          const giver = await giverOf(common, io, textOf(given, 'by'));
          const pullRequest = given['pullRequest'] === true;
          return enableAnalysis({ ...options, ...giver, pullRequest, days: days ?? DAYS }, ports, io);
        }
        if (given['check'] === true) {
          const { analyzeCheck } = await import('./analyze-check.ts');
          return analyzeCheck(options, ports, io);
        }
        if (days !== undefined) {
          const { analyzePast } = await import('./analyze-past.ts');
          return analyzePast({ ...options, days }, ports, io);
        }
        const { analyze } = await import('./analyze.ts');
        return analyze(options, ports, io);
      }, given['enable'] === true)(given),
    );
}

/** undefined: the past is not asked for. Throws UsageError. */
function daysOf(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (given === true) return DAYS;
  const [, digits] = /^([1-9][0-9]?)d$/.exec(typeof given === 'string' ? given : '') ?? [];
  const days = Number(digits);
  if (digits === undefined || days > DAYS_MOST)
    throw new UsageError(`--backtest is ${JSON.stringify(given)}, wanted days as 7d, at most ${DAYS_MOST}d`);
  return days;
}
