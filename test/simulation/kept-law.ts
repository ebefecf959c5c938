/** C4: a leader ends only for another pod template, our own labels left out. What the cluster or a hand did is excused. */

import { isSince09 } from '../../src/simulator/modes.ts';
import type { LawName } from './laws.ts';
import { type Fields, SENTINEL } from './our-commit.ts';
import type { WorkloadSetup } from './setup.ts';
import type { GroupTruth, Truth } from './truth.ts';
import type { Universe } from './universe.ts';

/** What a hand has done to the label, and what leaders there are. */
type Known = {
  /** The leaders that are to be, by the index of their group. */
  readonly leaders: Map<number, GroupTruth>;
  /** Leaders of a workload or a set that was re-created. */
  readonly remade: Set<string>;
  /** Groups whose leader of a re-created set ends, or one that was killed, and the leaders that have come in the place of those, while they have no workers. */
  readonly ending: Set<number>;
  readonly followers: Set<string>;
  /** Leaders that end because fewer groups are asked for. */
  readonly surplus: Set<string>;
  /** From this index on a hand has given a version another label, and LWS counts that as another template. */
  loose: number;
  /** The label of each version, as it was written first or by the product. */
  readonly labels: Map<number | undefined, string | undefined>;
};

type Replaced = {
  readonly group: GroupTruth;
  readonly truth: Truth;
  readonly universe: Universe;
  readonly workload: WorkloadSetup;
  readonly known: Known;
};

/** Why a leader may be replaced though it has the template that it is to have; kept-law.test.ts shows that each is needed. */
export const exceptions = {
  /** The number of pods of a group is part of what LWS compares, and of no version alone. */
  'the size of groups': ({ workload }) => workload.resizes === true,
  /** LWS writes it into the template of the leaders, and into no revision of its own. */
  'exclusive topology': ({ group, truth }) => group.topology !== truth.topology,
  'recreated objects': ({ known, group }) => known.remade.has(group.leaderUid),
  /** Before 0.9 LWS takes a worker of the leader before for one of the new leader, and deletes that for it (PC:204-266). */
  'workers of recreated objects': ({ known, group, universe }) =>
    !isSince09(universe.setup.lws) && group.version === undefined && known.followers.has(group.leaderUid),
  'fewer groups': ({ known, group }) => known.surplus.has(group.leaderUid),
  /** It recreates a group whose pod has ended or restarted. */
  "LWS's own restarts": ({ universe, group }) => universe.killed.has(group.leaderUid),
  'a label that a hand has changed': ({ known, group }) => group.index >= known.loose,
} as const satisfies Readonly<Record<string, (of: Replaced) => boolean>>;

export type Exception = keyof typeof exceptions;
const ALL = Object.keys(exceptions) as readonly Exception[];

export class KeptLaw {
  private readonly universe: Universe;
  private readonly workload: WorkloadSetup;
  private readonly known: Known;
  private readonly excepted: readonly Exception[];

  constructor(universe: Universe, workload: WorkloadSetup, from?: KeptLaw, excepted: readonly Exception[] = ALL) {
    this.universe = universe;
    this.workload = workload;
    this.excepted = from?.excepted ?? excepted;
    const { leaders, remade, ending, followers, surplus, loose = SENTINEL, labels } = from?.known ?? {};
    this.known = {
      leaders: new Map(leaders),
      remade: new Set(remade),
      ending: new Set(ending),
      followers: new Set(followers),
      surplus: new Set(surplus),
      loose,
      labels: new Map(labels),
    };
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
    const { leaders, remade, surplus } = this.known;
    const fresh = before === undefined || before.uid !== truth.uid || before.setUid !== truth.setUid;
    if (fresh) for (const { leaderUid } of leaders.values()) remade.add(leaderUid);
    for (const { index, leaderUid } of [...leaders.values(), ...truth.groups])
      if (index >= truth.replicas) surplus.add(leaderUid);
    const now = new Map(truth.groups.filter(({ ending }) => !ending).map((group) => [group.index, group]));
    const ended = [...leaders.values()].find(
      (group) => now.get(group.index)?.leaderUid !== group.leaderUid && !this.mayEnd(group, truth),
    );
    this.follow(truth);
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

  /** Who has come in the place of leaders whose objects were re-created, or that were killed. */
  private follow({ groups }: Truth): void {
    const { remade, ending, followers } = this.known;
    for (const { index, leaderUid, ending: ends } of groups) {
      const isKnown = remade.has(leaderUid) || this.universe.killed.has(leaderUid);
      if (ends && (isKnown || followers.has(leaderUid))) ending.add(index);
      if (!ends && ending.delete(index)) followers.add(leaderUid);
    }
  }

  private mayEnd(group: GroupTruth, truth: Truth): boolean {
    const { universe, workload, known } = this;
    if (truth.version !== group.leaderVersion || truth.setVersion !== group.leaderVersion) return true;
    return this.excepted.some((name) => exceptions[name]({ group, truth, universe, workload, known }));
  }
}
