/** `tranche init`: what a repository has, and which files it needs to be delivered from. Nothing is asked: answers are options. */

import { type Config, DEFAULT_CONFIG, NO_OVERRIDES } from '../api/config.ts';
import type { Issue } from '../api/issue.ts';
import { at } from '../api/json.ts';
import { resources } from '../api/resources.ts';
import { EXIT, type Io, UsageError } from '../options.ts';
import type { Tree } from '../ports/git.ts';
import { PortError } from '../ports/port-error.ts';
import { desiredOf } from '../reconcile/desired/desired.ts';
import { CONFIG_REQUEST, desiredRequest, headOf } from '../reconcile/documents/desired-branch.ts';
import type { Files, Wishes } from '../reconcile/init/addition.ts';
import { type Proposal, proposal } from '../reconcile/init/additions.ts';
import { everything, withFiles } from '../reconcile/init/more-files.ts';
import { proposeFiles } from '../reconcile/init/propose-files.ts';
import { type Survey, surveyOf } from '../reconcile/init/survey.ts';
import { configIn } from '../reconcile/observe/read-settings.ts';
import type { Ports } from '../reconcile/pass.ts';
import { type RootView, readRoots } from '../reconcile/roots/read-roots.ts';
import { withBuiltCarriers, withBuiltWorkloads } from '../reconcile/roots/survey-built.ts';
import { type InitReport, printReport } from './init-report.ts';
import { type InitOptions, wishesOf } from './init-wishes.ts';
import { findingsOf, issuesOf } from './lint.ts';
import { ruleLine, rulesFound } from './preflight.ts';
import { writeNew } from './write-new.ts';

/** Each try leaves out a Rollout that is wrong; more than that many tries would be a fault of ours. */
const MOST_TRIES = 3;

/**
 * Exit code 0 also where nothing can be delivered: that is said; 1 where a pull request was asked for and not opened. Throws
 * UsageError where files cannot be written here.
 */
export async function init(options: InitOptions, ports: Ports, io: Io): Promise<number> {
  const { workingTree } = options;
  if (options.write && workingTree === undefined)
    throw new UsageError('--write needs a clone with its files: call this in one, or name it with --repo PATH');
  const looked = await look(options, ports);
  const { tree, survey, folders, files, isOnGitHub, branch } = looked;
  const wishes = wishesOf(options, {
    texts: textsIn(tree),
    isOnGitHub,
    url: options.url,
    branch,
    namespaces: namespacesIn(survey, options.namespace),
  });
  const { proposed, refused, left, warnings } = await tried({ options, ports, tree, survey, files, wishes });
  const pull = await proposedBy(options, ports, { proposed, looked });
  const toCommit = options.write && workingTree !== undefined ? writeNew(workingTree, proposed.files) : undefined;
  const report: InitReport = {
    read: workingTree === undefined ? `${options.repo} at ${tree.commit.slice(0, 12)}` : `the files in ${workingTree}`,
    survey,
    folders,
    files: proposed.files,
    settings: [...survey.settings, ...proposed.settings],
    refused: [...proposed.refused, ...refused],
    cluster: await onlyInCluster(options, ports, survey, io),
    rules: ports.forge === undefined ? [] : (await rulesFound(options, ports)).map(ruleLine),
    left,
    warnings,
    takesFolders: looked.takesFolders,
    written: toCommit === undefined ? undefined : proposed.files.map(({ path }) => path),
    toCommit: toCommit ?? [],
    pull,
    branch,
  };
  printReport(report, options.output, io);
  return pull === undefined || (pull.kind === 'proposed' && pull.unopened === undefined) ? EXIT.ok : EXIT.failed;
}

/** The pull request of the files; undefined: none was asked for, or there is nothing to add. */
async function proposedBy(
  { proposes }: InitOptions,
  { git, forge, clock }: Ports,
  { proposed: { files, rollouts }, looked }: { readonly proposed: Proposal; readonly looked: Looked },
): Promise<InitReport['pull']> {
  if (proposes === undefined || files.length === 0) return undefined;
  const { tree, config } = looked;
  const names = [...rollouts.keys()].sort();
  const wanted = { files, names, main: tree.commit, config, now: clock.now(), author: proposes.author };
  const pull = await proposeFiles({ git, forge }, wanted);
  if (pull.kind !== 'moved') return pull;
  return { kind: 'refused', why: 'somebody else changed the branch in this moment. Call this again' };
}

type Looked = {
  readonly tree: Tree;
  readonly config: Config;
  readonly survey: Survey;
  readonly folders: readonly RootView[];
  readonly takesFolders: boolean;
  readonly files: Files;
  readonly isOnGitHub: boolean;
  /** What each call has to name, because nothing else does; undefined: `main`, or what that names. */
  readonly branch: string | undefined;
};

