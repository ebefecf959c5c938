/** Completion for shells: the scripts that people source, and the words that those ask for. */

import type { Command } from 'commander';
import { type CommonOptions, commonOptions, type Io, UsageError } from '../options.ts';
import { desiredOf } from '../reconcile/desired/desired.ts';
import { desiredRequest } from '../reconcile/documents/desired-branch.ts';
import { readConfig } from '../reconcile/observe/read-settings.ts';
import type { Ports } from '../reconcile/pass.ts';

/** Each asks the program for words, so that they are those of this version and of this repository. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# source <(tranche completion bash)
_tranche() {
  local IFS=$'\\n'
  COMPREPLY=($(tranche complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _tranche tranche
`,
  zsh: `#compdef tranche
# source <(tranche completion zsh)
_tranche() {
  local -a found
  found=("\${(@f)$(tranche complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _tranche tranche
`,
  fish: `# tranche completion fish | source
complete -c tranche -f -a '(tranche complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};

/** The script for this shell. Throws UsageError for another one. */
export function completionScript(shell: string): string {
  const script = SCRIPTS[shell];
  if (script === undefined) throw new UsageError(`there is no completion for ${shell}, wanted bash, zsh or fish`);
  return script;
}

/**
 * What the last of these words may become: verbs, options of the verb, values of an option or argument with a choice, names
 * of Rollouts. Nothing where no name can be read: a shell shows no errors.
 */
export async function wordsFor(program: Command, typed: readonly string[], io: Io): Promise<readonly string[]> {
  const last = typed.at(-1) ?? '';
  const before = typed.slice(0, -1);
  const found = await wordsAfter(program, before, last, io);
  return found.filter((word) => word.startsWith(last)).sort();
}

async function wordsAfter(
  program: Command,
  before: readonly string[],
  last: string,
  io: Io,
): Promise<readonly string[]> {
  const { command, rest } = verbOf(program, before);
  if (last.startsWith('-')) return command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])));
  const previous = rest.at(-1) ?? '';
  const option = command.options.find(({ long, short }) => previous !== '' && [long, short].includes(previous));
  if (option !== undefined && (option.required || option.optional)) return option.argChoices ?? [];
  const verbs = command.commands.map((one) => one.name()).filter((name) => name !== 'complete');
  if (verbs.length > 0) return verbs;
  const [argument] = command.registeredArguments;
  const isGiven = rest.some((word) => !word.startsWith('-'));
  if (argument === undefined || isGiven) return [];
  return argument.argChoices ?? (argument.name() === 'name' ? namesIn(rest, io) : []);
}

/** The verb, or the verb of a verb, that is typed, and what stands behind it. */
function verbOf(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const [word, ...rest] = words;
  const next = program.commands.find((one) => one.name() === word);
  return next === undefined ? { command: program, rest: words } : verbOf(next, rest);
}

/** Names of Rollouts in the files of the clone; with the namespace where two have one name. */
async function namesIn(rest: readonly string[], io: Io): Promise<readonly string[]> {
  const given = rest.indexOf('--repo');
  try {
    const common = commonOptions(given < 0 ? {} : { repo: rest[given + 1] }, { ...io, env: {} });
    const { openFiles } = await import('../wiring.ts');
    const { ports, ref } = await openFiles(common, io, undefined);
    return await readNames(common, ports, ref);
  } catch {
    return [];
  }
}

async function readNames(
  { overrides }: CommonOptions,
  { git }: Ports,
  ref: string | undefined,
): Promise<readonly string[]> {
  // A repository elsewhere is not asked at each press of a key.
  if (ref === undefined) return [];
  git.begin();
  const [head] = await git.heads([ref]);
  if (head === undefined) return [];
  const config = await readConfig(git, head, overrides);
  const { rollouts } = desiredOf(await git.readAt(head, desiredRequest(config.paths)), config, new Map());
  const names = rollouts.map(({ key }) => key.name);
  return rollouts.map(({ key: { namespace, name } }) =>
    names.filter((other) => other === name).length > 1 ? `${namespace}/${name}` : name,
  );
}
