/** A Git in memory with the ids that real Git would give: for scenarios and simulations, with faults on order. */

import { buildUpdates } from '../../src/adapters/git/commit-chain.ts';
import { gitError } from '../../src/adapters/git/git-error.ts';
import { defaultGitLimits } from '../../src/adapters/git/limits.ts';
import { answerNow, type Batch, type Lookup } from '../../src/adapters/git/object-question.ts';
import {
  decodeCommit,
  decodeTree,
  encodeCommit,
  encodeEntries,
  type GitObject,
  oidOf,
} from '../../src/adapters/git/objects.ts';
import { differingPaths } from '../../src/adapters/git/tree-differences.ts';
import { walkTree } from '../../src/adapters/git/tree-walk.ts';
import type {
  BranchUpdate,
  CommitHeader,
  FileWrite,
  Git,
  NewCommit,
  Oid,
  PushResult,
  ReadRequest,
  Signature,
  Tree,
} from '../../src/ports/git.ts';

type Heads = ReadonlyMap<string, Oid>;

export type FakeOperation =
  | { readonly kind: 'heads'; readonly branches: readonly string[] }
  | { readonly kind: 'readAt'; readonly commit: Oid; readonly request: ReadRequest }
  | { readonly kind: 'history'; readonly from: Oid }
  | { readonly kind: 'push'; readonly updates: readonly BranchUpdate[] };

/** What goes wrong with one call. */
export type FakeFault =
  /** Nothing happens; a PortError that says so. */
  | { readonly kind: 'fail'; readonly retryable: boolean }
  /** Only for a push: it is applied, then the caller gets a PortError as if nothing had been heard. */
  | { readonly kind: 'lostReply' }
  /** Only for `heads`: the branches as they were this many moves ago (a lagging replica). */
  | { readonly kind: 'stale'; readonly moves: number }
  /** Only for a push: a hook refuses this branch, if it is part of the push. */
  | { readonly kind: 'refuse'; readonly branch: string; readonly rule: string }
  /** Only for a push: somebody else was first (nothing is written, though the branches are as expected). */
  | { readonly kind: 'moved' }
  /** The process dies: before anything happened, or (a push only) right after. */
  | { readonly kind: 'crash'; readonly when: 'before' | 'after' };

/** What a crashed process throws: no PortError, nobody may catch it but the test. */
export class FakeCrash extends Error {}

export type FakeGitOptions = {
  /** Asked before every call; may also change the repository, as another writer would. */
  readonly before?: (operation: FakeOperation) => FakeFault | undefined;
};

/** A commit by anybody; fields left out are filled in. */
export type FakeCommit = {
  /** Also bytes, for files that are no text. */
  readonly writes: readonly { readonly path: string; readonly text: string | Buffer | undefined }[];
  readonly message?: string;
  readonly signature?: Signature;
  readonly orphan?: boolean;
};

const somebody: Signature = { name: 'Ada', email: 'ada@example.com', atSeconds: 1_700_000_000 };

export class FakeRepository {
  readonly objects = new Map<Oid, GitObject>();
  /** All states of the branches, oldest first; the last is the present. */
  private readonly states: Heads[] = [new Map()];
  /** Answers to reads by commit and request: objects never change. Shared by copies. */
  private trees = new Map<string, Tree>();
  /** The same of commits. */
  private headers = new Map<Oid, CommitHeader>();
  /** How often each kind of call was made, by all who opened the repository. */
  readonly calls = { heads: 0, readAt: 0, history: 0, push: 0, objectsWritten: 0 };

  /** A repository with one branch that holds `files`. */
  static withFiles(files: Readonly<Record<string, string>>, branch = 'main'): FakeRepository {
    const repository = new FakeRepository();
    const writes = Object.entries(files).map(([path, text]) => ({ path, text }));
    repository.commit(branch, { writes, message: 'start', orphan: true });
    return repository;
  }