async function look({ ref, overrides, ownBranch }: InitOptions, { git, builder }: Ports): Promise<Looked> {
  git.begin();
  const branch = ref ?? overrides.branch ?? 'main';
  const head = headOf(branch, (await git.heads([branch]))[0]);
  const tree = await git.readAt(head, everything());
  const inMemory = withFiles(git, tree, new Map());
  // New files must not go by one that is wrong.
  const read = configIn(await inMemory.readAt(head, CONFIG_REQUEST), { ...NO_OVERRIDES, ...overrides });
  const isNamed = read.branch !== DEFAULT_CONFIG.branch;
  const config = isNamed || ownBranch === undefined ? read : { ...read, branch: ownBranch };
  const desired = desiredOf(await inMemory.readAt(head, desiredRequest(config.paths)), config, new Map());
  const skipped = tree.skipped();
  const paths = new Set([...tree.files, ...skipped].map(({ path }) => path));
  const texts = new Map(textsIn(tree));
  const survey = surveyOf(desired, texts);
  // Files without a marker are read for a build alone: not from memory.
  const world = builder === undefined ? undefined : { git, builder, cache: new Map() };
  const views = world === undefined ? [] : await readRoots({ desired, agents: survey.agents, texts }, world);
  const folders = views.filter((view) => !isPlain(view, survey));
  // Only who has named the program has such folders taken over.
  const isTaken = builder?.isNamed === true;
  const built = folders.filter((view) => isTaken && view.workloads.length > 0);
  return {
    tree,
    config,
    survey: withBuiltCarriers(withBuiltWorkloads(survey, built), views),
    folders: folders.filter((view) => !built.includes(view)),
    takesFolders: built.length > 0,
    files: { isThere: (path) => paths.has(path), count: paths.size },
    isOnGitHub: [...paths].some((path) => path.startsWith('.github/')),
    branch: isNamed ? (ownBranch === undefined ? undefined : read.branch) : ownBranch,
  };
}

/** Whether the folder only lists a manifest that can be delivered as it is. */
function isPlain({ files }: RootView, { workloads }: Survey): boolean {
  return workloads.some(({ document, refused }) => refused.length === 0 && files.includes(document.file));
}

type Tried = Pick<InitReport, 'refused' | 'left' | 'warnings'> & { readonly proposed: Proposal };

/** The proposal as a pass over it finds it: a Rollout that something is wrong with is refused, with the words of `lint`. */
async function tried(of: {
  readonly options: InitOptions;
  readonly ports: Ports;
  readonly tree: Tree;
  readonly survey: Survey;
  readonly files: Files;
  readonly wishes: Wishes;
}): Promise<Tried> {
  const { options, ports, tree, survey, files, wishes } = of;
  const without = new Set<string>();
  const refused: Issue[] = [];
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    const proposed = proposal(survey, files, wishes, without);
    const added = new Map(proposed.files.map(({ path, text }) => [path, text]));
    const git = withFiles(ports.git, tree, added);
    const found = await findingsOf({ ...options, workingTree: undefined }, { ...ports, git });
    const wrong = found.outcomes.filter(
      (outcome) =>
        proposed.rollouts.has(`${outcome.key.namespace}/${outcome.key.name}`) && issuesOf(outcome).length > 0,
    );
    if (wrong.length === 0) return { proposed, refused, left: found.issues.length, warnings: found.warnings.length };
    for (const outcome of wrong) {
      without.add(`${outcome.key.namespace}/${outcome.key.name}`);
      refused.push(...issuesOf(outcome));
    }
  }
  throw new Error('bug: a Rollout that is not proposed is still wrong');
}

function textsIn({ files }: Tree): readonly (readonly [string, string])[] {
  return files.flatMap(({ path, content }) => (content.kind === 'text' ? [[path, content.text] as const] : []));
}

/** Where the workloads are, or are going to be. */
function namespacesIn({ workloads }: Survey, given: string | undefined): readonly string[] {
  const names = workloads.flatMap(
    ({ namespace, agents }) => namespace ?? agents.flatMap((agent) => agent.namespace ?? [])[0] ?? given ?? [],
  );
  return [...new Set(names)].sort();
}

/** LeaderWorkerSets that the cluster has in these namespaces and no file has; only where somebody names a cluster. */
async function onlyInCluster(
  options: InitOptions,
  { cluster }: Ports,
  { workloads }: Survey,
  io: Io,
): Promise<readonly string[]> {
  const { kubeconfig, context, inCluster } = options;
  if ((kubeconfig ?? '') === '' && context === '' && !inCluster) return [];
  const namespaces = [...new Set(workloads.flatMap(({ namespace }) => namespace ?? []))];
  const inGit = new Set(workloads.map(({ namespace, name }) => `${namespace}/${name}`));
  const found: string[] = [];
  for (const namespace of namespaces) {
    const listed = await cluster
      .list(resources.lws, { namespace, labelSelector: '' }, (object) => String(at(object, ['metadata', 'name'])))
      .catch((error: unknown) => {
        if (!(error instanceof PortError)) throw error;
        return { kind: 'unknown' as const, why: error.message };
      });
    if (listed.kind === 'known') found.push(...listed.value.map((name) => `${namespace}/${name}`));
    else if (listed.kind === 'unknown') io.err(`warning: the cluster was not read in ${namespace}: ${listed.why}\n`);
    else io.err('warning: the cluster has no LeaderWorkerSets: install its controller first\n');
  }
  return found.filter((name) => !inGit.has(name));
}
