/** The command line: verbs and their options. What a verb does is loaded only when it is called. */

import { Command, CommanderError } from 'commander';
import { type CommonOptions, commonOptions, EXIT, type Io, UsageError, VERSION } from '../options.ts';
import type { Intent } from '../reconcile/intent.ts';
import type { Ports } from '../reconcile/pass.ts';

type Given = Readonly<Record<string, unknown>>;
type Verb = (common: CommonOptions, ports: Ports, given: Given) => Promise<number>;

/** Runs one call of the command line and returns its exit code; errors are said on `io.err`. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.ok;
  const program = new Command('tranche')
    .description('Progressive delivery of LeaderWorkerSets through Git commits')
    .version(VERSION);
  program.exitOverride().configureOutput({ writeOut: io.out, writeErr: io.err });
  const run = (verb: Verb) => async (given: Given) => {
    const { openPorts } = await import('../wiring.ts');
    const common = commonOptions(given, io);
    code = await verb(common, openPorts(common, io), given);
  };
  addLooking(program, io, run);
  addOrders(program, io, run);
  addOthers(program, io, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, io);
  }
}

type Run = (verb: Verb) => (given: Given) => Promise<void>;

function addLooking(program: Command, io: Io, run: Run): void {
  cluster(
    git(program.command('reconcile').description('one pass over all Rollouts: write the next steps and the status')),
  )
    .option('--watch', 'go on until stopped')
    .option('--save-pass <dir>', 'save what was read and decided, for replay')
    .option('--only <name...>', 'only these Rollouts')
    .action(
      run(async (common, ports, given) => {
        const { reconcile } = await import('./reconcile.ts');
        return reconcile(
          {
            ...common,
            watch: given['watch'] === true,
            savePass: textOf(given, 'savePass'),
            only: textsOf(given, 'only'),
          },
          ports,
          io,
        );
      }),
    );
  cluster(git(program.command('plan').description('the same pass without writing: decision, holds, diff, message')))
    .option('--save-pass <dir>', 'save what was read and decided, for replay')
    .option('--only <name...>', 'only these Rollouts')
    .action(
      run(async (common, ports, given) => {
        const { plan } = await import('./plan.ts');
        return plan({ ...common, savePass: textOf(given, 'savePass'), only: textsOf(given, 'only') }, ports, io);
      }),
    );
  const status = cluster(
    git(
      program.command('status').description('where the Rollouts stand: a table, or the tree of one').argument('[name]'),
    ),
  );
  status
    .option('-n, --namespace <namespace>')
    .option('--live', 'read the cluster now instead of the status branch')
    .action((name: unknown, given: Given) =>
      run(async (common, ports) => {
        const verb = await import('./status.ts');
        return verb.status(
          {
            ...common,
            name: typeof name === 'string' ? name : '',
            namespace: textOf(given, 'namespace') ?? '',
            live: given['live'] === true,
          },
          ports,
          io,
        );
      })(given),
    );
  git(
    program.command('lint').description('every problem of the files, with file and line; exit code 1 if there is one'),
  ).action(
    run(async (common, ports) => {
      const { lint } = await import('./lint.ts');
      return lint(common, ports, io);
    }),
  );
}

function addOrders(program: Command, io: Io, run: Run): void {
  const order = (
    name: string,
    description: string,
    wish: (given: Given, extra: unknown) => Intent,
    extra?: string,
  ): Command => {
    const command = git(program.command(name).description(description).argument('<name>', 'the Rollout'));
    if (extra !== undefined) command.argument(extra);
    return command
      .option('-n, --namespace <namespace>')
      .option('--by <who>', 'who orders it, for the commit')
      .action((rollout: string, ...rest: unknown[]) => {
        const given = rest.find(isGiven) ?? {};
        return run(async (common, ports) => {
          const { intent } = await import('./order.ts');
          return intent(wish(given, rest[0]), orderOptions(common, rollout, given), ports, io);
        })(given);
      });
  };
  order('approve', 'end the pause of the current step', (given) => ({
    kind: 'approve',
    step: numberOf(textOf(given, 'step'), '--step'),
  })).option('--step <k>', 'refuse if another step is current');
  order(
    'jump',
    'go on to a later step without the ones between',
    (_, step) => ({ kind: 'jump', step: numberOf(step, '<step>') ?? 0 }),
    '<step>',
  );
  order('abort', 'give the release up and go back to the stable version', () => ({ kind: 'abort' }));
  order('retry', 'deliver an aborted release after all', (given) => ({
    kind: 'retry',
    release: textOf(given, 'release'),
  })).option('--release <release>', 'which one, as 9c41d2e0.7');
  order('pause', 'no step forward until resumed', () => ({ kind: 'pause' }));
  order('resume', 'end a pause of the whole Rollout', () => ({ kind: 'resume' }));
  order('acknowledge', 'accept that main was rewritten', () => ({ kind: 'acknowledge' }));
  git(
    program
      .command('eject')
      .description('hand a workload back: annotations removed, partition 0')
      .argument('<name>', 'the Rollout, or the LeaderWorkerSet where no Rollout is left'),
  )
    .option('-n, --namespace <namespace>')
    .option('--by <who>', 'who orders it, for the commit')
    .option('--abort', 'put the stable template back')
    .option('--partition <n>', 'how far the template of Git may go')
    .action((rollout: string, given: Given) =>
      run(async (common, ports) => {
        const { eject } = await import('./order.ts');
        const wish = { abort: given['abort'] === true, partition: numberOf(textOf(given, 'partition'), '--partition') };
        return eject(wish, orderOptions(common, rollout, given), ports, io);
      })(given),
    );
}

function addOthers(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('replay')
    .description('decide saved passes again, without Git, cluster or clock')
    .argument('<dir>')
    .action(async (folder: string) => {
      const { replay } = await import('./replay.ts');
      done(await replay(folder, io));
    });
}

/** Options of every verb that reads the repository. */
function git(command: Command): Command {
  return command
    .option('--repo <where>', 'URL or path of the repository (TRANCHE_REPO; default: this folder)')
    .option('--branch <name>', 'the branch that the agent applies (default: main)')
    .option('--status-branch <name>', 'where the status is kept (default: tranche-status)')
    .option('--cluster <name>', 'the name of the cluster in records and trailers (default: default)')
    .option('--path <path...>', 'files and folders to read (default: all)')
    .option('--output <format>', 'text or json', 'text');
}