  /** Another process's view of the same repository. */
  open(options: FakeGitOptions = {}): Git {
    return openFake(this, options);
  }

  /** An independent copy of the present, for "what if" runs. Objects never change and are shared by value. */
  copy(): FakeRepository {
    const copy = new FakeRepository();
    for (const [oid, object] of this.objects) copy.objects.set(oid, object);
    copy.states.splice(0, 1, ...this.states);
    copy.trees = this.trees;
    copy.headers = this.headers;
    return copy;
  }

  head(branch: string): Oid | undefined {
    return this.present().get(branch);
  }

  branches(): readonly string[] {
    return [...this.present().keys()].sort();
  }

  /** The branches as they were `moves` moves ago, or at the beginning. */
  stateBefore(moves: number): Heads {
    return this.states[Math.max(0, this.states.length - 1 - moves)] ?? new Map();
  }

  /** A commit by someone or another tool, on whatever the branch is at now. */
  commit(branch: string, commit: FakeCommit): Oid {
    const updates = [
      {
        branch,
        expectedOld: this.head(branch),
        base: commit.orphan === true ? undefined : this.head(branch),
        commits: [
          {
            // The builder takes the bytes of whatever it gets; the port promises it only texts.
            writes: commit.writes as readonly FileWrite[],
            message: commit.message ?? 'edit',
            signature: commit.signature ?? somebody,
          },
        ],
      },
    ];
    // People name their files as they like.
    const built = this.build(updates, () => undefined);
    if (built.kind === 'refused') throw new Error(built.rule);
    const head = built.heads[0]!;
    this.setHead(branch, head);
    return head;
  }

  /** A symbolic link by someone, in folders that exist or not. */
  link(branch: string, path: string, target: string): Oid {
    const oid = this.commit(branch, { writes: [{ path, text: target }], message: `link ${path}` });
    return this.commitMode({ branch, path, parents: this.header(oid).parents, from: oid, mode: '120000' });
  }

  /** A commit of another repository by someone, under a new path. */
  submodule(branch: string, path: string): Oid {
    const oid = this.commit(branch, { writes: [{ path, text: 'elsewhere' }], message: `submodule ${path}` });
    return this.commitMode({ branch, path, parents: this.header(oid).parents, from: oid, mode: '160000' });
  }

  /** Takes away what `link` made: no pass may write such a path. */
  unlink(branch: string, path: string): Oid {
    const from = this.head(branch)!;
    const plain = this.commitMode({ branch, path, parents: [from], from, mode: '100644' });
    return this.commit(branch, { writes: [{ path, text: undefined }], message: `take ${path} away after ${plain}` });
  }

  private commitMode(of: {
    readonly branch: string;
    readonly path: string;
    readonly parents: readonly Oid[];
    readonly from: Oid;
    readonly mode: string;
  }): Oid {
    const { tree: root } = decodeCommit(of.from, this.object(of.from, 'read').bytes);
    const tree = this.treeWithMode(root, of.path.split('/'), of.mode);
    const made = encodeCommit({ tree, parents: of.parents, signature: somebody, message: `${of.path}: ${of.mode}` });
    const oid = oidOf(made);
    this.objects.set(oid, made);
    this.setHead(of.branch, oid);
    return oid;
  }

  private treeWithMode(tree: Oid, [name = '', ...below]: readonly string[], mode: string): Oid {
    const entries = decodeTree(this.object(tree, 'read').bytes).map((entry) => {
      if (entry.name !== name) return entry;
      return below.length === 0 ? { ...entry, mode } : { ...entry, oid: this.treeWithMode(entry.oid, below, mode) };
    });
    const made = encodeEntries(entries);
    const oid = oidOf(made);
    this.objects.set(oid, made);
    return oid;
  }

