/** C4: a leader ends only for another pod template, our own labels left out. What the cluster or a hand did is excused. */

import type { LawName } from './laws.ts';
import { type Fields, SENTINEL } from './our-commit.ts';
import type { WorkloadSetup } from './setup.ts';
import type { GroupTruth, Truth } from './truth.ts';
import type { Universe } from './universe.ts';

/** What a hand has done to the label, and what leaders there are. */
type Known = {
  /** The leaders that are to be, by the index of their group. */
  readonly leaders: Map<number, GroupTruth>;
  /** Leaders that end for another reason: fewer groups, a workload or a set that was re-created. */
  readonly excused: Set<string>;
  /** From this index on a hand has given a version another label, and LWS counts that as another template. */
  loose: number;
  /** The label of each version, as it was written first or by the product. */
  readonly labels: Map<number | undefined, string | undefined>;
};

export class KeptLaw {
  private readonly universe: Universe;
  private readonly workload: WorkloadSetup;
  private readonly known: Known;

  constructor(universe: Universe, workload: WorkloadSetup, from?: KeptLaw) {
    this.universe = universe;
    this.workload = workload;
    const { leaders, excused, loose = SENTINEL, labels } = from?.known ?? {};
    this.known = { leaders: new Map(leaders), excused: new Set(excused), loose, labels: new Map(labels) };
  }

  /** main has another text of the workload; `ours` where the product wrote it. */
  opened({ text, partition, version }: Fields, ours: boolean): void {
    const { labels } = this.known;
    const label = /tranche\.dev\/version"?: "?([0-9a-z.-]+)/.exec(text)?.[1];
    const isOther = labels.has(version) && labels.get(version) !== label;
    if (isOther && !ours) this.known.loose = Math.min(this.known.loose, partition);
    else labels.set(version, label);
  }

  judge(truth: Truth, before: Truth | undefined): readonly [LawName, string] | undefined {
    const { leaders, excused } = this.known;
    const fresh = before === undefined || before.uid !== truth.uid || before.setUid !== truth.setUid;
    if (fresh) for (const { leaderUid } of leaders.values()) excused.add(leaderUid);
    for (const { index, leaderUid } of truth.groups) if (fresh || index >= truth.replicas) excused.add(leaderUid);
    for (const [index, { leaderUid }] of leaders) if (index >= truth.replicas) excused.add(leaderUid);
    const now = new Map(truth.groups.filter(({ ending }) => !ending).map((group) => [group.index, group]));
    const ended = [...leaders.values()].find(
      (group) => now.get(group.index)?.leaderUid !== group.leaderUid && !this.mayEnd(group, truth),
    );
    leaders.clear();
    for (const [index, group] of now) leaders.set(index, group);
    const isQuiet = truth.flipped && truth.partition >= SENTINEL && now.size >= truth.replicas;
    if (isQuiet && [...now.values()].every(({ version }) => version === truth.version)) this.known.loose = SENTINEL;
    if (ended === undefined) return undefined;
    return [
      'C4 kept',
      `${this.workload.name}: the leader of group ${ended.index} is replaced, and version ${ended.leaderVersion} is what it is to have`,
    ];
  }

  private mayEnd({ index, leaderUid, leaderVersion }: GroupTruth, truth: Truth): boolean {
    const { excused, loose } = this.known;
    // The number of pods of a group is part of what LWS compares, and of no version alone.
    if (this.workload.resizes === true || this.universe.killed.has(leaderUid) || excused.has(leaderUid)) return true;
    // LWS that was just another release knows its revisions by other names.
    if (this.universe.injected['LWS controller upgraded'] > 0 || index >= loose) return true;
    return truth.version !== leaderVersion || truth.setVersion !== leaderVersion;
  }
}