function cluster(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'credentials of the cluster (KUBECONFIG; default: in-cluster, else ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--in-cluster', 'only the service account of this pod');
}

function orderOptions(common: CommonOptions, name: string, given: Given) {
  return { ...common, target: { name, namespace: textOf(given, 'namespace') ?? '' }, by: textOf(given, 'by') ?? '' };
}

function textOf(given: Given, key: string): string | undefined {
  const value = given[key];
  return typeof value === 'string' ? value : undefined;
}

function textsOf(given: Given, key: string): readonly string[] {
  const value = given[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function numberOf(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^(0|[1-9][0-9]{0,6})$/.test(value)) return Number(value);
  throw new UsageError(`${name} is ${JSON.stringify(value)}, wanted a whole number`);
}

function isGiven(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !(value instanceof Command);
}

/** What went wrong, for people; usage and configuration are 2, the rest 1. */
async function exitCodeOf(error: unknown, io: Io): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof UsageError) {
    io.err(`error: ${error.message}\n`);
    return EXIT.usage;
  }
  if (error instanceof Error && error.name === 'ConfigError') {
    io.err(`${error.message}\n`);
    return EXIT.usage;
  }
  const { explain } = await import('../reconcile/explain.ts');
  io.err(`error: ${explain(error)}\n`);
  return EXIT.failed;
}
