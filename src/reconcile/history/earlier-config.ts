/** What `tranche.yaml` last said on main's own line, where nobody can read what it says now. */

import { CONFIG_FILE, type Config, DEFAULT_CONFIG, type Overrides } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import type { Git, Oid, Tree } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { lookalikeIn } from '../documents/config-lookalike.ts';
import { CONFIG_REQUEST } from '../documents/desired-branch.ts';
import { ConfigError, configIssue } from '../documents/read-config.ts';
import { type FirstParents, firstParentsOf } from './first-parents.ts';

/** Different ones that are parsed: who mends a file in vain does not do so more often before someone is called. */
const VERSIONS_MOST = 50;
/** All of them are looked at. A busy main has a thousand commits a day; a file that nobody can read is mended before long. */
const COMMITS_MOST = 5000;
/** How many commits are asked for at once: as a rule the version of the day before counts. */
const BLOCK_FIRST = 4;
/** Each may have a file of its own of the largest size. */
const BLOCK_MOST = 128;

/** What is there, and how another one is read, each with the command line's word over it; both throw ConfigError. */
type Wrong = {
  readonly tree: Tree;
  readonly error: ConfigError;
  readonly overrides: Overrides;
  readonly read: (tree: Tree) => Config;
  readonly made: (config: Config) => Config;
};

type Earlier =
  | { readonly kind: 'found'; readonly config: Config; readonly commit: Oid }
  /** No commit that was looked at has the file. */
  | { readonly kind: 'none' }
  | { readonly kind: 'cut'; readonly why: string };

/**
 * What counts for rollbacks, orders and drains where `error` is in the way of steps: the newest version of the file that can be
 * read, all of it, because folders, owners and keys of two versions may not fit together. Throws `error` with what to do where
 * nothing says which folders are this cluster's: a rollback in those of another one would go by groups that do not belong to it.
 */
export async function earlierConfig(git: Git, { tree, error, overrides, read, made }: Wrong): Promise<Config> {
  const { besides, issues } = error;
  const found = await newestReadable(git, tree, read);
  if (found.kind === 'found') {
    const { lines: _ofThen, ...config } = found.config;
    return { ...config, faults: [...issues, counting(`that of ${found.commit.slice(0, 8)} counts`)] };
  }
  // A fault of steps alone leaves folders and cluster as they are said.
  if (besides !== undefined) return { ...made(besides), faults: issues };
  if (found.kind === 'none')
    return { ...made(DEFAULT_CONFIG), faults: [...issues, counting('none counts, as before it came')] };
  const least = leastConfig(overrides);
  if (least === undefined) {
    // What the command line says may go with no version at all: then that alone is the fault.
    made(DEFAULT_CONFIG);
    throw new ConfigError([...issues, unknownBefore(found.why)]);
  }
  return { ...made(least), faults: [...issues, counting('--cluster and --path count')] };
}

/**
 * Commit by commit, because a version that is right may lie between two with the same wrong bytes. Passes over commits without the
 * file: it was missing then, and said nothing.
 */
async function newestReadable(git: Git, tree: Tree, read: Wrong['read']): Promise<Earlier> {
  const line = firstParentsOf(git, tree.commit);
  const wrong = new Set([versionOf(tree)]);
  let isThere = true;
  try {
    for await (const at of treesBehind(git, line)) {
      const version = versionOf(at);
      isThere = isNamed(at);
      if (!isThere || wrong.has(version)) continue;
      const config = readable(at, read);
      if (config !== undefined) return { kind: 'found', config, commit: at.commit };
      if (wrong.size >= VERSIONS_MOST)
        return { kind: 'cut', why: `the newest ${VERSIONS_MOST} versions are all wrong` };
      wrong.add(version);
    }
  } catch (error) {
    // A clone that does not go back so far.
    if (!(error instanceof PortError) || error.retryable) throw error;
    return { kind: 'cut', why: `none of the newest ${line.length()} commits has one that can be read. ${WHOLE}` };
  }
  return isThere ? { kind: 'cut', why: endOf(line) } : { kind: 'none' };
}

/** Each commit of the line before its head, newest first. Those of one block are asked for at once, so that they come together. */
async function* treesBehind(git: Git, line: FirstParents): AsyncGenerator<Tree> {
  for (let [place, block] = [1, BLOCK_FIRST]; place < COMMITS_MOST; block = Math.min(2 * block, BLOCK_MOST)) {
    const places = Array.from({ length: Math.min(block, COMMITS_MOST - place) }, (_, at) => place + at);
    await line.commitAt(place + places.length - 1);
    const commits = await Promise.all(places.map((one) => line.commitAt(one)));
    const there = commits.filter((commit) => commit !== undefined);
    const reads = there.map(({ oid }) => git.readAt(oid, CONFIG_REQUEST));
    // One that is not here keeps none that is nearer.
    await Promise.allSettled(reads);
    yield* reads;
    if (there.length < places.length) return;
    place += places.length;
  }
}

/** What to do about a history that ends, in front of what always helps. */
const WHOLE = 'Give tranche the whole history (fetch-depth: 0, or the URL of the repository)';

function endOf(line: FirstParents): string {
  if (line.isWhole() && line.length() <= COMMITS_MOST) return 'main has never had one that can be read';
  if (line.length() >= COMMITS_MOST)
    return `none of the newest ${COMMITS_MOST} commits has one that can be read, and older ones are not looked at`;
  return `none of the ${line.length()} commits that are here has one that can be read. ${WHOLE}`;
}

function readable(tree: Tree, read: Wrong['read']): Config | undefined {
  try {
    return read(tree);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Whether there is a file of that name, or of one that reads so. */
function isNamed({ files, gaps }: Tree): boolean {
  return files.length > 0 || lookalikeIn(gaps) !== undefined;
}

function versionOf({ files, gaps }: Tree): string {
  return JSON.stringify([
    files.map(({ path, oid, mode, content }) => [path, oid, mode, content.kind]),
    lookalikeIn(gaps),
  ]);
}

/**
 * With the history cut off, the folders and the cluster of the command line. What is not known counts against trust: no policy
 * grants or chooses anything (`policyPaths`), and no record is believed or written (`statusKeys`). Owners are not asked: of
 * two files that claim one name in such a clone neither counts, and a Rollout in its own folder goes back as it was told to.
 */
function leastConfig({ cluster, paths }: Overrides): Config | undefined {
  if (cluster === undefined || paths === undefined) return undefined;
  const unknownKey = { cluster, key: '', until: undefined };
  return { ...DEFAULT_CONFIG, promotion: 'pullRequest', policyPaths: [], statusKeys: [unknownKey] };
}

function counting(which: string): Issue {
  return configIssue({
    path: '',
    line: 1,
    reason: 'EarlierConfig',
    message: `${CONFIG_FILE} is wrong as it is now. For rollbacks, orders and drains ${which}; no step goes forward`,
    hint: 'Mend what the other lines name, or put that version back.',
  });
}

function unknownBefore(why: string): Issue {
  return configIssue({
    path: '',
    line: 1,
    reason: 'NoEarlierConfig',
    message: `nothing says which folders are of this cluster: ${why}`,
    hint: 'Mend the file, or say --cluster and --path: by these it rolls back.',
  });
}
