/** The stage of a story: a world in memory, the people who edit its files, its agent, and what goes wrong when. */

import { gitError } from '../../../src/adapters/git/git-error.ts';
import type { JsonObject } from '../../../src/api/json.ts';
import { newKnownTexts } from '../../../src/manifests/known-texts.ts';
import { applyEdits } from '../../../src/manifests/splice/apply-edits.ts';
import type { BranchUpdate, Git } from '../../../src/ports/git.ts';
import { newTrials, type Trials } from '../../../src/reconcile/desired/trials.ts';
import type { Memory, Ports } from '../../../src/reconcile/pass.ts';
import type { Edit, ObjectRef } from '../../../src/rollout/edits/edit.ts';
import { syncCommit } from '../../../src/simulator/agent/agent.ts';
import type { Cluster } from '../../../src/simulator/cluster-model.ts';
import type { Gate, LwsVersion } from '../../../src/simulator/modes.ts';
import { type KubeObject, part, text } from '../../../src/simulator/objects/objects.ts';
import { LWS } from '../../../src/simulator/objects/resource-table.ts';
import type { Stock } from '../../../src/simulator/world.ts';
import { admissionVerdict } from '../admission.ts';
import { type Dates, datedCluster } from '../dated-cluster.ts';
import { fakeCluster } from '../fake-cluster.ts';
import type { FakeRepository } from '../fake-git.ts';
import { SimulatedMetrics } from '../simulated-metrics.ts';
import { AGENT, manifestsAt, World } from '../world.ts';
import { failingPercent } from './requests.ts';

export const NAMESPACE = 'llm';

/** Pods that do not get ready, while they run an image that contains `image`. */
export type Sickness = {
  readonly name: string;
  readonly group: number;
  readonly image: string;
  readonly pods: 'all' | 'workers';
};

/** What happens between the decision and the push; it is told the repository, because every rehearsal has its own. */
export type Interruption = (
  repository: FakeRepository,
  pass: (repository: FakeRepository) => Promise<unknown>,
) => void | Promise<unknown>;

export type Hook = { readonly refuses: (update: BranchUpdate) => boolean; readonly rule: string };

export type Applied = { readonly refused: readonly string[]; readonly notes: readonly string[] };

export type Beginning = {
  readonly lws: LwsVersion;
  readonly gate: Gate;
  readonly loadSeconds: number;
  /** undefined: there is a place for every pod. */
  readonly stock: Stock | undefined;
};

const FOLDERS = ['apps'];
const REQUESTS = 'requests';

export class Stage {
  readonly world: World;
  readonly sick: Sickness[] = [];
  /** Between decision and push of the next pass only. */
  interruption: Interruption | undefined;
  hook: Hook | undefined;
  /** Why the API server does not answer; undefined: it does. */
  unreadable: string | undefined;
  /** The next push lands, and nobody hears of it. */
  losesAnswer = false;
  /** Files that passes have parsed, by blob. */
  readonly parsed: Memory['parsed'] = new Map();
  /** How texts read that passes and rehearsals have met. */
  readonly known = newKnownTexts();
  /** What servers of metrics say; asked only where a policy names an Analysis. */
  readonly metrics = new SimulatedMetrics();
  /** What rehearsals have tried on the files that they share. */
  readonly trials: Trials = { ...newTrials(), known: this.known };
  /** What the last pass left and waited for; see `rehearse.ts`. */
  seen = '';
  /** What the passes logged, rehearsals aside. */
  readonly log: string[] = [];
  /** By how much the clock of tranche is wrong; behind is less than nothing. */
  clockAheadSeconds = 0;
  /** Whether processes hold the key that main names. */
  hasKey = true;
  /** When objects were last changed, for processes that have no record to go by. */
  private readonly dates: Dates = new Map();
  asleep = false;
  prunes = true;
  policyInForce = false;
  ignored: readonly (readonly string[])[] = [];
  /** How many seconds some requests found nobody, since clients send any. */
  failedSeconds = 0;
  /** What is looked at every second, by what it is about. */
  private readonly watches = new Map<string, () => void>();
  /** The commit that the agent applied last. */
  applied: string | undefined;

  constructor(files: Readonly<Record<string, string>>, beginning: Beginning) {
    this.world = new World({
      files,
      signed: true,
      cluster: {
        lws: beginning.lws,
        gate: beginning.gate,
        ...(beginning.stock === undefined ? {} : { stock: beginning.stock }),
        readiness: (pod) => (this.isSick(pod) ? 'never' : beginning.loadSeconds),
      },
    });
  }

