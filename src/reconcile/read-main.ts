/** Reads the head of main: the configuration first, then the files on its paths. */

import { parse } from 'yaml';
import { CONFIG_FILE, type Config, DEFAULT_CONFIG, parseConfig } from '../api/config.ts';
import type { Issue } from '../api/issue.ts';
import type { Git, Oid } from '../ports/git.ts';
import { type Desired, desiredOf, desiredRequest } from './desired.ts';
import type { Memory, Overrides } from './pass.ts';

/** The configuration is wrong: nothing is run at all. Exit code 2. */
export class ConfigError extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues.map((issue) => `${issue.file}:${issue.line}: ${issue.message}. ${issue.hint}`).join('\n'));
    this.name = 'ConfigError';
    this.issues = issues;
  }
}

/** The configuration as it is in a commit, with the command line's word over it. */
export async function readConfig(git: Git, commit: Oid, overrides: Overrides): Promise<Config> {
  const tree = await git.readAt(commit, { paths: [CONFIG_FILE], suffixes: [], markers: [] });
  const [file] = tree.files;
  const config = file === undefined ? DEFAULT_CONFIG : configOf(file.content.kind === 'text' ? file.content.text : '');
  return {
    ...config,
    branch: overrides.branch ?? config.branch,
    statusBranch: overrides.statusBranch ?? config.statusBranch,
    cluster: overrides.cluster ?? config.cluster,
    paths: overrides.paths ?? config.paths,
  };
}

function configOf(text: string): Config {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new ConfigError([
      issue(
        '',
        'UnparsableYaml',
        error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
        'Correct the YAML.',
      ),
    ]);
  }
  const { config, faults } = parseConfig(value);
  if (faults.length > 0)
    throw new ConfigError(
      faults.map((fault) => issue(fault.at.join('.'), fault.reason, fault.message, fault.hint, lineOf(text, fault.at))),
    );
  return config;
}

/** The line of the innermost key of the fault that is written down; the file is flat enough for this to be right. */
function lineOf(text: string, at: readonly string[]): number {
  const lines = text.split('\n');
  for (const key of [...at].reverse()) {
    const index = lines.findIndex(
      (line) => line.trimStart().startsWith(`${key}:`) || line.trimStart().startsWith(`"${key}":`),
    );
    if (index >= 0) return index + 1;
  }
  return 1;
}

function issue(path: string, reason: string, message: string, hint: string, line = 1): Issue {
  return { file: CONFIG_FILE, line, path, reason, message, hint };
}

/** Everything that main asks for. */
export async function readDesired(
  git: Git,
  commit: Oid,
  at: { readonly config: Config; readonly memory: Memory },
): Promise<Desired> {
  const tree = await git.readAt(commit, desiredRequest(at.config.paths));
  return desiredOf(tree, at.config, at.memory.parsed);
}
