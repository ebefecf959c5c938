/** Everything that exists in one schedule: the repository, the cluster, the agent's position, and the truth over time. */

import { at, type JsonObject } from '../../src/api/json.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { syncCommit } from '../../src/simulator/agent/agent.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import type { Reading } from '../../src/simulator/objects/object-store.ts';
import type { Dates } from '../support/dated-cluster.ts';
import { FakeRepository } from '../support/fake-git.ts';
import type { FileContent } from '../support/files-of-others.ts';
import { builtFiles, isBuilt } from './built-files.ts';
import { builtObjects, builtText, saidText } from './built-view.ts';
import { hpaText, initialFiles, lwsFile } from './files.ts';
import { hasSides, secondOf } from './routed-files.ts';
import { type Scene, sceneOf, showScene } from './scene.ts';
import { type FaultKind, faultKinds, type Setup, type WorkloadSetup } from './setup.ts';
import { type LawBroken, Timeline } from './timeline.ts';
import { NAMESPACE, showTruth, type Truth, truthOf } from './truth.ts';
import { loading } from './versions.ts';

export const START_SECONDS = 1_795_219_200;
export const AGENT = 'kustomize-controller';
/** Stale reads are at most this many states of the cluster old. */
export const RING = 6;

/** Moments of one stretch of time that are looked at. */
const MOMENTS_MAX = 200;

export type SyncChoice = {
  /** Which documents are applied, in which order; all in the order of paths without it. */
  readonly pick?: (documents: readonly JsonObject[]) => readonly JsonObject[];
  readonly prune?: boolean;
};

export class Universe {
  readonly setup: Setup;
  readonly repository: FakeRepository;
  readonly cluster: Cluster;
  readonly timeline: Timeline;
  readonly injected: Record<FaultKind, number>;
  /** The states of the cluster before the present one, oldest first. */
  readonly ring: Reading[] = [];
  /** Of each workload all that has been so, oldest first. */
  readonly truths = new Map<string, Truth[]>();
  /** The same of both sides together, where a second workload is filled. */
  readonly scenes = new Map<string, Scene[]>();
  /** Groups that the cluster itself has harmed lately. */
  readonly hurt = new Map<string, Set<number>>();
  /** UIDs of leaders that the cluster itself has killed. */
  readonly killed = new Set<string>();
  /** Workloads whose groups a hand or the cluster has put on versions that no delivery gave them. */
  readonly mixed = new Set<string>();
  /** Workloads of which a hand has put files back to what they said before, or to a part of it. */
  readonly putBack = new Set<string>();
  /** Workloads of which a hand has reverted an older commit of ours: a part of their files says what it said then. */
  readonly resolved = new Set<string>();
  /** Two Rollouts have named each other's workload: the record of one may tell of both. */
  exchanged = false;
  /** Workloads that people have scaled to no groups. */
  readonly emptied = new Set<string>();
  /** Commits that main has ever had. */
  readonly everMain = new Set<string>();
  /** How often other hands have rewritten main. */
  rewritten = 0;
  /** What the agent applied last. */
  agentAt: string | undefined;
  /** What it applied is not there any more: it applies it again. */
  agentMisses = false;
  /** The agent does nothing before this turn. */
  agentRestsUntil = 0;
  /** Seconds that the longest pass so far took: a pass dates what it sees by its beginning. */
  longestPassSeconds = 0;
  /** When the pass started that planned a commit, by its message: whatever its own clock said. */
  readonly planned = new Map<string, number>();
  /** Commits of the status branch that somebody else made, and the newest ones of ours before each. */
  readonly forged = new Set<string>();
  readonly archive: string[] = [];
  /** How many messages were sent. */
  notified = 0;
  /** Files of other people that are on main. */
  readonly others = new Set<string>();
  /** When routes and Services were last changed, as passes have seen it. */
  readonly dates: Dates = new Map();
  /** A law that was broken inside of a pass, to be thrown outside of it. */
  wrong: LawBroken | undefined;
  private seenVersion = -1;

