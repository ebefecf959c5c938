/** Looks at the world after every turn: new commits of both branches, and what the cluster does, against the laws. */

import { type Assumed, assumed, ClusterLaws } from './cluster-laws.ts';
import { commitLawList } from './commit-laws.ts';
import { isSlander } from './notified.ts';
import { type Fields, fieldsOf, type Known, ourCommit, planAt } from './our-commit.ts';
import { hasSides } from './routed-files.ts';
import { isSecret } from './secret.ts';
import type { WorkloadSetup } from './setup.ts';
import { SharedLaws } from './shared-laws.ts';
import { LawBroken } from './timeline.ts';
import { TrafficLaws } from './traffic-laws.ts';
import type { Universe } from './universe.ts';

const STATUS = 'tranche-status';

/** What a workload's file has been through. */
type Past = {
  fields: Fields;
  /** Where in the truths our last commit landed. */
  since: number;
  /** Where in the truths the present release started. */
  begun: number;
  /** Versions by release. */
  readonly versions: Map<string, number>;
  /** `release step` of every commit of main. */
  readonly claims: Set<string>;
  /** The highest serial that has ever been given. */
  serial: number;
  readonly cluster: ClusterLaws;
  /** Where a second workload is filled. */
  readonly traffic: TrafficLaws | SharedLaws | undefined;
  /** Where in the scenes our last commit landed. */
  seen: number;
  /** Commits of ours in a row, since anybody else did anything. */
  alone: number;
  others: number;
};

/** Commits of a delivery that nobody touches: those of a step, and of the beginning and the end. */
const COMMITS_A_STEP = 4;
const COMMITS_BESIDE = 14;

export class Watch {
  private readonly universe: Universe;
  private readonly pasts = new Map<string, Past>();
  private main: string | undefined;
  private status: string | undefined;
  /** Commits of the product by reason, for the report. */
  readonly reasons = new Map<string, number>();

  constructor(universe: Universe) {
    this.universe = universe;
    for (const workload of universe.setup.workloads) {
      const { name } = workload;
      const fields = fieldsOf(universe.lws(name) ?? '');
      const cluster = new ClusterLaws(universe, workload);
      this.pasts.set(name, {
        fields,
        since: 0,
        begun: 0,
        versions: new Map(),
        claims: new Set(),
        serial: 0,
        cluster,
        traffic: trafficLawsOf(universe, workload),
        seen: 0,
        alone: 0,
        others: 0,
      });
    }
    this.main = universe.repository.head('main');
    for (const { traffic } of this.pasts.values()) if (this.main !== undefined) traffic?.opened(this.main);
  }

  /** The same looks, with all that they have found, at a twin of the world. */
  twin(universe: Universe): Watch {
    const twin = new Watch(universe);
    for (const [name, past] of this.pasts)
      twin.pasts.set(name, {
        ...past,
        versions: new Map(past.versions),
        claims: new Set(past.claims),
        cluster: past.cluster.twin(universe),
        traffic: past.traffic?.twin(universe),
      });
    for (const [reason, times] of this.reasons) twin.reasons.set(reason, times);
    twin.main = this.main;
    twin.status = this.status;
    return twin;
  }

  /** Throws LawBroken at the first law that does not hold. */
  look(): void {
    if (this.universe.wrong !== undefined) throw this.universe.wrong;
    this.universe.observe();
    this.newOnMain();
    this.newOnStatus();
    for (const { cluster, traffic } of this.pasts.values()) {
      const wrong = traffic?.look() ?? cluster.look();
      if (wrong !== undefined) throw new LawBroken(...wrong);
    }
  }

  private newOnMain(): void {
    const { repository } = this.universe;
    const head = repository.head('main');
    if (head === this.main || head === undefined) return;
    const line = repository.history(head, this.main, 50);
    if (line.at(-1)?.oid !== this.main) {
      this.main = head;
      this.rewritten(head);
      return;
    }
    const fresh = line.slice(0, -1).reverse();
    let parent = this.main ?? head;
    for (const header of fresh) {
      this.universe.everMain.add(header.oid);
      this.commit({ oid: header.oid, message: header.message, parent });
      parent = header.oid;
    }
    this.main = head;
  }

  /** Other hands have rewritten main: what its files say now is where everything goes on from. */
  private rewritten(head: string): void {
    this.universe.everMain.add(head);
    for (const [name, past] of this.pasts) {
      const fields = fieldsOf(this.universe.lws(name, head) ?? '');
      const { release, step, aborted = [] } = fields.marks ?? {};
      past.fields = fields;
      past.since = 0;
      past.seen = 0;
      past.begun = (this.universe.truths.get(name)?.length ?? 1) - 1;
      past.serial = Math.max(0, ...[release, ...aborted].map((known) => serialOf(known ?? '.0')));
      if (release !== undefined) past.claims.add(`${release} ${step ?? 'settled'}`);
      past.cluster.opened(head);
      past.traffic?.opened(head);
    }
  }

