/** Handing back a workload that a HelmRelease renders: our entry goes with our annotations, and the document is as before. */

import type { Marks } from '../../api/marks.ts';
import type { Carried } from '../edits/carried.ts';
import { entryGone } from '../edits/carried-edits.ts';
import type { Snapshot, WorkloadFile } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { afterwards, disabling, type EjectWish, UNMARKED } from './eject-scene.ts';
import { type Ordered, refused } from './ordered.ts';

type Of = { readonly file: WorkloadFile; readonly carried: Carried; readonly marks: Marks };

/** At rest alone: without the entry the partition of the chart counts at once, as a rule 0. */
export function planEjectCarried(wish: EjectWish, snapshot: Snapshot, { file, carried, marks }: Of): Ordered {
  const { file: path, object, digest } = file;
  const isOpen = marks.step !== undefined || digest !== marks.release.digest;
  if (wish.abort || wish.partition !== undefined)
    return refused(
      `HelmRelease ${object.name} renders it: the entry of tranche goes as a whole, and with it what --abort and --partition would write. ${isOpen ? `Order ${command('abort', snapshot.key)} and wait until it is settled, then eject` : `Nothing is in flight: order ${command('eject', snapshot.key)} without them`}`,
    );
  if (isOpen)
    return refused(
      `a release is in flight: without the entry of tranche every group would restart on it at once. Wait until it is settled, or order ${command('abort', snapshot.key)}`,
    );
  const partition = carried.renderers.entry?.partition ?? 0;
  return {
    kind: 'write',
    commits: [
      { edits: [{ file: path, object, edits: UNMARKED }, ...disabling(snapshot)], what: 'eject, annotations removed' },
      {
        edits: [{ file: path, object, edits: entryGone(carried) }],
        what: `eject, entry removed, partition ${partition} → that of the chart`,
      },
    ],
    ...afterwards(snapshot),
  };
}
