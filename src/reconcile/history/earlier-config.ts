/** What `tranche.yaml` last said on main's own line, where nobody can read what it says now. */

import { CONFIG_FILE, type Config, DEFAULT_CONFIG, type Overrides } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import type { Git, Oid, Tree } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { lookalikeIn } from '../documents/config-lookalike.ts';
import { CONFIG_REQUEST } from '../documents/desired-branch.ts';
import { ConfigError, configIssue, configOf } from '../documents/read-config.ts';
import { type FirstParents, firstParentsOf, placeOutside } from './first-parents.ts';

/** Each is found in few looks: who mends a file in vain does not do so more often before someone is called. */
const VERSIONS_MOST = 50;
/** A busy main has a thousand commits a day; a file that nobody can read is mended before long. */
const COMMITS_MOST = 5000;

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
export async function earlierConfig(
  git: Git,
  { tree, error, overrides }: { readonly tree: Tree; readonly error: ConfigError; readonly overrides: Overrides },
  known: KnownTexts | undefined,
): Promise<Config> {
  const { besides, issues } = error;
  const found = await newestReadable(git, tree, known);
  if (found.kind === 'found') {
    const { lines: _ofThen, ...config } = found.config;
    return { ...config, faults: [...issues, counting(`that of ${found.commit.slice(0, 8)} counts`)] };
  }
  // A fault of steps alone leaves folders and cluster as they are said.
  if (besides !== undefined) return { ...besides, faults: issues };
  if (found.kind === 'none')
    return { ...DEFAULT_CONFIG, faults: [...issues, counting('none counts, as before it came')] };
  const least = leastConfig(overrides);
  if (least === undefined) throw new ConfigError([...issues, unknownBefore(found.why)]);
  return { ...least, faults: [...issues, counting('--cluster and --path count')] };
}

/** Passes over commits without the file: it was missing then, and said nothing. */
async function newestReadable(git: Git, tree: Tree, known: KnownTexts | undefined): Promise<Earlier> {
  const line = firstParentsOf(git, tree.commit);
  const treeAt = async (place: number): Promise<Tree | undefined> => {
    const commit = place < COMMITS_MOST ? await line.commitAt(place) : undefined;
    return commit === undefined ? undefined : await git.readAt(commit.oid, CONFIG_REQUEST);
  };
  try {
    let [place, at]: [number, Tree | undefined] = [0, tree];
    let isThere = true;
    for (let version = 0; version < VERSIONS_MOST; version += 1) {
      const now = at;
      place = await placeOutside(line, place, async (one) => isSameVersion(await treeAt(one), now));
      at = await treeAt(place);
      if (at === undefined && !isThere) return { kind: 'none' };
      if (at === undefined) return { kind: 'cut', why: endOf(line, place) };
      isThere = isNamed(at);
      const config = isThere ? readable(at, known) : undefined;
      if (config !== undefined) return { kind: 'found', config, commit: at.commit };
    }
  } catch (error) {
    // A clone that does not go back so far.
    if (!(error instanceof PortError) || error.retryable) throw error;
  }
  return { kind: 'cut', why: `none of the newest ${line.length()} commits has one that can be read. ${WHOLE}` };
}

/** What to do about a history that ends, in front of what always helps. */
const WHOLE = 'Give tranche the whole history (fetch-depth: 0, or the URL of the repository)';

function endOf(line: FirstParents, commits: number): string {
  if (line.isWhole()) return 'main has never had one that can be read';
  return `none of the ${commits} commits that are here has one that can be read. ${WHOLE}`;
}

function readable(tree: Tree, known: KnownTexts | undefined): Config | undefined {
  try {
    return configOf(tree, known);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Whether there is a file of that name, or of one that reads so. */
function isNamed({ files, gaps }: Tree): boolean {
  return files.length > 0 || lookalikeIn(gaps) !== undefined;
}

function isSameVersion(one: Tree | undefined, other: Tree | undefined): boolean {
  const of = (tree: Tree): string =>
    JSON.stringify([tree.files.map(({ path, oid, mode }) => [path, oid, mode]), lookalikeIn(tree.gaps)]);
  return one !== undefined && other !== undefined && of(one) === of(other);
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
