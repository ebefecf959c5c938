/** Reads the files of the head of main that its configuration names. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import type { Config } from '../../api/config.ts';
import { fewIssues } from '../../api/issue.ts';
import { LWS_KIND, ROUTE_PROVIDER_KIND } from '../../api/kinds.ts';
import { SCALER_KINDS } from '../../api/scaler.ts';
import { isKustomizationFile } from '../../manifests/parse-file.ts';
import { rootOfPatch } from '../../manifests/patch-place.ts';
import type { Builder } from '../../ports/builder.ts';
import type { Git, Oid, Tree, TreeFile } from '../../ports/git.ts';
import { desiredOf } from '../desired/desired.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import { routesTraffic, trafficContests, trafficRequest, withTraffic } from '../desired/read-traffic.ts';
import { newTrials } from '../desired/trials.ts';
import type { Contest, Firsts } from '../documents/claims.ts';
import { desiredRequest } from '../documents/desired-branch.ts';
import { fileIdsOf } from '../documents/file-ids.ts';
import { pathFaults } from '../documents/path-issues.ts';
import { firstClaims } from '../history/first-claims.ts';
import type { Memory } from '../pass.ts';
import type { SignedRecords } from '../roots/kept-builds.ts';
import type { Ahead } from './read-ahead.ts';

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
  const repeated = fewIssues(faults);
  const desired = {
    ...made,
    marked: tree.marked,
    // The same list where there are none: what was read before is used again by that.
    rollouts:
      faults.length === 0
        ? made.rollouts
        : made.rollouts.map((one) => ({ ...one, issues: [...one.issues, ...repeated] })),
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
const DECIDED: readonly string[] = [LWS_KIND, 'Rollout', ROUTE_PROVIDER_KIND, CARRIER_KIND, ...SCALER_KINDS];

/** What a tree asks for; where two files claim one name, main's own line is asked which of them had it first. */
async function desiredAt(
  git: Git,
  tree: Tree,
  at: Reading,
  of: Pick<Parameters<typeof desiredOf>[3] & object, 'known' | 'built' | 'unbuilt'>,
): Promise<Desired> {
  const { parsed, firsts } = at.memory;
  const read = desiredOf(tree, at.config, parsed, { ...of, ...(firsts === undefined ? {} : { firsts }) });
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
