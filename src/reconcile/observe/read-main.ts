/** Reads the head of main: the configuration first, then the files on its paths. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { type Config, DEFAULT_CONFIG } from '../../api/config.ts';
import { LWS_KIND, ROUTE_PROVIDER_KIND } from '../../api/kinds.ts';
import { isOwnBranch } from '../../api/own-branches.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import { isKustomizationFile } from '../../manifests/parse-file.ts';
import { rootOfPatch } from '../../manifests/patch-place.ts';
import type { Builder } from '../../ports/builder.ts';
import type { Git, Oid, Tree, TreeFile } from '../../ports/git.ts';
import { desiredOf } from '../desired/desired.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import { routesTraffic, trafficContests, trafficRequest, withTraffic } from '../desired/read-traffic.ts';
import { newTrials } from '../desired/trials.ts';
import { branchesInCircle, ownBranch, sameBranch } from '../documents/branch-faults.ts';
import { flagsOver } from '../documents/called.ts';
import type { Contest, Firsts } from '../documents/claims.ts';
import { CONFIG_REQUEST, desiredRequest, headOf } from '../documents/desired-branch.ts';
import { fileIdsOf } from '../documents/file-ids.ts';
import { pathFaults } from '../documents/path-issues.ts';
import { ConfigError, configOf } from '../documents/read-config.ts';
import { firstClaims } from '../history/first-claims.ts';
import type { Memory, Overrides, PassOptions } from '../pass.ts';
import type { SignedRecords } from '../roots/kept-builds.ts';
import { shardBranch } from '../shard-branches.ts';
import type { Ahead } from './read-ahead.ts';

/** Makes a configuration of the tree that was read for it. */
type ReadConfig = (tree: Tree, overrides: Overrides, known?: KnownTexts) => Config | Promise<Config>;

/** The configuration of a commit, or what counts where that is wrong, with the command line's word over it. Throws ConfigError. */
export async function readConfig(git: Git, commit: Oid, overrides: Overrides): Promise<Config> {
  return configOrEarlier(git)(await git.readAt(commit, CONFIG_REQUEST), overrides);
}

/** How a pass reads it: where the file itself is judged, one that is wrong ends the pass. */
export function configFor(git: Git, { config }: Pick<PassOptions, 'config'>): ReadConfig {
  return config === 'asWritten' ? configIn : configOrEarlier(git);
}

/** The configuration in a tree that was read for it. Throws ConfigError. */
export function configIn(tree: Tree, overrides: Overrides, known?: KnownTexts): Config {
  return overridden(configOf(tree, known), overrides);
}

/**
 * The same for passes, orders and looks: a slip in the file must keep neither a rollback, whichever Rollout it is of, nor who looks
 * what to do. Its faults are those of every Rollout, so that no step goes forward, and an earlier version says the rest. Throws ConfigError.
 */
function configOrEarlier(git: Git): ReadConfig {
  return async (tree, overrides, known) => {
    let config: Config;
    try {
      config = configOf(tree, known);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const { earlierConfig } = await import('../history/earlier-config.ts');
      config = await earlierConfig(git, { tree, error, overrides }, known);
    }
    return overridden(config, overrides);
  };
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
): Promise<{ readonly main: Oid; readonly config: Config }> {
  let branch = overrides.branch ?? DEFAULT_CONFIG.branch;
  const branches = [branch];
  while (branches.length <= HOPS_MOST) {
    const [head] = await git.heads([branch]);
    const main = headOf(branch, head);
    const config = await readConfig(git, main, overrides);
    if (config.branch === branch) return { main, config };
    branches.push(config.branch);
    branch = config.branch;
  }
  throw branchesInCircle(branches);
}