  private commit(header: { readonly oid: string; readonly message: string; readonly parent: string }): void {
    const ours = ourCommit(this.universe, header, (name) => this.known(name));
    if (ours !== undefined) {
      this.secretless(header);
      this.universe.say('main', `${header.oid.slice(0, 7)} ${ours.subject} (${ours.reason})`);
      this.reasons.set(ours.reason, (this.reasons.get(ours.reason) ?? 0) + 1);
      for (const [law, of] of commitLawList) {
        const wrong = of(ours);
        if (wrong !== undefined) throw new LawBroken(law, `${header.oid.slice(0, 7)} ${ours.subject}: ${wrong}`);
      }
    }
    this.bounded(ours?.workload.name);
    for (const [name, past] of this.pasts)
      this.remember(name, past, { oid: header.oid, reason: ours?.workload.name === name ? ours.reason : '' });
  }

  /** H3 and H4: a commit of ours has no secret in any file, and says nothing that somebody has put into a record. */
  private secretless({ oid, message }: { readonly oid: string; readonly message: string }): void {
    const written = Object.values(this.universe.repository.files(oid));
    const where = `${oid.slice(0, 7)} of main`;
    if ([message, ...written].some(isSecret)) throw new LawBroken('H3 no secret leaves', `${where} has it`);
    if (isSlander(message)) throw new LawBroken('H4 no word of others', `${where} says it: ${message}`);
  }

  /** T13: what people or the cluster do may start it all again; by itself it ends. */
  private bounded(ours: string | undefined): void {
    const injected = Object.values(this.universe.injected).reduce((sum, times) => sum + times, 0);
    for (const [name, past] of this.pasts) {
      const workload = this.universe.setup.workloads.find((one) => one.name === name);
      if (workload === undefined || !hasSides(workload)) continue;
      past.alone = ours === name && injected === past.others ? past.alone + 1 : 0;
      past.others = injected;
      const steps = planAt(this.universe, name, 'main').steps.length;
      if (past.alone > COMMITS_A_STEP * steps + COMMITS_BESIDE)
        throw new LawBroken('T13 bounded', `${name}: ${past.alone} commits in a row, and nobody else did anything`);
    }
  }

  /** Of the laws that assume something, those whose assumptions held for every workload. */
  judged(): readonly Assumed[] {
    return assumed.filter((law) => [...this.pasts.values()].every(({ cluster }) => cluster.judges(law)));
  }

  /** The version of the release that the marks of main name. */
  releaseVersion(name: string): number | undefined {
    const past = this.pasts.get(name)!;
    return past.versions.get(past.fields.marks?.release ?? '');
  }

  private known(name: string): Known {
    const past = this.pasts.get(name)!;
    const truths = this.universe.truths.get(name) ?? [];
    return {
      since: truths.slice(Math.max(0, past.since)),
      scenes: (this.universe.scenes.get(name) ?? []).slice(Math.max(0, past.seen)),
      remade: new Set(truths.slice(Math.max(0, past.begun)).map((truth) => truth.setUid)).size > 1,
      releaseVersion: this.releaseVersion(name),
      // What somebody else has put there tells nothing.
      recordedMain: this.isForged(this.status) ? undefined : this.recordAt(this.status, name)?.main,
      clusterLaws: (fork) =>
        [...this.pasts.values()].flatMap(({ cluster, traffic }) => [
          ...(traffic === undefined ? [] : [traffic.fork(fork)]),
          cluster.fork(fork),
        ]),
    };
  }

  private remember(name: string, past: Past, at: { readonly oid: string; readonly reason: string }): void {
    const fields = fieldsOf(this.universe.lws(name, at.oid) ?? '');
    const { release, step } = fields.marks ?? {};
    if (at.reason !== '') past.since = (this.universe.truths.get(name)?.length ?? 1) - 1;
    if (at.reason !== '') past.seen = (this.universe.scenes.get(name)?.length ?? 1) - 1;
    if (release !== undefined) {
      past.claims.add(`${release} ${step ?? 'settled'}`);
      // A release is named where the marks change to it; a newer request may wait in the file at other times, and one that a file
      // put back has made does so where the marks return.
      const isKept = keepsNewer({
        reason: at.reason,
        version: past.versions.get(past.fields.marks?.release ?? ''),
        before: past.fields,
        after: fields,
      });
      const isReturn = past.fields.marks?.step === undefined && at.reason === 'TrafficWithdrawn';
      const isNamed = at.reason !== '' && at.reason !== 'AnnotationsRestored' && !isReturn && !isKept;
      if (isNamed && past.fields.marks?.release !== release && fields.version !== undefined) {
        const version = past.versions.get(release);
        if (version !== undefined && version !== fields.version)
          throw new LawBroken('S1 releases', `${name}: ${release} is version ${version} and ${fields.version}`);
        past.versions.set(release, fields.version);
      }
      const begins =
        at.reason === 'Superseded' ||
        (['StepReady', 'SizeChanged', 'SurgePrepared'].includes(at.reason) && past.fields.marks?.release !== release);
      if (begins) {
        if (serialOf(release) <= past.serial)
          throw new LawBroken('S1 releases', `${name}: ${release} starts after serial ${past.serial}`);
        past.begun = (this.universe.truths.get(name)?.length ?? 1) - 1;
      }
    }
    // A hand has put older marks back, or what was aborted out of them: what Git says is where it goes on from.
    const isFewer = (past.fields.marks?.aborted ?? []).some((one) => fields.marks?.aborted.includes(one) === false);
    if (at.reason === '' && (isFewer || release !== past.fields.marks?.release))
      past.serial = serialOf(release ?? '.0');
    for (const known of [release, ...(fields.marks?.aborted ?? [])])
      past.serial = Math.max(past.serial, serialOf(known ?? '.0'));
    past.cluster.opened(at.oid);
    past.traffic?.opened(at.oid);
    past.fields = fields;
  }

