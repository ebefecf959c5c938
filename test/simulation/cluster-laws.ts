/** The laws about the cluster itself, looked at after every turn: capacity, and that an locked edit restarts nothing. */

import { BackLaw } from './back-law.ts';
import { isBuilt } from './built-files.ts';
import { OwnSteps } from './built-laws.ts';
import { peoplesText } from './built-view.ts';
import { numberIn } from './files.ts';
import { KeptLaw } from './kept-law.ts';
import type { LawName } from './laws.ts';
import { type Fields, fieldsOf, isOurs, SENTINEL } from './our-commit.ts';
import type { WorkloadSetup } from './setup.ts';
import { nothingGoes, type Truth, wantedGroups } from './truth.ts';
import type { Universe } from './universe.ts';
import { isBroken } from './versions.ts';

/** The laws that hold only while their assumptions do. */
export const assumed = ['C1 capacity', 'C3 revision mix'] as const;
export type Assumed = (typeof assumed)[number];

export class ClusterLaws {
  private readonly universe: Universe;
  private readonly workload: WorkloadSetup;
  private readonly kept: KeptLaw;
  private readonly back: BackLaw;
  private readonly own: OwnSteps;
  /** Versions that main has released for update at some time, or that objects re-created came up on. */
  private readonly open = new Set<number>([0]);
  /** Groups that are not ready for reasons of the cluster's own, until they are seen ready. */
  private readonly excused = new Set<number>();
  /** The largest budget since all groups were ready, and nothing was to be replaced that LWS had let go by another one. */
  private budget = 0;
  private looked = 0;
  /** The template changed while groups rolled: LWS counts those that still end for neither version. */
  private overlapping = false;
  /** A request came in mid-delivery: its groups, those of the one before and the stable ones are there at once. */
  private superseded = false;
  /** Objects were re-created, or a hand was at the partition: A3. */
  private touched = false;
  /** Objects were re-created, and no group of theirs is whole yet. */
  private fresh = false;
  /** Moments in which a law was not judged. */
  private readonly skipped: Record<Assumed, number> = { 'C1 capacity': 0, 'C3 revision mix': 0 };

  constructor(universe: Universe, workload: WorkloadSetup, from?: ClusterLaws) {
    this.universe = universe;
    this.workload = workload;
    this.kept = new KeptLaw(universe, workload, from?.kept);
    this.back = new BackLaw(universe, workload, from?.back);
    this.own = new OwnSteps(universe, workload, from?.own);
    if (from === undefined) return;
    for (const version of from.open) this.open.add(version);
    for (const index of from.excused) this.excused.add(index);
    this.budget = from.budget;
    this.fresh = from.fresh;
    this.overlapping = from.overlapping;
    this.superseded = from.superseded;
    this.touched = from.touched;
  }

  /** The same laws, which have looked at the same, over a twin of the world. */
  twin(universe: Universe): ClusterLaws {
    const twin = new ClusterLaws(universe, this.workload, this);
    twin.looked = this.looked;
    Object.assign(twin.skipped, this.skipped);
    return twin;
  }

  /** Whether a law was judged at every moment of the schedule. */
  judges(law: Assumed): boolean {
    return this.skipped[law] === 0;
  }

  /** The same laws over a copy of the world that has just been made. */
  fork(universe: Universe): ClusterLaws {
    const { name } = this.workload;
    const copy = new ClusterLaws(universe, this.workload, this);
    for (const index of this.universe.hurt.get(name) ?? []) copy.excused.add(index);
    copy.touched = this.touched || this.universe.mixed.has(name);
    // What is wrong already is for these laws to say, not for the copy.
    const truths = this.universe.truths.get(name) ?? [];
    for (let at = this.looked; at < truths.length; at++) copy.judge(truths[at]!, truths[at - 1]);
    copy.looked = universe.truths.get(name)?.length ?? 0;
    return copy;
  }

  /** main has a version with a partition that lets groups go. */
  opened(commit: string): void {
    const fields = fieldsOf(this.universe.lws(this.workload.name, commit) ?? '');
    const { partition, version } = fields;
    this.kept.opened(fields, isOurs(this.universe, commit));
    this.back.opened(this.asWritten(fields, commit), this.excused);
    this.own.opened(fields);
    if (partition < SENTINEL && version !== undefined) this.open.add(version);
    // A hand has lost our patch: the folder says what people's own files say.
    const lost = this.universe.mixed.has(this.workload.name)
      ? this.universe.built(this.workload.name, commit)
      : undefined;
    const without = fieldsOf(lost ?? '');
    if (without.version !== undefined && without.partition < SENTINEL) this.open.add(without.version);
  }