/** Everything that main asks for. `ahead`: the files of these paths are on their way already. */
export async function readDesired(
  git: Git,
  commit: Oid,
  at: {
    readonly config: Config;
    readonly memory: Memory;
    readonly ahead?: Ahead['desired'];
    /** undefined: no kustomize folder is built. */
    readonly builder?: Builder | undefined;
    readonly records?: SignedRecords | undefined;
  },
): Promise<Desired> {
  const early = at.ahead !== undefined && isSame(at.ahead.paths, at.config.paths) ? at.ahead.tree : undefined;
  const tree = await (early ?? git.readAt(commit, desiredRequest(at.config.paths)));
  const { parsed } = at.memory;
  const trials = (at.memory.trials ??= newTrials());
  const read = sameFiles(tree, at) ?? (await desiredAt(git, tree, at, { known: trials.known }));
  at.memory.desired = { tree, desired: { ...read, trials } };
  const made = { ...(await withBuilt(git, tree, { ...at, read })), trials };
  const { issues, warnings, absent } = pathFaults(tree, at.config);
  const { faults = [] } = at.config;
  const desired = {
    ...made,
    marked: tree.marked,
    // The same list where there are none: what was read before is used again by that.
    rollouts:
      faults.length === 0
        ? made.rollouts
        : made.rollouts.map((one) => ({ ...one, issues: [...one.issues, ...faults] })),
    absentPaths: absent,
    issues: [...made.issues, ...issues, ...faults],
    warnings: [...made.warnings, ...warnings],
  };
  if (!routesTraffic(desired)) return desired;
  const whole = await git.readAt(commit, trafficRequest(desiredRequest(at.config.paths), desired));
  const routed = withTraffic(desired, whole, parsed, at.memory.firsts);
  const contests = trafficContests(routed);
  const firsts = await firstsOf(git, commit, { ...at, contests });
  const settled = contests.length === 0 ? routed : withTraffic(desired, whole, parsed, firsts);
  return { ...settled, marked: whole.marked ?? tree.marked };
}

type Reading = { readonly config: Config; readonly memory: Memory };

/** Kinds of which one document counts, and its twins do not. */
const DECIDED: readonly string[] = [LWS_KIND, 'Rollout', ROUTE_PROVIDER_KIND, CARRIER_KIND];

/** What a tree asks for; where two files claim one name, main's own line is asked which of them had it first. */
async function desiredAt(
  git: Git,
  tree: Tree,
  at: Reading,
  of: Pick<Parameters<typeof desiredOf>[3] & object, 'known' | 'built' | 'unbuilt'>,
): Promise<Desired> {
  const { parsed, firsts } = at.memory;
  const read = desiredOf(tree, at.config, parsed, { ...of, ...(firsts === undefined ? {} : { firsts }) });
  // Twins of an autoscaler only ever hold.
  const contests = read.contests.filter(({ marker }) => DECIDED.includes(marker));
  if (contests.length === 0) return read;
  const found = await firstsOf(git, tree.commit, { ...at, contests });
  return desiredOf(tree, at.config, parsed, { ...of, firsts: found });
}

/** The same with what kustomize builds: before anything is decided, because a decision goes by that. */
async function withBuilt(
  git: Git,
  tree: Tree,
  at: Reading & {
    readonly read: Desired;
    readonly builder?: Builder | undefined;
    readonly records?: SignedRecords | undefined;
  },
): Promise<Desired> {
  const { read, builder, memory, records } = at;
  if (!hasKustomizations(read)) return read;
  const { overBuilds } = await import('../roots/over-builds.ts');
  const { firstParentsOf } = await import('../history/first-parents.ts');
  const line = firstParentsOf(git, tree.commit);
  const builds = await overBuilds(read, { git, line, builder, cache: memory.builds, records });
  if (builds.built.length + builds.unbuilt.length === 0) return read;
  return desiredAt(git, tree, at, { known: memory.trials?.known ?? read.trials.known, ...builds });
}

/** Or files of ours that one would apply. */
function hasKustomizations({ files }: Desired): boolean {
  return files.some(({ file }) => isKustomizationFile(file) || rootOfPatch(file) !== undefined);
}

async function firstsOf(
  git: Git,
  commit: Oid,
  { config, memory, contests }: Reading & { readonly contests: readonly Contest[] },
): Promise<Firsts> {
  const firsts = await firstClaims(git, { commit, config, contests, known: memory.firsts ?? new Map() });
  if (contests.length > 0) memory.firsts = firsts;
  return firsts;
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
    return file?.path === path && file.oid === oid && file.mode === mode && file.content.kind === content.kind;
  };
  if (!tree.files.every(isThere)) return undefined;
  const [skipped, skippedBefore] = [tree.skipped(), before.tree.skipped()];
  // Nothing is made of a file without a marker but its path.
  if (skipped.length !== skippedBefore.length) return undefined;
  if (!skipped.every(({ path }, at) => skippedBefore[at]?.path === path)) return undefined;
  return {
    ...before.desired,
    commit: tree.commit,
    blobs: fileIdsOf(tree),
    folders: config.paths.includes('') ? [] : tree.folders,
  };
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((path, i) => path === right[i]);
}
