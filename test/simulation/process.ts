/** One reconciler: the production pass behind ports whose every call waits for its turn, and may go wrong or be the last. */

import type { Builder } from '../../src/ports/builder.ts';
import type { Cluster as ClusterPort } from '../../src/ports/cluster.ts';
import { type BranchUpdate, type Git, isDeletion } from '../../src/ports/git.ts';
import { explain, PortError } from '../../src/ports/port-error.ts';
import * as fullPass from '../../src/reconcile/full-pass.ts';
import { type Memory, NO_OVERRIDES, newMemory, type PassResult, type Ports } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { fakeCluster, type ReadFault } from '../support/fake-cluster.ts';
import type { FakeFault } from '../support/fake-git.ts';
import { signaturesOf } from '../support/status-key.ts';
import { type BuildFault, buildWith, modelBuilder } from './built-port.ts';
import { notifierOf } from './notified.ts';
import { FORWARD } from './our-commit.ts';
import { isSecret, withTokens } from './secret.ts';
import { gitThatSaysBack } from './spoken-back.ts';
import { LawBroken } from './timeline.ts';
import type { Universe } from './universe.ts';

export type PortFault =
  | { readonly port: 'git'; readonly fault: FakeFault }
  | { readonly port: 'cluster'; readonly fault: ReadFault }
  | { readonly port: 'builder'; readonly fault: BuildFault };

/** A call that has been made and not happened yet. */
export type Pending = {
  readonly kind: 'heads' | 'readAt' | 'history' | 'push' | 'list' | 'build';
  readonly what: string;
  /** Lets it happen; the process hears of it unless it is dead. */
  readonly happen: (fault: PortFault | undefined) => void;
  /** The newest version of the cluster that the pass has seen when the call happens. */
  readonly seen: number;
  /** Of a push: whether a branch has moved since it was prepared. */
  readonly stale?: () => boolean;
};

type Pass = {
  readonly begunAt: number;
  /** The newest version of the cluster that was read. */
  seen: number;
  /** Every head that was read, by branch. */
  readonly heads: Map<string, Set<string | undefined>>;
};

export type PassEnd =
  | { readonly kind: 'done'; readonly result: PassResult }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A pass loads this file when it needs it; it must be there already, or a pass waits for a disk in mid-schedule. */
export const loaded: unknown = fullPass;

/** Parses by blob id, shared by all processes of all schedules: a pure cache, kept small. */
const parsed: Memory['parsed'] = newMemory().parsed;
const PARSED_MAX = 400;

export function freshMemory(): Memory {
  if (parsed.size > PARSED_MAX) parsed.clear();
  return { ...newMemory(), parsed };
}

/** What is changed in place is copied. What trials and texts keep is by what they were asked, and shared. */
function twinMemory(memory: Memory): Memory {
  const { known, metrics, builds } = memory;
  return {
    ...memory,
    known: {
      numbers: new Map(known.numbers),
      signers: new Map(known.signers),
      own: new Map(known.own),
    },
    metrics: { judged: new Map(metrics.judged), pasts: new Map(metrics.pasts) },
    builds: new Map(builds),
  };
}

/** Rounds of the event loop that a process may take to come to its next call. */
const ROUNDS_MAX = 10_000;

export class Process {
  readonly name: string;
  pending: Pending[] = [];
  running = false;
  /** Seconds by which its clock is wrong. */
  skewSeconds = 0;
  /** Only for one pass. */
  skewedOnce = false;
  private pass: Pass = { begunAt: 0, seen: 0, heads: new Map() };
  private life = 0;
  private memory = freshMemory();
  private readonly universe: Universe;
  private ended: PassEnd | undefined;

  constructor(universe: Universe, name: string) {
    this.universe = universe;
    this.name = name;
  }

  /** The same process between two passes, in a twin of the world. */
  twin(universe: Universe): Process {
    if (this.running || this.ended !== undefined) throw new Error(`${this.name} has no twin in the middle of a pass`);
    const twin = new Process(universe, this.name);
    twin.skewSeconds = this.skewSeconds;
    twin.skewedOnce = this.skewedOnce;
    twin.memory = twinMemory(this.memory);
    return twin;
  }