  /** The same stage, independent from now on; who is sick stays as it is here. Nothing of it is watched. */
  fork(): Stage {
    const copy = Object.assign(Object.create(Stage.prototype) as Stage, this, {
      world: this.world.fork(),
      watches: new Map<string, () => void>(),
      dates: new Map(this.dates),
      log: [],
    });
    return copy;
  }

  get repository(): FakeRepository {
    return this.world.repository;
  }

  get cluster(): Cluster {
    return this.world.cluster;
  }

  private isSick(pod: KubeObject): boolean {
    const labels = pod.metadata.labels ?? {};
    return this.sick.some(
      ({ name, group, image, pods }) =>
        (pods === 'all' || labels['leaderworkerset.sigs.k8s.io/worker-index'] !== '0') &&
        labels['leaderworkerset.sigs.k8s.io/name'] === name &&
        labels['leaderworkerset.sigs.k8s.io/group-index'] === String(group) &&
        JSON.stringify(pod['spec']).includes(image),
    );
  }

  /** Looks at something every second from now on; undefined: no more. */
  watch(what: string, look: (() => void) | undefined): void {
    if (look === undefined) this.watches.delete(what);
    else this.watches.set(what, look);
    this.world.everySecond = () => {
      for (const each of this.watches.values()) each();
    };
  }

  /** Clients of every route, one look a second. */
  sendRequests(): void {
    this.failedSeconds = 0;
    this.watch(REQUESTS, () => {
      if (failingPercent(this.cluster) > 0) this.failedSeconds += 1;
    });
  }

  get requestsAreSent(): boolean {
    return this.watches.has(REQUESTS);
  }

  /** A commit by someone or a bot on a branch of any copy of the repository. */
  commit(
    who: string,
    writes: readonly { readonly path: string; readonly text: string | undefined }[],
    message: string,
    repository = this.repository,
  ): string {
    const signature = { name: who, email: `${who.toLowerCase()}@example.com`, atSeconds: this.world.now };
    return repository.commit('main', { writes, message, signature });
  }

  /** Every occurrence of `from` in a file becomes `to`. */
  change(
    who: string,
    edit: { readonly file: string; readonly from: string; readonly to: string },
    repository = this.repository,
  ): string {
    const old = repository.text('main', edit.file);
    if (old?.includes(edit.from) !== true) throw new Error(`${edit.file} does not contain ${edit.from}`);
    const writes = [{ path: edit.file, text: old.replaceAll(edit.from, edit.to) }];
    return this.commit(who, writes, `${edit.file}: ${edit.to.trim().split('\n').at(-1)?.trim()}`, repository);
  }

  /** Sets or removes fields of one object, as the command line does: every other byte stays. */
  splice(
    who: string,
    object: { readonly kind: string; readonly name: string },
    of: { readonly edits: readonly Edit[]; readonly message: string },
  ): string {
    const { file, ref } = this.find(object.kind, object.name);
    const spliced = applyEdits(this.repository.text('main', file) ?? '', { file, object: ref, edits: of.edits });
    if (spliced.kind === 'refused') throw new Error(spliced.issue.message);
    return this.commit(who, [{ path: file, text: spliced.text }], of.message);
  }

  /** Where an object stands in main. */
  find(kind: string, name: string): { readonly file: string; readonly ref: ObjectRef; readonly value: JsonObject } {
    for (const [file, documents] of manifestsAt(this.repository, 'main', ['apps', 'rollouts', 'policies'])) {
      for (const value of documents) {
        if (value['kind'] !== kind || nameOf(value) !== name) continue;
        const ref = {
          apiVersion: text(value['apiVersion']),
          kind,
          namespace: text(part(value, 'metadata')['namespace']),
          name,
        };
        return { file, ref, value };
      }
    }
    throw new Error(`main has no ${kind} ${name}`);
  }

