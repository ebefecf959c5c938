/** C5: a rollback takes no more than the user's maxUnavailable of the groups that were ready when it began, at a time. */

import type { LawName } from './laws.ts';
import type { Fields } from './our-commit.ts';
import type { WorkloadSetup } from './setup.ts';
import { nothingGoes, type Truth, wantedGroups } from './truth.ts';
import type { Universe } from './universe.ts';
import { healthOf } from './versions.ts';

type Known = {
  /** Groups that were ready when main began to go back; undefined: it does not. */
  began: ReadonlySet<number> | undefined;
  /** Groups that were not ready then, for which maxUnavailable may have risen: broken ones, and those that the cluster has harmed. */
  stuck: Set<number>;
  /** The most that people have asked for since all groups were ready, and none was to go that LWS had let go. */
  budget: number;
  /** What people ask for by main. */
  asked: number;
  /** Something that nobody promises anything for: another rollback is judged again. */
  isLoose: boolean;
};

export class BackLaw {
  private readonly universe: Universe;
  private readonly workload: WorkloadSetup;
  private readonly known: Known;

  constructor(universe: Universe, workload: WorkloadSetup, from?: BackLaw) {
    this.universe = universe;
    this.workload = workload;
    const { began, stuck, budget = 0, asked = 0, isLoose = false } = from?.known ?? {};
    this.known = { began, stuck: new Set(stuck), budget, asked, isLoose };
  }

  /** main has another text of the workload. */
  opened({ marks, maxUnavailable }: Fields, excused: ReadonlySet<number>): void {
    const { known } = this;
    const { setBudget, peoplesBudget = 1 } = marks ?? {};
    known.asked = setBudget === maxUnavailable ? peoplesBudget : maxUnavailable;
    known.budget = Math.max(known.budget, known.asked);
    const isBack = marks?.step === 'rollback';
    if (!isBack) known.began = undefined;
    if (!isBack || known.began !== undefined) return;
    const truth = this.universe.truth(this.workload.name);
    const groups = truth === undefined ? [] : wantedGroups(truth);
    known.began = new Set(groups.flatMap(({ index, ready }) => (ready ? [index] : [])));
    known.stuck = new Set(
      groups.flatMap(({ index, ready, leaderVersion }) =>
        !ready && (excused.has(index) || this.isSick(leaderVersion)) ? [index] : [],
      ),
    );
    known.isLoose = false;
  }

  private isSick(version: number | undefined): boolean {
    return version !== undefined && healthOf(this.universe.setup.seed, version) !== 'good';
  }

  /** `excused`: groups that the cluster has harmed, or that have come since. */
  judge(truth: Truth, before: Truth | undefined, excused: ReadonlySet<number>): readonly [LawName, string] | undefined {
    const { known, universe, workload } = this;
    const groups = wantedGroups(truth);
    const isWhole = groups.filter(({ ready }) => ready).length >= truth.replicas;
    if (isWhole && nothingGoes(truth)) known.budget = known.asked;
    const isFresh = before === undefined || before.uid !== truth.uid || before.setUid !== truth.setUid;
    if (isFresh || truth.replicas < (before?.replicas ?? 0)) known.isLoose = true;
    const { began } = known;
    if (began === undefined || known.isLoose || workload.resizes === true) return undefined;
    // LWS before 0.9 looks at leaders only (trace 29b); another release of it knows its revisions by other names.
    const { lws } = universe.cluster.modes();
    if ((lws === '0.8' && workload.size > 1) || universe.injected['LWS controller upgraded'] > 0) return undefined;
    const ready = new Set(groups.flatMap((group) => (group.ready ? [group.index] : [])));
    const down = [...began].filter((index) => index < truth.replicas && !ready.has(index) && !excused.has(index));
    // What was raised for a group that is there again comes down with the next pass.
    const passed = [...known.stuck].filter((index) => this.isPassed(truth, index)).length;
    const raised = Math.max(0, Math.min(passed, truth.maxUnavailable - known.budget));
    if (down.length <= known.budget + raised) return undefined;
    return [
      'C5 rollback capacity',
      `${workload.name}: groups ${down.join(' ')} were ready when the rollback began and are down at once, of ${known.budget}${raised > 0 ? ` and ${raised}` : ''}`,
    ];
  }

  /** It is on what the workload asks for, or is replaced just now. */
  private isPassed({ groups, version }: Truth, index: number): boolean {
    const group = groups.find((one) => one.index === index);
    return group === undefined || group.ending || group.leaderVersion === version;
  }
}
