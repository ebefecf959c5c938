/** The laws of worlds that kustomize builds: a commit of ours changes one workload of one folder, and no folder moves by another's step. */

import { canonicalJson, type JsonObject } from '../../src/api/json.ts';
import { textAt } from '../support/kustomize-model/resource.ts';
import { type BuiltWorkload, isBuilt, isEntered, overlayFile, withEntry, withoutEntry } from './built-files.ts';
import { builtObjects } from './built-view.ts';
import type { LawName } from './laws.ts';
import type { Fields, OurCommit } from './our-commit.ts';
import type { WorkloadSetup } from './setup.ts';
import { type Truth, wantedGroups } from './truth.ts';
import type { Universe } from './universe.ts';

/** S6: people's kustomization gets our entry and nothing else, and every other object of every folder is built as before. */
export function builtApart(commit: OurCommit, workload: BuiltWorkload): string | undefined {
  const { universe, oid, parent } = commit;
  const { repository } = universe;
  const overlay = overlayFile(workload);
  const [was = '', is = ''] = [universe.text(parent, overlay), universe.text(oid, overlay)];
  if (was !== is && is !== withEntry(was)) return `changes ${overlay} otherwise than by its entry`;
  if (was !== is && withoutEntry(is) !== withoutEntry(was)) return `leaves ${overlay} otherwise once its entry is gone`;
  if (!isEntered(is) && commit.reason === 'Adopted') return 'is taken over, and nothing applies its patch';
  for (const other of universe.setup.workloads.filter(isBuilt)) {
    const [before, after] = [parent, oid].map((at) => othersIn(builtObjects(repository, at, other), workload.name));
    if (before !== after) return `changes other objects of ${other.root}`;
  }
  return undefined;
}

/** All but the LeaderWorkerSet of this name. */
function othersIn(objects: readonly JsonObject[], name: string): string {
  const isOwn = (one: JsonObject): boolean =>
    textAt(one, ['kind']) === 'LeaderWorkerSet' && textAt(one, ['metadata', 'name']) === name;
  return objects
    .filter((one) => !isOwn(one))
    .map(canonicalJson)
    .join('\n');
}

/** K1: by version the lowest partition that its own folder has had with it. */
export class OwnSteps {
  private readonly universe: Universe;
  private readonly workload: WorkloadSetup;
  private readonly lowest: Map<number, number>;
  /** Leaders of objects that were re-created, or of a workload that starts from zero. */
  private readonly excused: Set<string>;

  constructor(universe: Universe, workload: WorkloadSetup, from?: OwnSteps) {
    this.universe = universe;
    this.workload = workload;
    this.lowest = new Map(from?.lowest ?? [[0, 0]]);
    this.excused = new Set(from?.excused);
  }

  opened({ version, partition }: Fields): void {
    if (version !== undefined) this.lowest.set(version, Math.min(partition, this.lowest.get(version) ?? partition));
  }

  judge(truth: Truth, before: Truth | undefined): readonly [LawName, string] | undefined {
    const { name } = this.workload;
    if (!isBuilt(this.workload) || this.universe.mixed.has(name) || this.universe.rewritten > 0) return undefined;
    const isFresh = before === undefined || before.uid !== truth.uid || before.setUid !== truth.setUid;
    if (isFresh || before.replicas === 0 || truth.replicas === 0)
      for (const { leaderUid } of truth.groups) this.excused.add(leaderUid);
    const astray = wantedGroups(truth).find(
      ({ index, leaderVersion, leaderUid }) =>
        leaderVersion !== undefined &&
        !this.excused.has(leaderUid) &&
        index < (this.lowest.get(leaderVersion) ?? index + 1),
    );
    if (astray === undefined) return undefined;
    const lowest = this.lowest.get(astray.leaderVersion ?? 0) ?? 'none';
    return [
      'K1 own steps',
      `${name}: group ${astray.index} is on version ${astray.leaderVersion}, whose lowest partition was ${lowest}`,
    ];
  }
}
