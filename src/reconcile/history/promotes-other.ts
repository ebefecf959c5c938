/** Whether a file says that a release has done its steps of which main had none, while another one is on its way. */

import type { Marks } from '../../api/marks.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import { isOneWorkload } from '../../api/styles.ts';
import type { Observation } from './observation.ts';

/**
 * Whether the file says that a release has done its steps, and by no strategy that fills a second workload: no commit of ours says
 * that, and a squash leaves the annotations as they are. Whichever release it names, what main had before counts.
 */
export function promotesNothing(own: Marks | undefined): boolean {
  const style = own?.restore?.style;
  return own?.step?.kind === 'promote' && (style === undefined || isOneWorkload(style));
}

/**
 * Whether it says so of another release than `before`, which a commit of ours delivers or takes back, and main had no step of it.
 * A squash may have lost its steps; then the record knows of it. Where main's line does not tell, neither does this. Throws
 * PortError where Git fails for now.
 */
export async function promotesOther(
  { git, entry, stored }: Observation,
  own: Marks | undefined,
  before: Marks,
): Promise<boolean> {
  if (own?.step?.kind !== 'promote' || before.step === undefined || sameRelease(own.release, before.release))
    return false;
  const recorded = stored?.kind === 'read' ? stored.record.marks : undefined;
  if (recorded !== undefined && recorded.step?.kind !== 'rollback' && sameRelease(own.release, recorded.release))
    return false;
  const walked = await git.line.walk(entry, {
    keyOf: (version) => {
      const there = version.kind === 'read' ? version.workload.workload.marks : undefined;
      return there === undefined ? version.kind : `${printRelease(there.release)} ${there.step?.kind}`;
    },
    visit: ({ version }) => {
      const there = version.kind === 'read' ? version.workload.workload.marks : undefined;
      return there?.step?.kind === 'step' && sameRelease(there.release, own.release) ? true : undefined;
    },
  });
  return walked.kind !== 'found' && walked.kind !== 'cut';
}
