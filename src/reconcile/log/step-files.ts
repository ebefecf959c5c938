/** What only files tell of the newest delivery of a Rollout: groups and shares of its steps, and what its release changes. */

import { parseRelease, printRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { Git } from '../../ports/git.ts';
import { releaseChanges } from '../../rollout/proposals/release-changes.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import type { GitReader } from '../history/git-reader.ts';
import type { Delivery, StepTold } from './deliveries.ts';
import { type StepShare, shareAt } from './step-shares.ts';

/** Steps of one delivery whose files are read: a Rollout has no more. */
const STEPS_MOST = 100;
/** Fields of a release that are told, and characters of each: as in a pull request. */
const CHANGES_MOST = 60;
const CHARACTERS_MOST = 500;

type StepGroups = { readonly updated: number; readonly of: number };

export type StepInFiles = StepTold & { readonly groups?: StepGroups; readonly share?: StepShare };

type From = {
  readonly git: Pick<Git, 'readAt'>;
  readonly reader: Pick<GitReader, 'workloadAt' | 'textAt'>;
  readonly desired: Desired;
};

/**
 * The steps, those with a number that the files bear out: of this release, in a step, not locked again. A second workload
 * has groups of its own, so that the partition of the first says nothing. Throws PortError where Git fails for now.
 */
export async function stepsInFiles(
  { git, reader, desired }: From,
  entry: DesiredRollout,
  { release, outcome, steps }: Delivery,
): Promise<readonly StepInFiles[]> {
  const found: StepInFiles[] = [];
  const isBack = BACK.includes(outcome);
  for (const [place, step] of steps.entries()) {
    const { commit } = step;
    const file = place < STEPS_MOST ? await reader.workloadAt(commit, entry) : undefined;
    const groups = file && groupsOf(file, release);
    const share = file && (await shareAt(git, { entry, desired }, { commit, file, isBack }));
    found.push({ ...step, ...(groups && { groups }), ...(share && { share }) });
  }
  return found;
}

/** Outcomes after which all requests go to the version before. */
const BACK: readonly Delivery['outcome'][] = ['rolled back', 'rolling back', 'undone'];

function groupsOf(file: WorkloadFile, release: string): StepGroups | undefined {
  if (file.digest !== parseRelease(release)?.digest) return undefined;
  const { marks, replicas, partition = 0 } = file.workload;
  const isStep = marks?.step?.kind === 'step' && marks.at === undefined && printRelease(marks.release) === release;
  if (!isStep || replicas === undefined || partition >= SENTINEL) return undefined;
  return { updated: Math.max(0, replicas - partition), of: replicas };
}

/**
 * What the release changes of the stable version, a field a line, `-` and `+` first; undefined: its first step names no
 * stable version, or one of both templates is not where the marks say.
 */
export async function changesIn(
  { reader }: Pick<From, 'reader'>,
  entry: DesiredRollout,
  { release, firstStep }: Delivery,
): Promise<readonly string[] | undefined> {
  const file = await reader.workloadAt(firstStep, entry);
  const stable = file?.workload.marks?.stable;
  if (file === undefined || stable === undefined || file.digest !== parseRelease(release)?.digest) return undefined;
  const before = await reader.textAt(stable.commit, entry);
  if (before.kind !== 'known' || before.value.release.digest !== stable.digest) return undefined;
  const lines = releaseChanges(before.value.content, file.workload.content, CHANGES_MOST);
  return lines.map((line) => (line.length <= CHARACTERS_MOST ? line : `${line.slice(0, CHARACTERS_MOST - 1)}…`));
}