  /** Where our patch has raised the budget, people's own is beneath it, and they may edit it meanwhile. */
  private asWritten(fields: Fields, commit: string): Fields {
    const { workload, universe } = this;
    if (fields.marks === undefined || !isBuilt(workload)) return fields;
    const peoples = numberIn(peoplesText(universe.repository, commit, workload) ?? '', 'maxUnavailable');
    return peoples === undefined ? fields : { ...fields, marks: { ...fields.marks, peoplesBudget: peoples } };
  }

  /** What is wrong, as law and words; looks at all that has become true since it looked last. */
  look(): readonly [law: LawName, message: string] | undefined {
    const truths = this.universe.truths.get(this.workload.name) ?? [];
    for (; this.looked < truths.length; this.looked++) {
      const wrong = this.judge(truths[this.looked]!, truths[this.looked - 1]);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  private judge(truth: Truth, before: Truth | undefined): readonly [LawName, string] | undefined {
    this.forgive(truth, before);
    return (
      this.kept.judge(truth, before) ??
      this.back.judge(truth, before, this.excused) ??
      this.inert(truth) ??
      this.own.judge(truth, before) ??
      this.capacity(truth) ??
      this.mix(truth)
    );
  }

  /** What Git cannot hold: objects re-created, and everything that starts from zero, come up on what is live. */
  private forgive(truth: Truth, before: Truth | undefined): void {
    if (before !== undefined && before.version !== truth.version && before.partition < SENTINEL) {
      this.overlapping = true;
      this.superseded = true;
    }
    const fresh = before === undefined || before.uid !== truth.uid || before.setUid !== truth.setUid;
    if ((fresh && before !== undefined) || this.universe.mixed.has(this.workload.name)) this.touched = true;
    // Before the first whole group of a set that was re-created, nothing of it has come up on any version.
    if (fresh) this.fresh = true;
    if (truth.groups.some(({ version }) => version !== undefined)) this.fresh = false;
    if (fresh || this.fresh || truth.replicas === 0) {
      if (truth.version !== undefined) this.open.add(truth.version);
      if (before?.version !== undefined && before.replicas === 0) this.open.add(before.version);
    }
    for (const index of this.universe.hurt.get(this.workload.name) ?? []) this.excused.add(index);
    this.universe.hurt.get(this.workload.name)?.clear();
    for (let index = fresh ? 0 : (before?.replicas ?? 0); index < truth.replicas; index++) this.excused.add(index);
    for (const { index, ready } of truth.groups) if (ready) this.excused.delete(index);
  }

  /** C3: an edit that no step has released for update restarts nothing. */
  private inert({ groups }: Truth): readonly [LawName, string] | undefined {
    const astray = groups.find((group) => group.leaderVersion !== undefined && !this.open.has(group.leaderVersion));
    if (astray === undefined) return undefined;
    return [
      'C3 locked is inert',
      `${this.workload.name}: group ${astray.index} is on version ${astray.leaderVersion}, which no step released for update`,
    ];
  }

  /** C1: no more groups are down than the budget, but for those that are broken or were hurt. */
  private capacity(truth: Truth): readonly [LawName, string] | undefined {
    // LWS before 0.9 looks at leaders only (trace 29b), and so goes on while workers still load.
    if (this.universe.cluster.modes().lws === '0.8' && (this.workload.size > 1 || this.workload.resizes === true))
      return this.skip('C1 capacity');
    const there = wantedGroups(truth);
    const down = Array.from({ length: truth.replicas }, (_, index) => index).filter((index) => {
      const group = there.find((one) => one.index === index);
      if (group?.ready === true || this.excused.has(index)) return false;
      const version = group?.leaderVersion;
      return version === undefined || !isBroken(this.universe.setup.seed, version, index);
    });
    const isCalm = down.length === 0 && nothingGoes(truth);
    this.budget = isCalm ? truth.maxUnavailable : Math.max(this.budget, truth.maxUnavailable);
    if (down.length === 0) this.overlapping = false;
    if (this.overlapping) this.skip('C1 capacity');
    if (down.length <= this.budget || this.overlapping) return undefined;
    return [
      'C1 capacity',
      `${this.workload.name}: groups ${down.join(' ')} are down at once, the budget is ${this.budget}`,
    ];
  }

  /** C3: the stable version and the one that is delivered; nothing else. */
  private mix({ groups, flipped, version }: Truth): readonly [LawName, string] | undefined {
    const versions = new Set(groups.flatMap(({ leaderVersion }) => leaderVersion ?? []));
    // Until the StatefulSet has flipped, what is recreated may come up on a version that no group has any more.
    if (flipped && [...versions].join() === String(version)) this.superseded = false;
    if (this.touched || this.universe.rewritten > 0) return this.skip('C3 revision mix');
    if (versions.size <= 2 || this.superseded) return undefined;
    return ['C3 revision mix', `${this.workload.name}: versions ${[...versions].join(', ')} are there at once`];
  }

  private skip(law: Assumed): undefined {
    this.skipped[law] += 1;
    return undefined;
  }
}
