/** Pull requests in memory over a repository in memory: for schedules, where a real forge would cost a second a pass. */

import { createHash } from 'node:crypto';
import { known } from '../../src/api/known.ts';
import type { Actor, Answer, Forge, Pull, PullState, Review, Waiting } from '../../src/ports/forge.ts';
import type { BranchRules } from '../../src/ports/forge-rules.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { GATE } from '../../src/reconcile/write/execute-proposal.ts';
import type { FakeRepository } from './fake-git.ts';

type FakePull = Omit<Pull, 'state' | 'head'> & {
  state: PullState;
  head: string;
  readonly body: string;
  readonly reviews: Review[];
};

/** What goes wrong with one call: before its effect, or after it. */
export type FakeForgeFault = 'silent' | 'lostReply';

const US: Actor = { login: 'tranche[bot]', isBot: true };
const no = known(false);
const NO_RULES: BranchRules = {
  checks: known([]),
  isStrict: no,
  hasMergeQueue: no,
  approvals: known(0),
  needsLastPushApproval: no,
  needsOwnersReview: no,
  needsSignatures: no,
  needsLinearHistory: no,
  takesDirectPush: known(true),
  isOpenToOthers: known(true),
  mergeMethods: known(['merge', 'squash', 'rebase']),
};
const done = <T>(value: T): Answer<T> => ({ kind: 'done', value });

/** What people do to pull requests, and the port of tranche to them. */
export class FakeForge {
  readonly pulls: FakePull[] = [];
  /** The branch is seen to take nothing but what is up to date and has our status. */
  isGuarded = false;
  /** Whether it has more pull requests of a branch than anybody reads. */
  isCrowded: (branch: string) => boolean = () => false;
  /** Asked before every call. */
  fault: (call: string) => FakeForgeFault | undefined = () => undefined;
  private readonly repository: FakeRepository;
  private readonly now: () => number;

  constructor(repository: FakeRepository, now: () => number, from?: FakeForge) {
    this.repository = repository;
    this.now = now;
    this.isGuarded = from?.isGuarded ?? false;
    for (const pull of from?.pulls ?? []) this.pulls.push({ ...pull, reviews: [...pull.reviews] });
  }

  get open(): readonly FakePull[] {
    return this.pulls.filter(({ state }) => state.kind === 'open');
  }

  /** What pushes have made of open ones: a head that moved, a branch that is gone. */
  settle(): void {
    for (const pull of this.open) {
      const head = this.repository.head(pull.branch);
      if (head === undefined) pull.state = { kind: 'closed', at: this.now(), by: undefined };
      else pull.head = head;
    }
  }

  /** False: git says that it conflicts. */
  merge(pull: FakePull, by: Actor, isSquash: boolean): boolean {
    const { repository } = this;
    const { head } = pull;
    const main = repository.head('main') ?? '';
    const writes = this.mergedFiles(pull);
    if (writes === undefined) return false;
    const message = `${pull.title} (#${pull.number})`;
    const commit = isSquash
      ? repository.commit('main', { writes, message })
      : repository.merge('main', [main, head], { writes, message });
    pull.state = { kind: 'merged', at: this.now(), commit, by };
    return true;
  }

