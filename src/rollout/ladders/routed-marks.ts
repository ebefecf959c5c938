/** What the annotations of a delivery by shares of one workload say together, where a squash has lost one of them and nothing else tells it. */

import type { Marks, RungMark } from '../../api/marks.ts';
import { withAside } from '../../api/restore.ts';
import type { StartedRouting } from '../../api/started-routing.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import { isTemplateBack } from '../state.ts';

type Beside = {
  readonly partition: number;
  /** What the Rollout of now routes with partition; undefined: nothing. */
  readonly routing: StartedRouting | undefined;
};

/**
 * The marks with the rung, the style and the routing of their delivery, which without them would read as one without routes, and its
 * groups go before their share, or as one of a second workload. Of a step that is the lowest rung, which is climbed once more with
 * its gates; of a rollback the earliest that it can stand on. undefined: nothing is missing, or nothing says that it has routes.
 */
export function routedMarks(marks: Marks, { partition, routing }: Beside): Marks | undefined {
  const { step, restore, at } = marks;
  const { style, routing: started } = restore ?? {};
  if (step === undefined || step.kind === 'promote' || (style !== undefined && !isOneWorkload(style))) return undefined;
  // One without routes keeps its floor there from its first step on, and no rung.
  const isLost = restore === undefined || at !== undefined;
  const by = started ?? (isLost ? routing : undefined);
  if (by === undefined || (at !== undefined && style !== undefined)) return undefined;
  const floor = restore?.floor ?? (partition < SENTINEL ? partition : undefined);
  const whole = withAside(restore, { floor, style: 'partition', routing: by });
  return { ...marks, restore: whole, at: at ?? rungOf(marks, partition) };
}

function rungOf(marks: Marks, partition: number): RungMark {
  if (marks.step?.kind !== 'rollback') return 'template';
  if (!isTemplateBack(marks)) return 'route-restored';
  // A batch at a time, the partition goes down to the floor with the last one.
  return partition > (marks.restore?.floor ?? 0) ? 'back' : 'template';
}