  constructor(setup: Setup, from?: Universe, timeline = new Timeline()) {
    this.setup = setup;
    this.timeline = timeline;
    this.injected = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>;
    this.repository =
      from?.repository.copy() ?? FakeRepository.withFiles({ ...initialFiles(setup), ...builtFiles(setup) });
    this.cluster =
      from?.cluster.fork() ??
      new Cluster({
        lws: setup.lws,
        gate: setup.gate,
        nowSeconds: START_SECONDS,
        readiness: loading(setup.seed, setup.loadSeconds, setup.busy ? 'pod' : 'group'),
        ...(setup.terminationSeconds === undefined ? {} : { terminationSeconds: setup.terminationSeconds }),
      });
    if (from === undefined)
      for (const workload of setup.workloads.filter((one) => one.autoscaled && one.scaler === 'live'))
        this.cluster.apply(documentsOf('hpa.yaml', hpaText(workload)), 'autoscaling');
    this.agentAt = from?.agentAt;
    this.rewritten = from?.rewritten ?? 0;
    this.exchanged = from?.exchanged ?? false;
    this.archive.push(...(from?.archive ?? []));
    for (const path of from?.others ?? []) this.others.add(path);
    for (const oid of from?.forged ?? []) this.forged.add(oid);
    for (const name of from?.emptied ?? []) this.emptied.add(name);
    for (const name of from?.resolved ?? []) this.resolved.add(name);
    for (const uid of from?.killed ?? []) this.killed.add(uid);
    for (const { oid } of this.repository.log('main')) this.everMain.add(oid);
    for (const { name } of this.sides()) {
      this.truths.set(name, [...(from?.truths.get(name)?.slice(-1) ?? [])]);
      this.hurt.set(name, new Set());
    }
    for (const workload of setup.workloads.filter(hasSides))
      this.scenes.set(workload.name, [...(from?.scenes.get(workload.name) ?? [])]);
  }

  get now(): number {
    return this.cluster.nowSeconds;
  }

  /** The same world, independent from now on, with no faults of its own. */
  fork(): Universe {
    return new Universe(this.setup, this);
  }

  /** The same world with its whole past, its faults and its timeline: what goes on from it goes on as this one would. */
  twin(): Universe {
    const twin = new Universe(this.setup, this, this.timeline.twin());
    Object.assign(twin.injected, this.injected);
    twin.ring.push(...this.ring);
    for (const [name, past] of this.truths) twin.truths.set(name, [...past]);
    for (const [name, groups] of this.hurt) twin.hurt.set(name, new Set(groups));
    for (const name of this.mixed) twin.mixed.add(name);
    for (const name of this.putBack) twin.putBack.add(name);
    // In their order: what is in another one counts as another world.
    twin.everMain.clear();
    for (const oid of this.everMain) twin.everMain.add(oid);
    for (const [message, begunAt] of this.planned) twin.planned.set(message, begunAt);
    for (const [key, date] of this.dates) twin.dates.set(key, date);
    twin.agentMisses = this.agentMisses;
    twin.agentRestsUntil = this.agentRestsUntil;
    twin.longestPassSeconds = this.longestPassSeconds;
    twin.notified = this.notified;
    twin.wrong = this.wrong;
    twin.seenVersion = this.seenVersion;
    return twin;
  }

  /** All workloads, those that we make among them. */
  sides(): readonly WorkloadSetup[] {
    return this.setup.workloads.flatMap((one) => [one, ...(one.fills === undefined ? [] : [secondOf(one)!])]);
  }

  /** Workloads that a pass can deliver. */
  healthy(): readonly WorkloadSetup[] {
    return this.setup.workloads.filter((workload) => workload.poison === 'none');
  }

  say(actor: string, text: string): void {
    this.timeline.add(actor, text, this.now);
  }

  inject(kind: FaultKind): void {
    this.injected[kind] += 1;
  }

  /** The newest truth about a workload. */
  truth(name: string): Truth | undefined {
    const workload = this.sides().find((one) => one.name === name);
    return workload === undefined ? undefined : truthOf(this.cluster.objects, workload, this.now);
  }

  /** Pods of a group are gone at once, and the group with them. */
  kill(name: string, group: number, pods: 'leader' | 'all'): void {
    const leader = this.truth(name)?.groups.find(({ index }) => index === group)?.leaderUid;
    if (leader !== undefined) this.killed.add(leader);
    this.hurt.get(name)?.add(group);
    this.cluster.kill({ namespace: NAMESPACE, name, group, pods });
  }

  /** Writes down what is so, where it has changed. */
  observe(): void {
    const version = this.cluster.objects.resourceVersion;
    if (version === this.seenVersion) return;
    this.seenVersion = version;
    this.ring.push(this.cluster.snapshot());
    if (this.ring.length > RING) this.ring.shift();
    for (const [name, past] of this.truths) {
      const truth = this.truth(name);
      const before = past.at(-1);
      if (showTruth(truth) !== showTruth(before) || truth?.uid !== before?.uid || truth?.setUid !== before?.setUid) {
        this.say('cluster', `${name} ${showTruth(truth)}`);
      }
      if (truth !== undefined) past.push(truth);
      // What starts from zero starts on what is live.
      if (truth?.replicas === 0) this.mixed.add(name);
    }
    this.observeTraffic();
  }

