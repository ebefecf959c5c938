/** What people type who know other tools, and what is typed here: said below the error of the command line. */

import { type Command, CommanderError } from 'commander';

type Hint = {
  /** What was typed: a verb, or an option after one. */
  readonly typed: RegExp;
  readonly say: string;
};

const STATUS = 'where the Rollouts stand is: tranche status [NAME]';
const UNDO = 'of a delivery in progress that is: tranche abort NAME; of a release that has settled: tranche undo NAME';

/** The first that fits is said; `typed` is matched against the words of the command line, without the program. */
const HINTS: readonly Hint[] = [
  { typed: /^(get|list|ls|describe|top|show|rollouts?)(?= |$)/, say: STATUS },
  { typed: /^(logs?|events?)\b/, say: 'what became of each release is: tranche history [NAME]' },
  { typed: /^(promote|continue|next|unpause)\b/, say: 'the pause of a step is ended by: tranche approve NAME' },
  { typed: /^(rollback|revert|back)\b/, say: UNDO },
  { typed: /^(apply|run|sync|start|deploy)\b/, say: 'one pass over all Rollouts is: tranche reconcile' },
  { typed: /^(diff|preview|dry-run)\b/, say: 'what the next pass would write is: tranche plan' },
  { typed: /^(validate|check|test)\b/, say: 'every problem of the files is listed by: tranche lint' },
  { typed: /^(set|restart|scale|edit|patch)\b/, say: 'change the manifest in Git: the next pass delivers it in steps' },
  { typed: /^(version|-v)\b/, say: 'the version is: tranche --version' },
  {
    typed: /^(delete|remove|uninstall|leave)\b/,
    say: 'tranche leaves a workload, which stays, by: tranche eject NAME',
  },
  { typed: /^(config|login|auth|setup|install|upgrade)\b/, say: 'what a repository needs is named by: tranche init' },
  { typed: /^(--[a-z-]+[= ]|-n\b)/, say: 'options stand behind the verb, as in: tranche status --repo URL' },
  { typed: /^\S+ .*--dry-run\b/, say: 'tranche plan writes nothing: it is the same pass without its commits' },
  { typed: /^\S+ (.* )?-o( |=|$)/, say: 'the format is: --output json' },
  { typed: /^(plan|reconcile) (.* )?(-n|--namespace)\b/, say: 'one Rollout of a namespace is: --only NAMESPACE/NAME' },
  { typed: /^lint (.* )?(-f|--file|-d)\b/, say: 'the files and folders to read are: tranche lint --path PATH' },
  { typed: /^\S+ .*(-w|--watch)\b/, say: 'a process that goes on from pass to pass is: tranche reconcile --watch' },
  {
    typed: /^\S+ (.* )?(-A|--all|--all-namespaces)( |$)/,
    say: 'without a name and -n all Rollouts are meant, where the verb takes several: tranche status',
  },
  {
    typed: /^\S+ (.* )?(-y|--yes|-f|--force)( |$)/,
    say: 'nothing is asked before an order, and nothing is forced: leave it out',
  },
  { typed: /^\S+ (.* )?(--interval|--every)\b/, say: 'how often a process looks is intervalSeconds in tranche.yaml' },
  { typed: /^jump (.* )?--step\b/, say: 'the step comes after the name: tranche jump NAME STEP' },
  { typed: /^approve \S+ (step )?\d/, say: 'a later step is reached by: tranche jump NAME STEP' },
  { typed: /^stop [a-z]/, say: 'stop is for all Rollouts; one is held by: tranche pause NAME' },
  { typed: /^go [a-z]/, say: 'go is for all Rollouts; one goes on by: tranche resume NAME' },
  { typed: /^stop \d+[smhd]\b/, say: 'how long is said by --until, as in: tranche stop --until 2h' },
  {
    typed: /^pause \S+ [^-]/,
    say: 'a pause lasts until: tranche resume NAME; of all Rollouts for a time: tranche stop --until 2h',
  },
  { typed: /^init [^-]/, say: 'the files and folders to look at are: tranche init --path PATH' },
  { typed: /^policy [^-]/, say: 'what policies say of a Rollout is: tranche policy explain NAME' },
  { typed: /^(plan|reconcile) [^-]/, say: 'one Rollout alone is: --only NAME' },
  { typed: /^lint [^-]/, say: 'the files and folders to read are: tranche lint --path PATH' },
];

/** Errors of the command line that a word of another tool explains. */
const EXPLAINED: ReadonlySet<string> = new Set([
  'commander.unknownCommand',
  'commander.unknownOption',
  'commander.excessArguments',
]);

/** Errors that say what is missing, but not where it goes. */
const UNPLACED: ReadonlySet<string> = new Set([
  ...EXPLAINED,
  'commander.missingArgument',
  'commander.optionMissingArgument',
]);

/**
 * A line for the one who typed it: what is typed here in place of these words, else what the verb takes; undefined: the error
 * says what to type, as in "Did you mean".
 */
export function hintOf(argv: readonly string[], error: unknown, program: Command): string | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  // Of a word that is no verb commander prints the help of what stands before it, and not the word.
  const topic = unknownTopic(program, argv);
  if (error.code === 'commander.help' && topic !== undefined)
    return `error: unknown command '${topic}'\nhint: the verbs are listed above\n`;
  if (!UNPLACED.has(error.code)) return undefined;
  if (argv.some((word) => word.trim() === ''))
    return 'hint: one word is empty, as that of a variable which is not set\n';
  const words = argv.join(' ');
  const found = EXPLAINED.has(error.code) ? HINTS.find(({ typed }) => typed.test(words)) : undefined;
  if (found !== undefined) return `hint: ${found.say}\n`;
  return error.message.includes('Did you mean') ? undefined : `hint: ${usageOf(calledIn(program, argv))}\n`;
}

/** Whether it is a verb of another tool: one of ours that is spelled alike would be a second guess, and a wrong one. */
export function isOfAnotherTool(verb: string | undefined): boolean {
  return HINTS.some(({ typed }) => typed.test(verb ?? ''));
}

/** The word after `help` that is no verb; undefined: there is none, or it is one. */
function unknownTopic(command: Command, [word, ...more]: readonly string[]): string | undefined {
  const called = command.commands.find((one) => one.name() === word);
  if (called !== undefined) return unknownTopic(called, more);
  const [topic] = more;
  if (word !== 'help' || topic === undefined) return undefined;
  return command.commands.some((one) => one.name() === topic) ? undefined : topic;
}

/** The verb that was called, or the program. */
function calledIn(command: Command, [word, ...more]: readonly string[]): Command {
  const called = command.commands.find((one) => one.name() === word);
  return called === undefined ? command : calledIn(called, more);
}

/** How it is called, and where its options are listed. */
function usageOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  const name = names.join(' ');
  if (command.commands.length > 0) return `the verbs are listed by: ${name} --help`;
  return `it is called as: ${name} ${command.usage()}; its options are listed by: ${name} --help`;
}