  /** A merge commit by someone: the tree of the branch with `writes`, and these parents, the first of them first. */
  merge(branch: string, parents: readonly Oid[], commit: FakeCommit): Oid {
    const before = this.head(branch);
    const plain = this.commit(branch, commit);
    const { tree } = decodeCommit(plain, this.object(plain, 'read').bytes);
    const { message = 'merge', signature = somebody } = commit;
    const merged = encodeCommit({ tree, parents, signature, message });
    const oid = oidOf(merged);
    this.objects.set(oid, merged);
    this.setHead(branch, before);
    this.setHead(branch, oid);
    return oid;
  }

  /** Moves a branch by force; undefined deletes it. */
  setHead(branch: string, oid: Oid | undefined): void {
    const next = new Map(this.present());
    if (oid === undefined) next.delete(branch);
    else next.set(branch, oid);
    this.states.push(next);
  }

  /** All texts at a branch or commit, by path. Throws where it does not exist. */
  files(at: string): Readonly<Record<string, string>> {
    const tree = this.readAt(this.head(at) ?? at, { paths: [''], suffixes: [], markers: [] });
    return Object.fromEntries(
      tree.files.flatMap((file) => (file.content.kind === 'text' ? [[file.path, file.content.text]] : [])),
    );
  }

  /** One text at a branch or commit; undefined where there is no such file. */
  text(at: string, path: string): string | undefined {
    const tree = this.readAt(this.head(at) ?? at, { paths: [path], suffixes: [], markers: [] });
    const content = tree.files.find((file) => file.path === path)?.content;
    return content?.kind === 'text' ? content.text : undefined;
  }

  /** The first-parent line of a branch or commit, newest first. */
  log(at: string): readonly CommitHeader[] {
    const from = this.head(at) ?? at;
    return this.history(from, undefined, Number.MAX_SAFE_INTEGER);
  }

  readAt(commit: Oid, request: ReadRequest): Tree {
    const { bytes } = this.object(commit, 'read');
    const key = `${commit} ${JSON.stringify(request)}`;
    const known = this.trees.get(key);
    if (known !== undefined) return known;
    const { tree: root } = decodeCommit(commit, bytes);
    const found = answerNow(walkTree(root, request, defaultGitLimits), (batch) => this.lookup(batch));
    if (found === undefined) throw new Error(`${commit} has more files than a test needs`);
    const tree = { commit, ...found };
    this.trees.set(key, tree);
    return tree;
  }

  differences(before: Oid, after: Oid): readonly string[] | undefined {
    const rootOf = (oid: Oid) => decodeCommit(oid, this.object(oid, 'read').bytes).tree;
    const question = differingPaths({ was: rootOf(before), now: rootOf(after) }, defaultGitLimits);
    return answerNow(question, (batch) => this.lookup(batch));
  }

  history(from: Oid, until: Oid | undefined, limit: number): readonly CommitHeader[] {
    const line: CommitHeader[] = [];
    for (let next: Oid | undefined = from; next !== undefined && line.length < limit; ) {
      const header = this.header(next);
      line.push(header);
      next = next === until ? undefined : header.parents[0];
    }
    return line;
  }

  private header(commit: Oid): CommitHeader {
    const { bytes } = this.object(commit, 'history');
    const known = this.headers.get(commit);
    if (known !== undefined) return known;
    const { oid, parents, author, committedAt, message } = decodeCommit(commit, bytes);
    const header = { oid, parents, author, committedAt, message };
    this.headers.set(commit, header);
    return header;
  }

  /** The compare-and-swap itself. */
  push(updates: readonly BranchUpdate[]): PushResult {
    const moved = updates.some((update) => this.head(update.branch) !== update.expectedOld);
    if (moved) return { kind: 'moved' };
    const built = this.build(updates);
    if (built.kind === 'refused') return built;
    const next = new Map(this.present());
    for (const [i, { branch }] of updates.entries()) {
      const head = built.heads[i];
      if (head === undefined) next.delete(branch);
      else next.set(branch, head);
    }
    this.states.push(next);
    return { kind: 'pushed', heads: built.heads, commits: built.commits };
  }

