/** Reads the head of main: the configuration first, then the files on its paths. */

import { LineCounter, parseDocument } from 'yaml';
import { CONFIG_FILE, type Config, DEFAULT_CONFIG, parseConfig } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import type { Git, Oid, Tree, TreeFile } from '../../ports/git.ts';
import { newTrials } from '../lint/trials.ts';
import type { Memory, Overrides } from '../pass.ts';
import { shardBranch } from '../shard.ts';
import { flagsOver } from './called.ts';
import { type Desired, desiredOf } from './desired.ts';
import { CONFIG_REQUEST, desiredRequest, headOf } from './desired-branch.ts';
import type { Ahead } from './read-ahead.ts';
import { routesTraffic, trafficRequest, withTraffic } from './read-traffic.ts';

/** The configuration is wrong: nothing is run at all. Exit code 2. */
export class ConfigError extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues.map((found) => `${found.file}:${found.line}: ${found.message}. ${found.hint}`).join('\n'));
    this.name = 'ConfigError';
    this.issues = issues;
  }
}

/** The configuration as it is in a commit, with the command line's word over it. */
export async function readConfig(git: Git, commit: Oid, overrides: Overrides): Promise<Config> {
  return configIn(await git.readAt(commit, CONFIG_REQUEST), overrides);
}

/** The configuration in a tree that was read for it. Throws ConfigError. */
export function configIn({ files: [file] }: Tree, overrides: Overrides): Config {
  const config = file === undefined ? DEFAULT_CONFIG : configOf(file.content);
  const flags = flagsOver(config, overrides);
  return {
    ...config,
    ...(flags === undefined ? {} : { flags }),
    branch: overrides.branch ?? config.branch,
    statusBranch: shardBranch(overrides.statusBranch ?? config.statusBranch, overrides.shard),
    cluster: overrides.cluster ?? config.cluster,
    paths: overrides.paths ?? config.paths,
    auditSeconds: overrides.auditSeconds ?? config.auditSeconds,
  };
}

/** The default branch may name the desired one, and that one the status branch; who goes on is led in a circle. */
const HOPS_MOST = 3;

/**
 * The head of the desired branch, and the configuration as that branch itself has it: what a pass goes by. Throws
 * ConfigError, and PortError where a branch is not there.
 */
export async function desiredHead(
  git: Git,
  overrides: Overrides,
): Promise<{ readonly main: Oid; readonly config: Config }> {
  const branches: string[] = [];
  let branch = overrides.branch ?? DEFAULT_CONFIG.branch;
  while (branches.length < HOPS_MOST) {
    const [head] = await git.heads([branch]);
    const main = headOf(branch, head);
    const config = await readConfig(git, main, overrides);
    if (config.branch === branch) return { main, config };
    branches.push(config.branch);
    branch = config.branch;
  }
  throw branchesInCircle(branches);
}

/** Each of these branches was named as the desired one by the file on the one before. */
export function branchesInCircle(branches: readonly string[]): ConfigError {
  const [from, to] = branches.slice(-2);
  return new ConfigError([
    issue(
      'branches.desired',
      'BranchesInCircle',
      `the file on ${from} names ${to} as the desired branch, and the file on ${to} another one; who names none means ${DEFAULT_CONFIG.branch}`,
      'Write the same branches into both, or say --branch.',
    ),
  ]);
}

function configOf(content: TreeFile['content']): Config {
  if (content.kind === 'unreadable')
    throw new ConfigError([issue('', 'UnreadableFile', content.why, 'Make it UTF-8 text within the limit.')]);
  const text = content.kind === 'text' ? content.text : '';
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent', prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0]);
    throw new ConfigError([issue('', 'UnparsableYaml', `not YAML: ${error.message}`, 'Correct the file.', line)]);
  }
  const { config, faults } = parseConfig(plainOf(document));
  if (faults.length > 0) {
    const issues = faults.map((fault) =>
      issue(fault.at.join('.'), fault.reason, fault.message.trim(), fault.hint, lineOf(text, fault.at)),
    );
    throw new ConfigError(issues.sort((left, right) => left.line - right.line));
  }
  return config;
}

/** The value; aliases that repeat each other too often are refused by the parser. */
function plainOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      issue('', 'UnparsableYaml', `not usable: ${why}`, 'Write the values out, without aliases.'),
    ]);
  }
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

/** Everything that main asks for. `ahead`: the files of these paths are on their way already. */
export async function readDesired(
  git: Git,
  commit: Oid,
  at: { readonly config: Config; readonly memory: Memory; readonly ahead?: Ahead['desired'] },
): Promise<Desired> {
  const early = at.ahead !== undefined && isSame(at.ahead.paths, at.config.paths) ? at.ahead.tree : undefined;
  const tree = await (early ?? git.readAt(commit, desiredRequest(at.config.paths)));
  const { parsed } = at.memory;
  const trials = (at.memory.trials ??= newTrials());
  const desired = { ...(sameFiles(tree, at) ?? desiredOf(tree, at.config, parsed, trials.known)), trials };
  at.memory.desired = { tree, desired };
  if (!routesTraffic(desired)) return desired;
  const whole = await git.readAt(commit, trafficRequest(desiredRequest(at.config.paths), desired));
  return withTraffic(desired, whole, parsed);
}

/** What was made of the same files before: most commits of a repository change none that is of interest. */
function sameFiles(
  tree: Tree,
  { config, memory }: { readonly config: Config; readonly memory: Memory },
): Desired | undefined {
  const before = memory.desired;
  if (before === undefined || before.tree.files.length !== tree.files.length) return undefined;
  if (JSON.stringify(before.desired.config) !== JSON.stringify(config)) return undefined;
  const isThere = ({ path, oid, mode, content }: TreeFile, at: number): boolean => {
    const file = before.tree.files[at];
    // Nothing is made of a file without a marker but its path.
    const isUnread = content.kind === 'skipped' && file?.content.kind === 'skipped';
    const isSameText = file?.oid === oid && file.mode === mode && file.content.kind === content.kind;
    return file?.path === path && (isUnread || isSameText);
  };
  if (!tree.files.every(isThere)) return undefined;
  const blobs = new Map(tree.files.map((file) => [file.path, file.oid]));
  return { ...before.desired, commit: tree.commit, blobs, folders: config.paths.includes('') ? [] : tree.folders };
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((path, i) => path === right[i]);
}