  /** What a merge would write; undefined: a conflict. */
  private mergedFiles(pull: FakePull): readonly { readonly path: string; readonly text: string }[] | undefined {
    const { repository } = this;
    const all = [this.baseOf(pull), pull.head, 'main'].map((at) => repository.files(at));
    const [before = {}, after = {}, there = {}] = all;
    const changed = Object.entries(after).filter(([path, text]) => before[path] !== text);
    const merged = changed.map(
      ([path, text]) => [path, mergedText(before[path] ?? '', text, there[path] ?? '')] as const,
    );
    const writes = merged.flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }]));
    return writes.length === merged.length ? writes : undefined;
  }

  /** "Update branch": what main holds by now, and the same change. */
  bringUpToDate(pull: FakePull): void {
    const { repository } = this;
    const changed = this.mergedFiles(pull);
    const main = repository.head('main') ?? '';
    if (changed === undefined || this.baseOf(pull) === main) return;
    const ours = Object.fromEntries(changed.map(({ path, text }) => [path, text]));
    const writes = Object.entries({ ...repository.files('main'), ...ours }).map(([path, text]) => ({ path, text }));
    repository.merge(pull.branch, [pull.head, main], { writes, message: 'Update branch' });
    this.settle();
  }

  close(pull: FakePull, by: Actor): void {
    pull.state = { kind: 'closed', at: this.now(), by };
  }

  /** False: its branch is gone, or another one is open for it. */
  reopen(pull: FakePull): boolean {
    const isTaken = this.open.some(({ branch }) => branch === pull.branch);
    if (isTaken || pull.state.kind !== 'closed' || this.repository.head(pull.branch) === undefined) return false;
    pull.state = { kind: 'open', isDraft: false };
    this.settle();
    return true;
  }

  /** Where it left the line of main. */
  private baseOf({ head }: FakePull): string {
    const main = new Set(this.repository.log('main').map(({ oid }) => oid));
    const left = this.repository.log(head).find(({ oid }) => main.has(oid));
    return left?.oid ?? this.repository.log(head).at(-1)?.oid ?? head;
  }

  /** The port of one process. */
  port(): Forge {
    const call = <T>(name: string, effect: () => Answer<T>): Promise<Answer<T>> => {
      const fault = this.fault(name);
      const silent = (): PortError =>
        new PortError('the forge hung up', { port: 'forge', operation: name, retryable: true, hint: '' });
      if (fault === 'silent') return Promise.reject(silent());
      this.settle();
      const answer = effect();
      return fault === 'lostReply' ? Promise.reject(silent()) : Promise.resolve(answer);
    };
    const one = (number: number): FakePull | undefined => this.pulls.find((pull) => pull.number === number);
    return {
      begin: () => undefined,
      share: () => undefined,
      pulls: ({ prefix, numbers, branches = [] }) =>
        call('pulls', () => {
          if (branches.some((branch) => this.isCrowded(branch)))
            return { kind: 'refused', refusal: 'BranchCrowded', said: 'it has too many', advice: 'Change the steps.' };
          const found = this.pulls.filter(
            ({ branch, number, state }) =>
              (state.kind === 'open' && prefix !== undefined && branch.startsWith(prefix)) ||
              numbers.includes(number) ||
              branches.includes(branch),
          );
          return done(found.toReversed());
        }),
      waiting: (numbers) =>
        call('waiting', () =>
          done(
            numbers.flatMap((number): Waiting[] => {
              const pull = one(number);
              if (pull === undefined) return [];
              const on = this.mergedFiles(pull) === undefined ? [{ reason: 'Conflict', names: [] } as const] : [];
              const rules = known({
                required: this.isGuarded ? [GATE] : [],
                bound: this.isGuarded ? [GATE] : [],
                isStrict: this.isGuarded,
                hasMergeQueue: false,
              });
              return [{ number, head: pull.head, on, rules, statuses: [] }];
            }),
          ),
        ),
      reviews: (number) => call('reviews', () => done(one(number)?.reviews ?? [])),
      members: (_team, logins) => call('members', () => done(logins)),
      makers: () => call('makers', () => done({ logins: [], unclear: [] })),
      self: () => call('self', () => done({ ...US, app: known(77) })),
      rules: () =>
        call('rules', () =>
          done(
            this.isGuarded
              ? { ...NO_RULES, isStrict: known(true), checks: known([{ context: GATE, app: 77 }]) }
              : NO_RULES,
          ),
        ),
      create: (wanted) => call('create', () => this.created(wanted)),
      attach: () => call('attach', () => done([])),
      update: () => call('update', () => done(undefined)),
      close: (number) =>
        call('close', () => {
          const pull = one(number);
          if (pull?.state.kind === 'open') this.close(pull, US);
          return done(undefined);
        }),
      showCheck: () => call('showCheck', () => done(undefined)),
      setStatus: () => call('setStatus', () => done(undefined)),
      comment: () => call('comment', () => done(undefined)),
    };
  }

  private created(
    wanted: Parameters<Forge['create']>[0],
  ): ReturnType<Forge['create']> extends Promise<infer A> ? A : never {
    const there = this.open.find(({ branch }) => branch === wanted.branch);
    if (there !== undefined) return done({ pull: there, isAdopted: true });
    const number = this.pulls.length + 1;
    const pull: FakePull = {
      ...wanted,
      number,
      url: `https://forge.example/${number}`,
      bodyDigest: createHash('sha256').update(wanted.body).digest('hex'),
      isSameRepository: true,
      state: { kind: 'open', isDraft: false },
      author: US,
      createdAt: this.now(),
      reviews: [],
    };
    this.pulls.push(pull);
    return done({ pull, isAdopted: false });
  }
}

/** An approving review at the head as it is. */
export function approve(pull: FakePull, by: Actor, at: number): void {
  pull.reviews.push({ author: by, verdict: 'approved', oid: pull.head, at, mayWrite: known(true) });
}

/** One stretch of lines that became others. */
type Hunk = { readonly from: number; readonly to: number; readonly lines: readonly string[] };

/** As git merges a text of which each side has changed one stretch; undefined: they touch each other, which conflicts. */
function mergedText(base: string, ours: string, theirs: string): string | undefined {
  if (theirs === base || ours === theirs) return ours;
  if (ours === base) return theirs;
  const lines = base.split('\n');
  const [left, right] = [hunkOf(lines, ours.split('\n')), hunkOf(lines, theirs.split('\n'))];
  const [first, second] = left.from <= right.from ? [left, right] : [right, left];
  if (first.to >= second.from) return undefined;
  return [
    ...lines.slice(0, first.from),
    ...first.lines,
    ...lines.slice(first.to, second.from),
    ...second.lines,
    ...lines.slice(second.to),
  ].join('\n');
}

function hunkOf(base: readonly string[], changed: readonly string[]): Hunk {
  let from = 0;
  while (from < Math.min(base.length, changed.length) && base[from] === changed[from]) from += 1;
  let end = 0;
  while (end < Math.min(base.length, changed.length) - from && base.at(-1 - end) === changed.at(-1 - end)) end += 1;
  return { from, to: base.length - end, lines: changed.slice(from, changed.length - end) };
}
