/** Whether main's own line bears out that a release has done all its steps: the mark alone would skip those that are left. */

import { type Marks, printStep } from '../../api/marks.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import type { Plan } from '../../rollout/plan.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import { orderBack } from './borne-out.ts';
import type { Observation } from './observation.ts';
import type { Version } from './version.ts';

/**
 * The snapshot with the marks that the release had before it said `promote`, where those are of another step than the last;
 * undefined: they are of the last, nobody goes on by the mark, or the clone ends before. A line of main that was squashed
 * tells nothing of the last step, and looks the same as a forged mark. Throws PortError where Git fails.
 */
export async function promotionProven(of: Observation, snapshot: Snapshot, plan: Plan): Promise<Snapshot | undefined> {
  const { workload, rollout, lostMarks } = snapshot;
  const marks = workload?.workload.marks;
  if (workload === undefined || marks?.step?.kind !== 'promote' || lostMarks !== undefined) return undefined;
  if (rollout === undefined || rollout.rollout.disabled || plan.commit?.way === 'back') return undefined;
  if (orderBack(snapshot, { digest: workload.digest, marks }) !== undefined) return undefined;
  const steps = rollout.rollout.steps.length;
  const before = await marksBefore(of, marks);
  if (before.kind === 'cut') return undefined;
  const last = before.kind === 'found' && before.value !== 'none' ? before.value : undefined;
  // Where their number was edited since, another hold says so.
  if (last?.step?.kind === 'step' && last.step.index >= Math.min(steps, last.step.of)) return undefined;
  const first: Marks = { ...marks, step: { kind: 'step', index: 1, of: steps }, at: 'route-restored' };
  return { ...snapshot, lostMarks: last ?? first };
}

/** Between the last step and the promotion there are none; who puts many in between may not hide by that what was before. */
const VERSIONS_MOST = 20;

/** The newest marks of this release in main's own line that are of a step, or of a rollback; `none`: too far back. */
async function marksBefore(of: Observation, { release }: Marks) {
  let versions = 0;
  return of.git.line.walk<Marks | 'none'>(of.entry, {
    keyOf,
    visit: ({ version }) => {
      versions += 1;
      if (versions > VERSIONS_MOST) return 'none';
      const there = marksOf(version);
      if (there?.step === undefined || !sameRelease(there.release, release)) return undefined;
      return there.step.kind === 'promote' ? undefined : there;
    },
  });
}

/** Versions between which neither release nor step changes are one. */
function keyOf(version: Version): string {
  const marks = marksOf(version);
  if (marks === undefined) return version.kind;
  return `${printRelease(marks.release)} ${marks.step === undefined ? '' : printStep(marks.step)}`;
}

function marksOf(version: Version): Marks | undefined {
  return version.kind === 'read' ? version.workload.workload.marks : undefined;
}