  /** The agent applies a commit, or some objects of it. */
  sync(at: string, only?: (manifest: JsonObject) => boolean): Applied {
    const commit = manifestsAt(this.repository, at, FOLDERS);
    const again = this.applied === (this.repository.head(at) ?? at) && !this.policyInForce;
    const verdicts = again ? [] : this.verdicts([...commit.values()].flat());
    const denied = verdicts.filter((verdict) => verdict.message !== '');
    if (denied.length > 0 && this.onlyOurs(at))
      throw new Error(`the admission policy refuses our own commit: ${denied.map((one) => one.message).join('; ')}`);
    const shut = this.policyInForce ? denied.map((one) => one.name) : [];
    const chosen = (manifest: JsonObject): boolean =>
      (only?.(manifest) ?? true) && !(manifest['kind'] === 'LeaderWorkerSet' && shut.includes(nameOf(manifest)));
    const answers = syncCommit(this.cluster.store, commit, {
      manager: AGENT,
      namespace: NAMESPACE,
      prune: this.prunes,
      ignored: this.ignored,
      choose: (manifests) => manifests.filter(chosen),
    });
    this.cluster.settle();
    this.applied = this.repository.head(at) ?? at;
    return {
      refused: answers.flatMap(({ manifest, answer }) =>
        answer.ok ? [] : [`${nameOf(manifest)}: ${String((answer.status as { message?: string }).message)}`],
      ),
      notes: denied.map(
        ({ name, message }) =>
          `${shut.includes(name) ? 'refused' : 'would be refused'} by the admission policy: ${message.split('. ')[0]}`,
      ),
    };
  }

  /** What policies/admission says of each update that this commit makes of a LeaderWorkerSet. */
  private verdicts(manifests: readonly JsonObject[]): readonly { readonly name: string; readonly message: string }[] {
    const rehearsal = this.cluster.fork();
    const key = (manifest: JsonObject) => ({ resource: LWS, namespace: NAMESPACE, name: nameOf(manifest) });
    return manifests
      .filter((manifest) => manifest['kind'] === 'LeaderWorkerSet')
      .map((manifest) => {
        const before = this.cluster.objects.get(key(manifest));
        syncCommit(rehearsal.store, new Map([['', [manifest]]]), {
          manager: AGENT,
          namespace: NAMESPACE,
          prune: false,
          ignored: this.ignored,
        });
        const after = rehearsal.objects.get(key(manifest));
        const verdict = after === undefined ? undefined : admissionVerdict(before, after);
        return { name: nameOf(manifest), message: verdict?.allowed === false ? verdict.message : '' };
      });
  }

  /** Whether nobody else has committed since what the agent applied before. */
  private onlyOurs(at: string): boolean {
    // Orders of people are commits of tranche as well; none of them but `eject` touches what the agent applies.
    const line = this.repository.log(at);
    const known = line.findIndex((commit) => commit.oid === this.applied);
    return (
      known > 0 &&
      line.slice(0, known).every(({ author, message }) => author.name === 'tranche' && !message.includes(': eject'))
    );
  }

  /** The ports of one pass on this stage; only the real pass, on the real repository, is carried out. */
  ports(repository: FakeRepository, pass: (repository: FakeRepository) => Promise<unknown>): Ports {
    const { unreadable } = this;
    const fault = () => (unreadable === undefined ? undefined : ({ kind: 'unknown', why: unreadable } as const));
    const say = (message: string): void => {
      if (repository === this.repository) this.log.push(message);
    };
    const cluster = fakeCluster({ model: this.cluster, fault });
    return this.world.ports({
      git: this.git(repository, pass),
      cluster: this.hasKey ? cluster : datedCluster(cluster, { dates: this.dates, now: this.world.now }),
      clock: { now: () => this.world.now + this.clockAheadSeconds, sleep: async () => undefined },
      log: { info: say, warn: say, error: say },
      metrics: this.metrics.port(),
      ...(this.hasKey ? {} : { signatures: undefined }),
    });
  }

  /** Git as one pass gets it: with the hook of the server, and with what happens while it decides. */
  private git(repository: FakeRepository, pass: (repository: FakeRepository) => Promise<unknown>): Git {
    const git = repository.open();
    const { hook } = this;
    let interruption = this.interruption;
    return {
      ...git,
      push: async (updates) => {
        const now = interruption;
        interruption = undefined;
        await now?.(repository, pass);
        const refused = hook === undefined ? undefined : updates.find((update) => hook.refuses(update));
        if (refused !== undefined)
          return { kind: 'refused', branch: refused.branch, rule: hook?.rule ?? '', advice: undefined };
        const pushed = await git.push(updates);
        if (!this.losesAnswer) return pushed;
        this.losesAnswer = false;
        throw gitError('the reply was lost', { operation: 'push', retryable: true });
      },
    };
  }
}

export function nameOf(manifest: JsonObject): string {
  return text(part(manifest, 'metadata')['name']);
}