  /** Starts a pass; it stands still at its first call. */
  async start(): Promise<PassEnd | undefined> {
    const life = this.life;
    this.pass = { begunAt: this.universe.now, seen: 0, heads: new Map() };
    this.running = true;
    const end = (ended: PassEnd): void => {
      if (life !== this.life) return;
      this.ended = ended;
      this.running = false;
    };
    runPass(this.ports(), this.memory, { overrides: NO_OVERRIDES, write: true, only: [] }).then(
      (result) => end({ kind: 'done', result }),
      (error: unknown) => end({ kind: 'failed', error }),
    );
    return this.proceed();
  }

  /** Lets one call happen, and the process go on to its next; the end of the pass, if that was it. */
  async deliver(call: Pending, fault: PortFault | undefined): Promise<PassEnd | undefined> {
    this.pending = this.pending.filter((other) => other !== call);
    call.happen(fault);
    return this.proceed();
  }

  /** The process is gone with all it knew; calls in progress are lost. A new one takes its place. */
  crash(): void {
    this.life += 1;
    this.pending = [];
    this.running = false;
    this.ended = undefined;
    this.memory = freshMemory();
    this.skewSeconds = 0;
  }

  private async proceed(): Promise<PassEnd | undefined> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.pending.length > 0 || !this.running) {
        const { ended } = this;
        this.ended = undefined;
        return ended;
      }
    }
    throw new Error(`${this.name} neither calls a port nor ends`);
  }

  private ports(): Ports {
    const say = (text: string): void => {
      if (isSecret(text)) this.universe.wrong ??= new LawBroken('H3 no secret leaves', `${this.name} logs it`);
    };
    return {
      git: this.git(),
      cluster: this.clusterPort(),
      clock: {
        now: () => this.universe.now + this.skewSeconds,
        sleep: async () => undefined,
        // Other worlds have servers that do not tell the time: there nothing but the groups' own times is right.
        ...(this.universe.setup.policies === true ? { offSeconds: () => -this.skewSeconds } : {}),
      },
      log: { info: say, warn: say, error: say },
      ...surroundingsOf(this.universe),
      ...(this.universe.setup.base === undefined ? {} : { builder: this.builder() }),
    };
  }

  private ask<T>(
    kind: Pending['kind'],
    what: string,
    effect: (fault: PortFault | undefined) => Promise<T>,
    stale?: () => boolean,
  ): Promise<T> {
    const { life, pass } = this;
    return new Promise<T>((resolve, reject) => {
      this.pending.push({
        kind,
        what,
        get seen() {
          return pass.seen;
        },
        ...(stale === undefined ? {} : { stale }),
        happen: (fault) => {
          const outcome = effect(fault);
          // A dead process hears nothing; what it asked for has happened all the same.
          if (life === this.life) outcome.then(resolve, reject);
          else outcome.catch(() => undefined);
        },
      });
    });
  }

  private git(): Git {
    const { universe } = this;
    const open = (fault: PortFault | undefined): Git => {
      const git = universe.repository.open({ before: () => (fault?.port === 'git' ? fault.fault : undefined) });
      return universe.setup.hostile === undefined ? git : gitThatSaysBack(git);
    };
    return {
      begin: () => undefined,
      heads: (branches) => {
        const { pass } = this;
        return this.ask('heads', 'heads', async (fault) => {
          const heads = await open(fault).heads(branches);
          for (const [i, branch] of branches.entries())
            pass.heads.set(branch, (pass.heads.get(branch) ?? new Set()).add(heads[i]));
          return heads;
        });
      },
      expect: () => undefined,
      readAt: (commit, request) =>
        this.ask('readAt', `read ${commit.slice(0, 7)}`, (fault) => open(fault).readAt(commit, request)),
      differences: (before, after) =>
        this.ask('readAt', `compare ${after.slice(0, 7)}`, (fault) => open(fault).differences(before, after)),
      history: (from, until, limit) =>
        this.ask('history', `history ${from.slice(0, 7)}`, (fault) => open(fault).history(from, until, limit)),
      push: (updates) => {
        const { pass } = this;
        for (const { branch, expectedOld } of updates) {
          const seen = pass.heads.get(branch);
          if (seen?.has(expectedOld) === true) continue;
          universe.wrong ??= new LawBroken(
            expectedOld === undefined ? 'S10 no resurrect' : 'S5 parent as planned',
            `${this.name} expects ${branch} at ${expectedOld ?? 'nothing'}, which it never read`,
          );
        }
        for (const message of updates.flatMap(messagesOf)) universe.planned.set(message.trim(), pass.begunAt);
        if (updates.length === 1 && messagesOf(updates[0]).some(isForward))
          universe.wrong ??= new LawBroken('S11 recorded', `${this.name} pushes a step without its record`);
        return this.ask(
          'push',
          `push ${updates.flatMap((update) => messagesOf(update).map((message) => `${update.branch}: ${message.split('\n')[0]}`)).join(' & ')}`,
          async (fault) => {
            universe.longestPassSeconds = Math.max(universe.longestPassSeconds, universe.now - pass.begunAt);
            const result = await open(fault).push(updates);
            if (result.kind === 'pushed')
              for (const [i, { branch }] of updates.entries()) pass.heads.get(branch)?.add(result.heads[i]);
            return result;
          },
          () => updates.some(({ branch, expectedOld }) => this.universe.repository.head(branch) !== expectedOld),
        );
      },
      heldFast: async () => undefined,
    };
  }

  private builder(): Builder {
    return {
      isNamed: true,
      build: (input) =>
        this.ask('build', `build ${input.root}`, async (fault) =>
          buildWith(input, fault?.port === 'builder' ? fault.fault : undefined),
        ),
    };
  }

  private clusterPort(): ClusterPort {
    const open = (fault: PortFault | undefined, pass: { seen: number }): ClusterPort => {
      const lie = fault?.port === 'cluster' ? fault.fault : undefined;
      const version =
        lie?.kind === 'stale' ? Number(lie.reading.resourceVersion) : this.universe.cluster.objects.resourceVersion;
      if (lie?.kind !== 'unknown') pass.seen = Math.max(pass.seen, version);
      const plain = fakeCluster({ model: this.universe.cluster, fault: () => lie });
      return this.universe.setup.hostile === undefined ? plain : withTokens(plain);
    };
    return {
      list: (resource, options, take) => {
        const { pass } = this;
        return this.ask('list', `list ${resource.plural}`, (fault) => open(fault, pass).list(resource, options, take));
      },
    };
  }
}

