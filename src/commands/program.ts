/** The command line: verbs and their options. What a verb does is loaded only when it is called. */

import { Argument, Command, Option } from 'commander';
import { jsonText, printable } from '../api/printable.ts';
import { type CommonOptions, commonOptions, EXIT, type Io, VERSION } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import { addAnalyze } from './analyze-verb.ts';
import { addCarry } from './carry.ts';
import { exitCodeOf } from './exit-code.ts';
import {
  AFTER_HELP,
  clusterFlags,
  type Given,
  gitFlags,
  namesOf,
  ROLLOUT_NAME,
  refuseEmpty,
  shardFlag,
  targetFlags,
  targetOf,
  textOf,
} from './flags.ts';
import { hintOf, isOfAnotherTool } from './hints.ts';
import { addHistory } from './history.ts';
import { addInit } from './init-verb.ts';
import { unlessInterrupted } from './interrupted.ts';
import { addLine } from './line-verbs.ts';
import { addEject, addOrders, addShowStable } from './order-verbs.ts';
import { addPage } from './page-verb.ts';
import { addPolicy } from './policy/verb.ts';
import { addRoots } from './roots-verb.ts';
import { withNewSecrets, withoutMisplaced, withSecretFiles } from './secret-files.ts';
import { addSimulate } from './simulate/verb.ts';
import { addStatusKey } from './status-key.ts';
import { versionText } from './version.ts';
import type { Renew } from './watch-options.ts';

type Verb = (common: CommonOptions, ports: Ports, given: Given, renew: Renew) => Promise<number>;

/** Runs one call of the command line and returns its exit code; errors are said on `io.err`. */
export async function runProgram(argv: readonly string[], terminal: Io): Promise<number> {
  if (argv.length !== 1 || !/^(-V|--version)$/.test(argv[0] ?? '')) return runLine(argv, terminal);
  terminal.out(`${await versionText()}\n`);
  return EXIT.ok;
}

async function runLine(argv: readonly string[], terminal: Io): Promise<number> {
  const io = cleaned(terminal);
  let code: number = EXIT.ok;
  const program = new Command('tranche')
    .description('Progressive delivery of LeaderWorkerSets through Git commits')
    .version(VERSION)
    .addHelpText('after', AFTER_HELP);
  let isHelped = false;
  const writeOut = (text: string): void => {
    isHelped = true;
    io.out(text);
  };
  program.exitOverride().configureOutput({ writeOut, writeErr: io.err });
  program.hook('preAction', (_, command) => refuseEmpty(command));
  const run: Run =
    (verb, writes = false) =>
    async (given) => {
      const { meant, openPorts } = await import('../wiring.ts');
      const common = await meant(commonOptions(given, io), io, writes);
      let known = withSecretFiles(io);
      const renew: Renew = () => {
        const now = withNewSecrets(io, known);
        known = now ?? known;
        return now === undefined ? undefined : openPorts(common, now);
      };
      code = await unlessInterrupted(io, verb(common, openPorts(common, known), given, renew));
    };
  const done = (result: number): void => {
    code = result;
  };
  addPasses(program, io, { run, done });
  // The other verbs are only of interest for help and to each other, and take as long to add as a pass takes to start.
  if (argv[0] !== 'reconcile') addOthers(program, { io, terminal, run, done });
  program.showSuggestionAfterError(!isOfAnotherTool(argv[0]));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Of `help` commander makes the exit code that the process would have: that of one without an answer.
    const hint = hintOf(argv, error, program);
    if (hint !== undefined) io.err(hint);
    return isHelped ? EXIT.ok : exitCodeOf(error, io);
  }
}

type Rest = {
  readonly io: Io;
  readonly terminal: Io;
  readonly run: Run;
  readonly done: (code: number) => void;
};

function addOthers(program: Command, { io, terminal, run, done }: Rest): void {
  addInit(program, io, done);
  addStatus(program, { io, terminal, run });
  addOrders(program, io, run);
  addEject(program, io, run);
  addShowStable(program, io, run);
  addAnalyze(program, io, run);
  addHistory(program, io, run);
  addPage(program, io, { run, done });
  addLine(program, io, run);
  addPolicy(program, io, { run, done });
  gitFlags(program.command('preflight').description('what the rules of the forge make of a delivery')).action(
    run(async (common, ports) => (await import('./preflight.ts')).preflightVerb(common, ports, io)),
  );
  addRoots(program, io, done);
  addCarry(program, io, done);
  addStatusKey(program, io);
  addSchema(program, io);
  addCompletion(program, io);
  addReplay(program, io, done);
  addSimulate(program, io, done);
  addDemo(program, terminal, done);
}

/** Names, messages and diffs come from repositories and clusters: none of them may act on a terminal. */
function cleaned(io: Io): Io {
  return { ...withoutMisplaced(io), out: (text) => io.out(printable(text)), err: (text) => io.err(printable(text)) };
}

/** `writes`: the verb pushes. */
type Run = (verb: Verb, writes?: boolean) => (given: Given) => Promise<void>;