  private observeTraffic(): void {
    for (const [name, past] of this.scenes) {
      const workload = this.setup.workloads.find((one) => one.name === name)!;
      const scene = sceneOf(this.cluster.objects, workload, this.now);
      const before = past.at(-1);
      const shown = showScene(scene, workload);
      if (before === undefined || shown !== showScene(before, workload)) this.say('traffic', shown);
      past.push(scene);
    }
  }

  text(commit: string, path: string): string | undefined {
    return this.repository.text(commit, path);
  }

  /** What main says of a workload: its file, or what its folder builds with our patch. */
  lws(name: string, commit = 'main'): string | undefined {
    const workload = this.setup.workloads.find((one) => one.name === name);
    return workload !== undefined && isBuilt(workload)
      ? saidText(this.repository, commit, workload)
      : this.text(commit, lwsFile(name));
  }

  /** The same as the agent gets it, where a folder builds it: a hand may have lost our patch. */
  built(name: string, commit = 'main'): string | undefined {
    const workload = this.setup.workloads.find((one) => one.name === name);
    return workload !== undefined && isBuilt(workload) ? builtText(this.repository, commit, workload) : undefined;
  }

  /** Someone's commit on the head of main. */
  /** A file of somebody else, whatever it is. */
  place(path: string, content: FileContent, message: string): void {
    if (typeof content === 'string') return this.commit(path, content, message);
    if (Buffer.isBuffer(content)) this.repository.commit('main', { writes: [{ path, text: content }], message });
    else this.repository.link('main', path, content.link);
    this.say('people', message);
  }

  commit(path: string, text: string | undefined, message: string): void {
    const before = this.text('main', path);
    if (before === text) return;
    this.repository.commit('main', { writes: [{ path, text }], message });
    this.say('people', message);
  }

  /** When the pass started that planned this commit of ours. Clocks of passes without faults are right. */
  plannedAt(oid: string): number {
    const [commit] = this.repository.log(oid);
    return this.planned.get(commit?.message.trim() ?? '') ?? commit?.author.atSeconds ?? 0;
  }

  /** The documents of a commit that the agent applies, by file; of all files, or of those that are wanted. */
  manifests(
    commit: string,
    wanted: (path: string) => boolean = () => true,
  ): ReadonlyMap<string, readonly JsonObject[]> {
    const roots = this.setup.workloads.filter(isBuilt);
    if (roots.length > 0) return new Map(roots.map((one) => [one.root, builtObjects(this.repository, commit, one)]));
    const files = Object.entries(this.repository.files(commit)).filter(
      ([path]) => path.startsWith('apps/') && wanted(path),
    );
    return new Map(files.map(([path, text]) => [path, documentsOf(path, text)]));
  }

  /** The agent applies a commit, or some of its documents. */
  sync(commit: string, { pick = (all) => all, prune = false }: SyncChoice = {}): void {
    const manifests = this.manifests(commit);
    const autoscaled = new Set(this.setup.workloads.filter((one) => one.autoscaled).map((one) => one.name));
    for (const ignores of [false, true]) {
      syncCommit(this.cluster.store, manifests, {
        manager: AGENT,
        namespace: NAMESPACE,
        prune: prune && ignores,
        ...(ignores ? { ignored: [['spec', 'replicas']] } : {}),
        choose: (all) => pick(all.filter((manifest) => autoscaled.has(nameOf(manifest)) === ignores)),
      });
    }
    this.cluster.settle();
    this.agentAt = this.repository.head(commit) ?? commit;
    this.agentMisses = false;
  }

  /** Time passes, and nothing that happens meanwhile is missed. */
  tick(seconds: number): void {
    const end = this.now + seconds;
    for (let moments = 0; moments < MOMENTS_MAX; moments++) {
      const next = this.cluster.nextTimer();
      if (next === undefined || next > end) break;
      this.cluster.tick(Math.max(0, next - this.now));
      this.observe();
    }
    this.cluster.tick(Math.max(0, end - this.now));
  }
}

/** `metadata.name`, or nothing. */
export function nameOf(manifest: JsonObject): string {
  const name = at(manifest, ['metadata', 'name']);
  return typeof name === 'string' ? name : '';
}

/** What the agent cannot parse it does not apply. */
function documentsOf(path: string, text: string): readonly JsonObject[] {
  return parseManifestFile(path, text, 'everything').documents.map((document) => document.value);
}