/** What every process has in its environment: the key, where main names one, whom it notifies where somebody is hostile, and kustomize. */
export function surroundingsOf(universe: Universe): Pick<Ports, 'signatures' | 'notifier' | 'builder'> {
  const { keyed, hostile, base } = universe.setup;
  return {
    ...(base === undefined ? {} : { builder: modelBuilder }),
    ...(keyed === true ? { signatures: signaturesOf() } : {}),
    ...(hostile === undefined ? {} : { notifier: notifierOf(universe) }),
  };
}

function messagesOf(update: BranchUpdate | undefined): readonly string[] {
  return update === undefined || isDeletion(update) ? [] : update.commits.map(({ message }) => message);
}

function isForward(message: string): boolean {
  return [...FORWARD, 'Promoted'].includes(/^Rollout-Reason: (\w+)$/m.exec(message)?.[1] ?? '');
}

/** What a pass tells people, and what it writes of a Rollout. */
function answerOf({ issues, warnings, outcomes }: PassResult): string {
  return JSON.stringify([issues, warnings, outcomes.map(({ error, plan }) => [error, plan])]);
}

/** Only the world may fail a pass; anything else is a bug. */
export function checkEnd(end: PassEnd | undefined): void {
  if (end === undefined) return;
  if (end.kind === 'failed' && !(end.error instanceof PortError)) throw end.error;
  if (end.kind === 'failed') {
    if (isSecret(explain(end.error))) throw new LawBroken('H3 no secret leaves', 'a pass ends with it');
    return;
  }
  if (isSecret(answerOf(end.result))) throw new LawBroken('H3 no secret leaves', 'a pass answers with it');
  for (const { error, plan } of end.result.outcomes) {
    if (error?.startsWith('bug:') === true) throw new LawBroken('no crash', error);
    const issue = plan?.issues.find((found) => found.reason === 'StepCheckFailed');
    if (issue !== undefined) throw new LawBroken('no crash', issue.message);
  }
}
