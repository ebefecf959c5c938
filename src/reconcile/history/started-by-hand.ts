/** Whether a hand has written that a release is on its way, or goes back, over annotations that tranche had left as settled. */

import type { Marks } from '../../api/marks.ts';
import { sameRelease } from '../../api/release.ts';
import type { RollingStyle } from '../../api/styles.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import { isFillingBack } from '../../rollout/state.ts';
import { namespaceOf } from '../documents/manifest-index.ts';
import { readRollout } from '../documents/read-rollout.ts';
import type { Observation } from './observation.ts';

/** Whether the marks say more than which release has settled. */
export function isUnderWay(marks: Marks): boolean {
  return marks.step !== undefined || marks.at !== undefined || marks.restore !== undefined;
}

/** Whether the file says that a release is on its way, or goes back, where `before` says that one has settled. */
export function startsOver(own: Marks | undefined, before: Marks): own is Marks {
  return own !== undefined && before.step === undefined && isUnderWay(own);
}

/**
 * Whether no delivery that starts where `rest` had settled could have the marks of the file, nor its rollback. A squash may have lost
 * what commits said of one that could. Throws PortError where Git fails for now.
 */
export async function isByHand(
  of: Observation,
  { digest, workload: { marks } }: WorkloadFile,
  rest: { readonly commit: string; readonly marks: Marks },
): Promise<boolean> {
  if (!startsOver(marks, rest.marks)) return false;
  const { step, release, stable, restore, serves, at } = marks;
  const isRung = at === undefined || restore?.style !== undefined;
  if (step === undefined || !isRung || serves !== rest.marks.serves) return true;
  const style = of.entry.reading.rollout?.rollout.style ?? (await styleAt(of, rest.commit));
  if (style !== undefined && style !== (restore?.style ?? 'partition')) return true;
  if (step.kind === 'rollback') return digest !== rest.marks.release.digest || !leadsToRest(marks, rest.marks);
  const isNext = release.digest !== rest.marks.release.digest && release.serial >= rest.marks.release.serial;
  return !isNext || stable?.digest !== rest.marks.release.digest || restore?.undone !== undefined;
}

/**
 * Whether they are of a rollback to what `before` has settled, of a release that was aborted since: all that is left of a delivery
 * that was squashed. It goes on: its template is in the file, and the colour that serves stays the one that does.
 */
export function leadsToRest(marks: Marks, before: Marks): boolean {
  const { step, aborted, release, serves } = marks;
  const isSince = aborted.some((one) => !before.aborted.some((given) => sameRelease(given, one)));
  const isBack = step?.kind === 'rollback' && !isFillingBack(marks) && sameRelease(release, before.release);
  return isBack && isSince && serves === before.serves;
}

/** The strategy of the Rollout that named the workload there; undefined: none did, or nobody can read it. */
async function styleAt({ git, entry, desired }: Observation, commit: string): Promise<RollingStyle | undefined> {
  const documents = await git.documentsAt(commit, { kinds: ['Rollout'], paths: undefined });
  const there = documents
    .filter((document) => namespaceOf(document, desired.config) === entry.key.namespace)
    .map((document) => readRollout(document).rollout?.rollout)
    .find((rollout) => rollout?.workload.name === entry.identity?.name);
  return there?.style;
}
