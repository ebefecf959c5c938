/** One repository of the simulated forge: a real bare repository, and what a forge keeps next to it. People act through it. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitState } from '../../../src/ports/forge.ts';
import type { ServedRepository } from '../git-server.ts';

export type Account = {
  readonly login: string;
  readonly id: number;
  readonly type: 'User' | 'Bot';
};

type ForgeReview = {
  readonly by: Account;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED';
  readonly oid: string;
  readonly at: number;
};

export type ForgeComment = { readonly id: number; readonly by: Account; body: string; readonly at: number };

export type ForgePull = {
  readonly number: number;
  readonly by: Account;
  readonly branch: string;
  readonly base: string;
  readonly isFork: boolean;
  title: string;
  body: string;
  isDraft: boolean;
  isQueued: boolean;
  labels: string[];
  /** Logins, and teams as `org/name`, that were asked for a review. */
  requested: string[];
  /** As it was last seen. */
  head: string;
  state: 'open' | 'closed' | 'merged';
  readonly at: number;
  endedAt: number | undefined;
  endedBy: Account | undefined;
  mergeCommit: string | undefined;
  readonly reviews: ForgeReview[];
  readonly comments: ForgeComment[];
  /** What was ever done to it, as far as anybody asks: that nobody takes back. */
  readonly events: { readonly event: 'labeled' | 'review_requested'; readonly name: string }[];
  /** Lists that do not show it yet. */
  hiddenFor: number;
};

export type Ruleset = {
  readonly id: number;
  readonly name: string;
  /** Branches, or prefixes that end with a star. */
  readonly branches: readonly string[];
  readonly rules: readonly { readonly type: string; readonly parameters?: Readonly<Record<string, unknown>> }[];
  /** Logins that bypass it, always. */
  readonly bypass: readonly string[];
};

type ForgeStatus = {
  context: string;
  state: CommitState;
  description: string;
  url: string | null;
  /** The App that has set it: here it has the number of its account. */
  app?: number;
};
type ForgeCheck = {
  name: string;
  status: 'COMPLETED' | 'IN_PROGRESS';
  conclusion: 'SUCCESS' | 'FAILURE' | 'NEUTRAL' | undefined;
  /** Of one that was written by the API. */
  written?: { readonly id: number; readonly by: Account; title: string; summary: string };
};

export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** The state of one repository, and what people do to it. All of it is readable by tests. */
export class ForgeRepository {
  readonly git: ServedRepository;
  readonly owner: string;
  readonly name: string;
  readonly pulls: ForgePull[] = [];
  readonly statuses = new Map<string, ForgeStatus[]>();
  readonly checks = new Map<string, ForgeCheck[]>();
  /** What accounts may do: `admin`, `write`, `read`; none: no collaborator. */
  readonly permissions = new Map<string, 'admin' | 'write' | 'read'>();
  /** Members of teams, by `org/name` and login; of nobody else anything is told. */
  readonly teams = new Map<string, ReadonlyMap<string, 'active' | 'pending'>>();
  /** Logins by the addresses that commits are written with. */
  readonly addresses = new Map<string, string>();
  /** Who signed which commit, with a signature that verifies; undefined: the forge itself. */
  readonly signed = new Map<string, string | undefined>();
  rulesets: readonly Ruleset[] = [];
  settings = {
    archived: false,
    actionsMayPropose: true,
    merge: true,
    squash: true,
    rebase: true,
    /** The older protection of branches, which only administrators may read. */
    protectedBranches: [] as readonly string[],
  };
  private readonly clock: () => number;
  private readonly facts = new Map<string, Promise<string | undefined>>();
  private lastId = 1000;

  constructor(given: {
    readonly git: ServedRepository;
    readonly owner: string;
    readonly name: string;
    readonly clock: () => number;
  }) {
    this.git = given.git;
    this.owner = given.owner;
    this.name = given.name;
    this.clock = given.clock;
  }

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  pull(number: number): ForgePull {
    const found = this.pulls.find((pull) => pull.number === number);
    if (found === undefined) throw new Error(`there is no pull request ${number}`);
    return found;
  }

