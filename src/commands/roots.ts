/** `tranche roots`: what kustomize builds of this repository, and what a merge changes in it. Reads, and writes nothing. */

import type { Config } from '../api/config.ts';
import { type CommonOptions, EXIT, type Io, UsageError } from '../options.ts';
import type { Oid } from '../ports/git.ts';
import { desiredOf } from '../reconcile/desired/desired.ts';
import { desiredRequest, headOf } from '../reconcile/documents/desired-branch.ts';
import { agentsIn } from '../reconcile/init/agents.ts';
import { everything, withFiles } from '../reconcile/init/more-files.ts';
import { readConfig } from '../reconcile/observe/read-settings.ts';
import type { Ports } from '../reconcile/pass.ts';
import { type BuildCache, type RootView, readRoots } from '../reconcile/roots/read-roots.ts';
import { rootChanges } from '../reconcile/roots/root-changes.ts';
import { withFaults } from './config-faults.ts';
import { readOf } from './lint.ts';
import { printRoots, type RootsReport } from './roots-report.ts';

type RootsOptions = CommonOptions & {
  /** What is read in place of the desired branch. */
  readonly ref: string | undefined;
  /** The working tree whose files are read as they lie there. */
  readonly workingTree: string | undefined;
  /** What they are to be merged into: a commit or a branch. */
  readonly base: string | undefined;
};

/** Exit code 1 where a folder is not built, for whatever reason. Throws UsageError for a base that is not there. */
export async function roots(options: RootsOptions, ports: Ports, io: Io): Promise<number> {
  const { git } = ports;
  git.begin();
  const branch = options.ref ?? options.overrides.branch ?? 'main';
  const [found] = await git.heads([branch]);
  const head = headOf(branch, found);
  const cache: BuildCache = new Map();
  const config = await readConfig(git, head, options.overrides);
  const ended = withFaults(config.faults, io);
  const views = await rootsAt(head, config, ports, cache);
  const report: RootsReport = {
    read: options.workingTree === undefined ? readOf(branch, head) : `the files in ${options.workingTree}`,
    roots: views,
    base: undefined,
    changes: [],
  };
  const { base } = options;
  if (base === undefined) printRoots(report, options.output, io);
  else {
    const commit = await commitOf(base, ports);
    const before = await rootsAt(commit, await readConfig(git, commit, options.overrides), ports, cache);
    printRoots({ ...report, base: readOf(base, commit), changes: rootChanges(before, views) }, options.output, io);
  }
  return ended(views.every(isBuilt) ? EXIT.ok : EXIT.failed);
}

/** What the folders of one commit are built from, and to. `cache`: what another commit has built already. */
async function rootsAt(
  commit: Oid,
  config: Config,
  { git, builder }: Ports,
  cache: BuildCache,
): Promise<readonly RootView[]> {
  if (builder === undefined) throw new Error('bug: nothing builds');
  const tree = await git.readAt(commit, everything());
  const inMemory = withFiles(git, tree, new Map());
  const desired = desiredOf(await inMemory.readAt(commit, desiredRequest(config.paths)), config, new Map());
  const texts = new Map(
    tree.files.flatMap(({ path, content }) => (content.kind === 'text' ? [[path, content.text] as const] : [])),
  );
  return readRoots({ desired, agents: agentsIn(texts, config), texts }, { git, builder, cache });
}

async function commitOf(base: string, { git }: Ports): Promise<Oid> {
  if (/^[0-9a-f]{40}$/.test(base)) return base;
  const [head] = await git.heads([base]);
  if (head !== undefined) return head;
  throw new UsageError(
    `--base ${base}: the repository has no such branch. Name a branch, or a commit in full (git rev-parse ${base})`,
  );
}

function isBuilt({ workloads, releases, issues }: RootView): boolean {
  return workloads.length + releases.length > 0 || issues.length === 0;
}