  /** True where every branch is already at what this push would write. */
  alreadyPushed(updates: readonly BranchUpdate[]): PushResult | undefined {
    const known = updates.every(({ expectedOld }) => expectedOld === undefined || this.objects.has(expectedOld));
    if (!known) return undefined;
    const built = this.build(updates);
    if (built.kind === 'refused') return undefined;
    const same = updates.every((update, i) => this.head(update.branch) === built.heads[i]);
    return same ? { kind: 'pushed', heads: built.heads, commits: built.commits } : undefined;
  }

  private build(updates: readonly BranchUpdate[], pathFault?: (path: string) => string | undefined) {
    const built = answerNow(buildUpdates(updates, pathFault), (batch) => this.lookup(batch));
    if (built.kind === 'refused') return built;
    for (const [oid, object] of built.objects) this.objects.set(oid, object);
    this.calls.objectsWritten += built.objects.size;
    return built;
  }

  private present(): Heads {
    return this.states.at(-1) ?? new Map();
  }

  private lookup(_batch: Batch): Lookup {
    return (oid) => this.object(oid, 'read');
  }

  private object(oid: Oid, operation: 'read' | 'history'): GitObject {
    const found = this.objects.get(oid);
    if (found === undefined) {
      throw gitError(`the repository has no object ${oid}`, { operation, retryable: true, missing: oid });
    }
    return found;
  }
}

function openFake(repository: FakeRepository, options: FakeGitOptions): Git {
  const faultOf = (operation: FakeOperation): FakeFault | undefined => {
    repository.calls[operation.kind] += 1;
    const fault = options.before?.(operation);
    const name = operation.kind === 'readAt' ? 'read' : operation.kind;
    if (fault?.kind === 'fail') {
      throw gitError('the connection was reset', { operation: name, retryable: fault.retryable });
    }
    if (fault?.kind === 'crash' && fault.when === 'before') throw new FakeCrash(`crashed before ${operation.kind}`);
    return fault;
  };
  return {
    begin: () => undefined,
    heads: async (branches) => {
      const fault = faultOf({ kind: 'heads', branches });
      const state = repository.stateBefore(fault?.kind === 'stale' ? fault.moves : 0);
      return branches.map((branch) => state.get(branch));
    },
    expect: () => undefined,
    readAt: async (commit, request) => {
      faultOf({ kind: 'readAt', commit, request });
      return repository.readAt(commit, request);
    },
    differences: async (before, after) => {
      faultOf({ kind: 'readAt', commit: after, request: { paths: [], suffixes: [], markers: [] } });
      return repository.differences(before, after);
    },
    history: async (from, until, limit) => {
      faultOf({ kind: 'history', from });
      return repository.history(from, until, limit);
    },
    push: async (updates) => fakePush(repository, updates, faultOf({ kind: 'push', updates })),
    heldFast: async () => undefined,
  };
}

function fakePush(
  repository: FakeRepository,
  updates: readonly BranchUpdate[],
  fault: FakeFault | undefined,
): PushResult {
  if (fault?.kind === 'moved') return { kind: 'moved' };
  if (fault?.kind === 'refuse' && updates.some((update) => update.branch === fault.branch)) {
    return { kind: 'refused', branch: fault.branch, rule: fault.rule, advice: undefined };
  }
  const result = repository.push(updates);
  if (result.kind === 'moved') return repository.alreadyPushed(updates) ?? result;
  if (result.kind === 'refused') return result;
  if (fault?.kind === 'crash') throw new FakeCrash('crashed after push');
  if (fault?.kind === 'lostReply') {
    throw gitError('the reply was lost', { operation: 'push', retryable: true });
  }
  return result;
}

/** One commit for a push, with what tests seldom care about filled in. */
export function newCommit(
  files: Readonly<Record<string, string | undefined>>,
  rest: Partial<NewCommit> = {},
): NewCommit {
  const writes = Object.entries(files).map(([path, text]) => ({ path, text }));
  return { writes, message: 'change', signature: somebody, ...rest };
}