  open(
    given: Pick<ForgePull, 'by' | 'branch' | 'base' | 'title' | 'body' | 'head'> & { readonly isFork?: boolean },
  ): ForgePull {
    const pull: ForgePull = {
      isFork: false,
      ...given,
      number: this.pulls.length + 1,
      isDraft: false,
      isQueued: false,
      labels: [],
      requested: [],
      state: 'open',
      at: this.clock(),
      endedAt: undefined,
      endedBy: undefined,
      mergeCommit: undefined,
      reviews: [],
      comments: [],
      events: [],
      hiddenFor: 0,
    };
    this.pulls.push(pull);
    return pull;
  }

  /** The commit of a branch, read from the disk as git keeps it; undefined: there is none. */
  async head(branch: string): Promise<string | undefined> {
    const ref = `refs/heads/${branch}`;
    const loose = await readFile(join(this.git.path, ref), 'utf8').catch(() => undefined);
    if (loose !== undefined) return loose.trim();
    const packed = await readFile(join(this.git.path, 'packed-refs'), 'utf8').catch(() => '');
    return packed
      .split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(' ')[0];
  }

  /** What git says of commits, which never changes: asked once. */
  private async fact(...args: readonly string[]): Promise<string | undefined> {
    const key = args.join(' ');
    const known = this.facts.get(key) ?? this.git.git(...args).catch(() => undefined);
    this.facts.set(key, known);
    return known;
  }

  /** Whether a commit holds another. */
  async holds(commit: string, oid: string): Promise<boolean> {
    return (await this.fact('merge-base', '--is-ancestor', oid, commit)) !== undefined;
  }

  /** What pushes have made of open pull requests: a head that moved, a branch that is gone, commits that reached the base. */
  async settle(): Promise<void> {
    for (const pull of this.pulls.filter(({ state, isFork }) => state === 'open' && !isFork)) {
      const head = await this.head(pull.branch);
      if (head === undefined) this.end(pull, 'closed', undefined);
      else if (head !== pull.head) pull.head = head;
      const base = await this.head(pull.base);
      if (head !== undefined && base !== undefined && (await this.holds(base, head)))
        this.end(pull, 'merged', undefined);
    }
  }

  private end(pull: ForgePull, state: 'closed' | 'merged', by: Account | undefined): void {
    pull.state = state;
    pull.endedAt = this.clock();
    pull.endedBy = by;
    pull.isQueued = false;
  }

  close(number: number, by: Account): void {
    this.end(this.pull(number), 'closed', by);
  }

  review(number: number, by: Account, state: ForgeReview['state'], oid?: string): void {
    const pull = this.pull(number);
    pull.reviews.push({ by, state, oid: oid ?? pull.head, at: this.clock() });
  }

  /** A commit of somebody on the branch of a pull request. */
  async edit(number: number, files: Readonly<Record<string, string>>): Promise<string> {
    const pull = this.pull(number);
    pull.head = await this.git.commit(pull.branch, files);
    return pull.head;
  }

  /** The tree of merging one commit into another; undefined: a conflict. */
  async mergedTree(base: string, head: string): Promise<string | undefined> {
    return (await this.fact('merge-tree', '--write-tree', base, head))?.split('\n')[0];
  }

