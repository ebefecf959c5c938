/** What people type who know other tools, and what is typed here: said below the error of the command line. */

import { CommanderError } from 'commander';

type Hint = {
  /** What was typed: a verb, or an option after one. */
  readonly typed: RegExp;
  readonly say: string;
};

const STATUS = 'where the Rollouts stand is: tranche status [NAME]';
const UNDO = 'of a delivery in progress that is: tranche abort NAME; of a release that has settled: tranche undo NAME';

/** The first that fits is said; `typed` is matched against the words of the command line, without the program. */
const HINTS: readonly Hint[] = [
  { typed: /^(get|list|ls|describe|top|show|rollouts?)\b/, say: STATUS },
  { typed: /^(logs?|events?)\b/, say: 'what became of each release is: tranche history [NAME]' },
  { typed: /^(promote|continue|next|unpause)\b/, say: 'the pause of a step is ended by: tranche approve NAME' },
  { typed: /^(rollback|revert|back)\b/, say: UNDO },
  { typed: /^(apply|run|sync|start|deploy)\b/, say: 'one pass over all Rollouts is: tranche reconcile' },
  { typed: /^(diff|preview|dry-run)\b/, say: 'what the next pass would write is: tranche plan' },
  { typed: /^(validate|check|test)\b/, say: 'every problem of the files is listed by: tranche lint' },
  { typed: /^(set|restart|scale|edit|patch)\b/, say: 'change the manifest in Git: the next pass delivers it in steps' },
  { typed: /^version\b/, say: 'the version is: tranche --version' },
  { typed: /^\S+ .*--dry-run\b/, say: 'tranche plan writes nothing: it is the same pass without its commits' },
  { typed: /^\S+ (.* )?-o( |=|$)/, say: 'the format is: --output json' },
  { typed: /^(plan|reconcile) (.* )?(-n|--namespace)\b/, say: 'one Rollout of a namespace is: --only NAMESPACE/NAME' },
  { typed: /^lint (.* )?(-f|--file|-d)\b/, say: 'the files and folders to read are: tranche lint --path PATH' },
  { typed: /^\S+ .*(-w|--watch)\b/, say: 'a process that goes on from pass to pass is: tranche reconcile --watch' },
  { typed: /^(plan|reconcile) [^-]/, say: 'one Rollout alone is: --only NAME' },
  { typed: /^lint [^-]/, say: 'the files and folders to read are: tranche lint --path PATH' },
];

/** Errors of the command line that a word of another tool explains. */
const EXPLAINED: ReadonlySet<string> = new Set([
  'commander.unknownCommand',
  'commander.unknownOption',
  'commander.excessArguments',
]);

/** A line for the one who typed it; undefined: the error is another one, or nothing is known of these words. */
export function hintOf(argv: readonly string[], error: unknown): string | undefined {
  if (!(error instanceof CommanderError) || !EXPLAINED.has(error.code)) return undefined;
  if (argv.some((word) => word.trim() === ''))
    return 'hint: one word is empty, as that of a variable which is not set\n';
  const words = argv.join(' ');
  const found = HINTS.find(({ typed }) => typed.test(words));
  return found === undefined ? undefined : `hint: ${found.say}\n`;
}
