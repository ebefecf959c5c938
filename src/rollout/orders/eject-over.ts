/** Handing back a workload that kustomize builds, or the HelmRelease of one: our patch goes with all that applies it, and people's files are as before. */

import type { Marks } from '../../api/marks.ts';
import { VERSION } from '../../api/version-label.ts';
import type { Beneath } from '../edits/beneath.ts';
import type { ObjectEdits } from '../edits/edit.ts';
import type { Snapshot, WorkloadFile } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { afterwards, disabling, type EjectWish, UNMARKED } from './eject-scene.ts';
import { type Ordered, refused } from './ordered.ts';

type Over = { readonly file: WorkloadFile; readonly beneath: Beneath; readonly marks: Marks };

/**
 * At rest alone: without the patch what people's files say counts at once, the partition and the template. In a delivery that
 * would restart every group, so it is ended or aborted first.
 */
export function planEjectOver(wish: EjectWish, snapshot: Snapshot, { file, beneath, marks }: Over): Ordered {
  const { digest, object } = file;
  const isOpen = marks.step !== undefined || digest !== marks.release.digest;
  if (wish.abort || wish.partition !== undefined)
    return refused(
      `${object.name} is built by kustomize: the patch goes as a whole, and with it what --abort and --partition would write. ${isOpen ? `Order ${command('abort', snapshot.key)} and wait until it is settled, then eject` : `Nothing is in flight: order ${command('eject', snapshot.key)} without them`}`,
    );
  if (isOpen)
    return refused(
      `a release is in flight: without the patch of tranche every group would restart on it at once. Wait until it is settled, or order ${command('abort', snapshot.key)}`,
    );
  if (beneath.digest !== digest)
    return refused(
      `${beneath.root} builds another template by itself than the one that runs: without the patch every group would restart on it at once. Take back what made the difference, wait for the commit that unpins it, then eject`,
    );
  const { settledAs } = snapshot;
  if (settledAs !== undefined)
    return refused(
      `${beneath.root} builds the label ${VERSION} of the leaders as ${file.workload.version ?? 'none'}, and they run with ${settledAs.version ?? 'none'}: without the patch every group would restart for that at once. Take back what made the difference, and order it again after the next pass`,
    );
  const { transformer, kustomization, entries, entry, isShared } = beneath.applied;
  const place = entries.indexOf(entry);
  const entryGone: readonly ObjectEdits[] =
    isShared || place < 0
      ? []
      : [{ ...kustomization, edits: [{ kind: 'removeItem', path: ['transformers', String(place)] }] }];
  const gone = (one: Pick<ObjectEdits, 'file' | 'object'>): ObjectEdits => ({
    file: one.file,
    object: one.object,
    edits: [],
    document: { kind: 'delete' },
  });
  const isCarried = file.carried !== undefined;
  const from = (isCarried ? file.carried.renderers.entry?.partition : file.workload.partition) ?? 0;
  const partition = isCarried ? 'that of the chart' : (beneath.partition ?? 0);
  return {
    kind: 'write',
    commits: [
      {
        edits: [{ file: file.file, object, edits: UNMARKED }, ...disabling(snapshot)],
        what: 'eject, annotations removed',
      },
      {
        edits: [...entryGone, gone({ file: transformer.file, object: transformer.object }), gone(file)],
        what: `eject, patch removed, partition ${from} → ${partition}`,
      },
    ],
    ...afterwards(snapshot),
  };
}