function addPasses(program: Command, io: Io, { run, done }: Pick<Rest, 'run' | 'done'>): void {
  const pass = (name: string, description: string): Command =>
    shardFlag(clusterFlags(gitFlags(program.command(name).description(description))))
      .option('--save-pass <dir>', 'save what was read and decided, for replay')
      .option('--only <name...>', 'only these Rollouts: name, or namespace/name');
  const chosen = (given: Given) => ({ savePass: textOf(given, 'savePass'), only: namesOf(given, 'only') });
  pass('reconcile', 'one pass over all Rollouts: write the next steps and the status')
    .option('--watch', 'go on until stopped, with one line a change')
    .option('--log <form>', 'lines of the log as text or json (default: text)')
    .option('--metrics-port <port>', 'with --watch: /metrics, /healthz and /readyz, on loopback or as ADDRESS:PORT')
    .option('--health-file <path>', 'with --watch: written after each successful pass')
    .option('--exit-after <seconds>', 'with --watch: end as failed after this time without a successful pass')
    .option('--heartbeat <target>', 'with --watch: a target of notifications that gets one after each successful pass')
    .action(
      run(async (common, ports, given, renew) => {
        const { reconcile } = await import('./reconcile.ts');
        const { probeOptions } = await import('./watch-options.ts');
        const watching = { watch: given['watch'] === true, probes: probeOptions(given) };
        return reconcile({ ...common, ...chosen(given), ...watching }, ports, io, renew);
      }, true),
    );
  pass('plan', 'the same pass without writing: decision, holds, diff, message').action(
    run(async (common, ports, given) => {
      const { plan } = await import('./plan.ts');
      return plan({ ...common, ...chosen(given) }, ports, io);
    }),
  );
  gitFlags(program.command('lint').description('every problem of the files, with file and line'))
    .option('--ref <ref>', 'a branch or a full ref, as refs/pull/1/merge (default: the files of the working tree)')
    .option('--base <commit>', 'what they are to be merged into: annotations that they bring are judged as verify does')
    .action(async (given: Given) => {
      const { lint } = await import('./lint.ts');
      const { openFiles } = await import('../wiring.ts');
      const common = commonOptions(given, io);
      const { ports, ref, folder } = await openFiles(common, io, textOf(given, 'ref'));
      done(await lint({ ...common, ref, workingTree: folder, base: textOf(given, 'base') }, ports, io));
    });
}

/** A picture is drawn on the terminal itself. */
function addStatus(program: Command, { io, terminal, run }: Pick<Rest, 'io' | 'terminal' | 'run'>): void {
  targetFlags(shardFlag(clusterFlags(gitFlags(program.command('status')))))
    .description('where the Rollouts stand: a table, or the tree of one')
    .argument('[name]', ROLLOUT_NAME)
    .option('--live', 'read the cluster now instead of the status branch')
    .option('--watch', 'look again and again until stopped: drawn in place, or a line a change')
    .action((name: unknown, given: Given) =>
      run(async (common, ports) => {
        const { look, status } = await import('./status.ts');
        const target = targetOf(typeof name === 'string' ? name : '', given);
        const options = { ...common, ...target, live: given['live'] === true };
        if (given['watch'] !== true) return status(options, ports, io);
        const { watchStatus } = await import('./status-watch.ts');
        const again = () => {
          ports.git.begin();
          return look(options, ports);
        };
        return watchStatus(options, { look: again, clock: ports.clock, io: terminal });
      })(given),
    );
}

function addReplay(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('replay')
    .description('decide saved passes again, without Git, cluster or clock')
    .argument('<dir>', 'as given to --save-pass')
    .action(async (folder: string) => {
      const { replay } = await import('./replay.ts');
      done(await replay(folder, io));
    });
}

const strategyOption = (): Option =>
  new Option('--strategy <which>', 'its way').choices(['partition', 'canary', 'blueGreen']).default('partition');

function addSchema(program: Command, io: Io): void {
  const kinds = ['rollout', 'rollout-policy', 'route-provider', 'analysis', 'tranche'];
  program
    .command('schema')
    .description('the JSON Schema of a Rollout, RolloutPolicy, RouteProvider, Analysis or of tranche.yaml, for editors')
    .addArgument(new Argument('<what>', 'of what').choices(kinds))
    .action(async (what: string) => {
      const { SCHEMAS } = await import('./schema.ts');
      io.out(jsonText(SCHEMAS[what]?.()));
    });
}

function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .description('a script that completes verbs, options and names: source it')
    .addArgument(new Argument('<shell>', 'of which shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) => io.out((await import('./completion.ts')).completionScript(shell)));
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const found = await (await import('./completion.ts')).wordsFor(program, words, io);
      io.out(found.map((word) => `${word}\n`).join(''));
    });
}

/** Draws on the terminal itself, so it cleans its own texts. */
function addDemo(program: Command, terminal: Io, done: (code: number) => void): void {
  program
    .command('demo')
    .description('a whole delivery on a repository and a simulated cluster of its own')
    .addOption(strategyOption())
    .addOption(new Option('--layout <what>', 'of its repository').choices(['plain', 'kustomize']))
    .option('--traffic', 'with partition: a route, and a share of the requests for each step')
    .option('--fail', 'the new version breaks; someone aborts it')
    .option('--keep', 'leave the folder, to look around in it')
    .option('--serve', 'go on serving the API and applying main until stopped')
    .action(async (given: Given) => {
      const { demo, demoOptions } = await import('./demo.ts');
      done(await demo(demoOptions(given), terminal));
    });
}
