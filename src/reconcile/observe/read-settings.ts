/** Which configuration counts: that of the branch that passes go by, and an earlier one of it where that is wrong. */

import { type Config, DEFAULT_CONFIG } from '../../api/config.ts';
import { isOwnBranch } from '../../api/own-branches.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import type { Git, Oid, Tree } from '../../ports/git.ts';
import { branchesInCircle, ledAstray, ownBranch, sameBranch } from '../documents/branch-faults.ts';
import { flagsOver } from '../documents/called.ts';
import { CONFIG_REQUEST, headOf } from '../documents/desired-branch.ts';
import { ConfigError, configOf } from '../documents/read-config.ts';
import type { Overrides, PassOptions } from '../pass.ts';
import { shardBranch } from '../shard-branches.ts';

/** Makes a configuration of the tree that was read for it. */
type ReadConfig = (tree: Tree, overrides: Overrides, known?: KnownTexts) => Config | Promise<Config>;

/** The configuration of a commit, or what counts where that is wrong, with the command line's word over it. Throws ConfigError. */
export async function readConfig(
  git: Git,
  commit: Oid,
  overrides: Overrides,
  astray?: readonly string[],
): Promise<Config> {
  return configOrEarlier(git, astray)(await git.readAt(commit, CONFIG_REQUEST), overrides);
}

/**
 * How a pass reads it: where the file itself is judged, one that is wrong ends the pass. `astray`: branches that it must not name
 * as the desired one, for they are not there, or lead back.
 */
export function configFor(git: Git, { config }: Pick<PassOptions, 'config'>, astray?: readonly string[]): ReadConfig {
  return config === 'asWritten' ? configIn : configOrEarlier(git, astray);
}

/** The configuration in a tree that was read for it. Throws ConfigError. */
export function configIn(tree: Tree, overrides: Overrides, known?: KnownTexts): Config {
  return overridden(configOf(tree, known), overrides);
}

/**
 * The same for passes, orders and looks: a slip in the file must keep neither a rollback, whichever Rollout it is of, nor who looks
 * what to do. Its faults are those of every Rollout, so that no step goes forward, and an earlier version says the rest. Throws ConfigError.
 */
function configOrEarlier(git: Git, astray: readonly string[] = []): ReadConfig {
  return async (tree, overrides, known) => {
    const { branch, statusBranch } = overrides;
    if (branch !== undefined && (isOwnBranch(branch) || branch === statusBranch))
      return overridden(DEFAULT_CONFIG, overrides);
    const read = (of: Tree): Config => leading(configIn(of, overrides, known), astray);
    try {
      return read(tree);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const { earlierConfig } = await import('../history/earlier-config.ts');
      const made = (config: Config): Config => leading(overridden(config, overrides), astray);
      return earlierConfig(git, { tree, error, overrides, read, made });
    }
  };
}

function leading(config: Config, astray: readonly string[]): Config {
  if (astray.includes(config.branch)) throw ledAstray(config.branch);
  return config;
}

function overridden({ lines, ...config }: Config, overrides: Overrides): Config {
  const flags = flagsOver(config, overrides);
  const [branch, status] = [overrides.branch ?? config.branch, overrides.statusBranch ?? config.statusBranch];
  const statusBranch = shardBranch(status, overrides.shard);
  if (isOwnBranch(branch)) throw ownBranch(branch);
  if (branch === status || branch === statusBranch) throw sameBranch(branch);
  return {
    ...config,
    ...(flags === undefined ? {} : { flags }),
    ...(lines === undefined || overrides.paths !== undefined ? {} : { lines }),
    branch,
    statusBranch,
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
  astray: readonly string[] = [],
): Promise<{ readonly main: Oid; readonly config: Config }> {
  let branch = overrides.branch ?? DEFAULT_CONFIG.branch;
  const branches = [branch];
  while (branches.length <= HOPS_MOST) {
    const [head] = await git.heads([branch]);
    // A file has led there. One that is not there is taken for a slip once.
    if (head === undefined && branches.length > 1 && astray.length === 0) return desiredHead(git, overrides, [branch]);
    const main = headOf(branch, head);
    const config = await readConfig(git, main, overrides, astray);
    if (config.branch === branch) return { main, config };
    branches.push(config.branch);
    branch = config.branch;
  }
  throw branchesInCircle(branches);
}