  /** S4, at rest: what the record says of a workload is what main says. */
  checkRecord(name: string): void {
    const { marks } = this.pasts.get(name)!.fields;
    const record = this.recordAt(this.universe.repository.head(STATUS), name);
    const claim = record === undefined ? undefined : claimOf(record);
    const wanted = marks === undefined ? undefined : `${marks.release} ${marks.step ?? 'settled'}`;
    // A main that was taken back to before it was taken over says nothing: the record proposes what to put back.
    if (wanted === undefined && this.universe.rewritten > 0) return;
    if (claim !== wanted)
      throw new LawBroken('S4 one record', `${name}: the record says ${claim}, main says ${wanted}`);
  }

  private isForged(commit: string | undefined): boolean {
    return commit !== undefined && this.universe.forged.has(commit);
  }

  private recordAt(commit: string | undefined, name: string): RecordShape | undefined {
    const text = commit === undefined ? undefined : this.universe.text(commit, recordFile(name));
    return text === undefined ? undefined : (JSON.parse(text) as RecordShape);
  }

  private newOnStatus(): void {
    const { repository } = this.universe;
    const head = repository.head(STATUS);
    if (head === this.status) return;
    this.status = head;
    if (head === undefined || this.isForged(head)) return;
    for (const [path, text] of Object.entries(this.universe.repository.files(head)))
      if (isSecret(text)) throw new LawBroken('H3 no secret leaves', `${path} of the status branch has it`);
    for (const [name, past] of this.pasts) {
      const record = this.recordAt(head, name);
      if (record === undefined) continue;
      const claim = claimOf(record);
      if (claim === undefined) continue;
      const told = this.universe.exchanged ? [...this.pasts.values()] : [past];
      if (!told.some(({ claims }) => claims.has(claim)))
        throw new LawBroken('S4 no phantom', `${name}: the record says ${claim}, main never did`);
      if (!this.universe.everMain.has(record.main))
        throw new LawBroken('S4 no phantom', `${name}: the record stands on ${record.main}, which main does not have`);
    }
  }
}

/**
 * An abort of blueGreen leaves a newer request in the file, where it restarts nothing: the release that its marks go back to
 * is not named by that text. `version`: that of the release before.
 */
export function keepsNewer(of: {
  readonly reason: string;
  readonly version: number | undefined;
  readonly before: Pick<Fields, 'version'>;
  readonly after: Pick<Fields, 'version' | 'marks'>;
}): boolean {
  const { reason, version, before, after } = of;
  const isOfRequest = version !== undefined && version !== before.version;
  return (
    reason === 'Aborted' && after.marks?.at === 'route-restored' && isOfRequest && before.version === after.version
  );
}

function recordFile(name: string): string {
  return `rollouts/default/llm/${name}.json`;
}

type RecordShape = {
  readonly main: string;
  readonly marks?: {
    readonly release: { readonly digest: string; readonly serial: number };
    readonly step?: { readonly kind: string; readonly index: number; readonly of: number };
  };
};

/** `release step`, as the record has it; undefined before the workload is taken over. */
function claimOf({ marks }: RecordShape): string | undefined {
  if (marks === undefined) return undefined;
  const { release, step } = marks;
  const place = step === undefined ? 'settled' : step.kind === 'step' ? `${step.index}/${step.of}` : step.kind;
  return `${release.digest}.${release.serial} ${place}`;
}

function serialOf(release: string): number {
  return Number(release.split('.')[1]);
}

function trafficLawsOf(universe: Universe, workload: WorkloadSetup): TrafficLaws | SharedLaws | undefined {
  if (workload.fills !== undefined) return new TrafficLaws(universe, workload);
  return workload.shares === undefined ? undefined : new SharedLaws(universe, workload);
}