  /** Someone merges, with plumbing as a forge does it. Throws where it conflicts. Rules are not asked: see `press`. */
  async merge(number: number, by: Account, method: MergeMethod = 'merge', message?: string): Promise<string> {
    const pull = this.pull(number);
    const base = (await this.head(pull.base)) ?? '';
    const head = (await this.head(pull.branch)) ?? pull.head;
    const text = message ?? `${pull.title} (#${number})`;
    const commits =
      method === 'rebase'
        ? (await this.git.git('rev-list', '--reverse', '--no-merges', `${base}..${head}`)).split('\n')
        : [head];
    let at = base;
    for (const commit of commits) {
      const tree = await this.mergedTree(at, commit);
      if (tree === undefined) throw new Error(`pull request ${number} conflicts with ${pull.base}`);
      const parents = method === 'merge' ? ['-p', at, '-p', commit] : ['-p', at];
      const said = method === 'rebase' ? await this.git.git('log', '-1', '--format=%B', commit) : text;
      at = await this.git.git('commit-tree', tree, ...parents, '-m', said);
    }
    await this.git.git('update-ref', `refs/heads/${pull.base}`, at, base);
    pull.head = head;
    this.endMerged(number, { by, commit: at });
    return at;
  }

  /** What its base holds by now. */
  endMerged(number: number, { by, commit }: { readonly by: Account; readonly commit: string }): void {
    const pull = this.pull(number);
    pull.mergeCommit = commit;
    this.end(pull, 'merged', by);
  }

  /** "Revert" of a merged pull request: a commit on its base that takes back what it changed. */
  async revert(number: number): Promise<string> {
    const pull = this.pull(number);
    const merged = pull.mergeCommit ?? '';
    const base = (await this.head(pull.base)) ?? '';
    // Taking back is merging what was before, as if what came in were the common ancestor.
    const undo = await this.git.git('commit-tree', `${merged}^^{tree}`, '-p', merged, '-m', 'undo');
    const tree = (await this.mergedTree(base, undo)) ?? '';
    const at = await this.git.git('commit-tree', tree, '-p', base, '-m', `Revert "${pull.title}"`);
    await this.git.git('update-ref', `refs/heads/${pull.base}`, at, base);
    return at;
  }

  /** The rules of all rulesets for a branch, each with where it comes from. */
  rulesOf(
    branch: string,
  ): readonly { readonly type: string; readonly ruleset: Ruleset; readonly parameters: unknown }[] {
    return this.rulesets
      .filter(({ branches }) => branches.some((pattern) => covers(pattern, branch)))
      .flatMap((ruleset) => ruleset.rules.map(({ type, parameters }) => ({ type, ruleset, parameters })));
  }

  /** Makes git refuse what the rulesets forbid, in the words of GitHub. */
  enforce(rulesets: readonly Ruleset[]): void {
    this.rulesets = rulesets;
    const cases = rulesets.flatMap(({ branches, rules, bypass }) => {
      const types = rules.map(({ type }) => type);
      const kinds = [
        ...(types.includes('creation') ? ['create'] : []),
        ...(types.includes('deletion') ? ['delete'] : []),
        ...(types.some((type) =>
          /^(update|pull_request|required_status_checks|merge_queue|required_signatures)$/.test(type),
        )
          ? ['update']
          : []),
      ];
      const free =
        bypass.length === 0 ? '' : `case "$REMOTE_USER" in ${bypass.map(quotedPattern).join('|')}) continue;; esac`;
      return kinds.flatMap((kind) =>
        branches.map(
          (pattern) => `case "$kind $ref" in ${kind}\\ refs/heads/${pattern})\n${free}\nsay "$ref"; bad=1;; esac`,
        ),
      );
    });
    this.git.hook(
      'pre-receive',
      [
        'zero=0000000000000000000000000000000000000000',
        'bad=0',
        'say() { echo "error: GH013: Repository rule violations found for $1." >&2; }',
        'while read old new ref; do',
        'kind=update; [ "$old" = $zero ] && kind=create; [ "$new" = $zero ] && kind=delete',
        'for one in 1; do',
        ':',
        ...cases,
        'done',
        'done',
        'exit $bad',
      ].join('\n'),
    );
  }
}

function covers(pattern: string, branch: string): boolean {
  return pattern.endsWith('*') ? branch.startsWith(pattern.replace(/\*+$/, '')) : pattern === branch;
}

/** A login as a pattern of the shell: those of Apps have brackets. */
function quotedPattern(login: string): string {
  return `"${login}"`;
}
