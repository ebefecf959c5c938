/** Handing a workload back: our annotations go, and LWS rolls by itself again. Works from the annotations alone. */

import { RELEASE_PATHS } from '../../api/release-content.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH, SENTINEL } from '../../api/workload.ts';
import { markEdits } from '../../rollout/change-edits.ts';
import type { Edit } from '../../rollout/edit.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import { surgeInGit } from '../../rollout/surge.ts';

export type EjectWish = {
  /** Put the stable text back first. */
  readonly abort: boolean;
  /** undefined: 0, where nothing is in flight. */
  readonly partition: number | undefined;
};

type EjectPlan =
  | {
      readonly kind: 'write';
      /** In this order, as two commits: without its marks no policy of ours looks at the object any more. */
      readonly commits: readonly { readonly edits: readonly Edit[]; readonly what: string }[];
    }
  | { readonly kind: 'refused'; readonly why: string };

/** What to write into the LeaderWorkerSet, or why not. */
export function planEject(wish: EjectWish, snapshot: Snapshot): EjectPlan {
  const file = snapshot.workload;
  if (file === undefined)
    return refused(
      'the LeaderWorkerSet cannot be read from the files, so its annotations are not known. Correct the file (tranche lint says where), then order again',
    );
  // Marks that a hand took out tell as well what is in flight: partition 0 would restart every group on it.
  const marks = snapshot.lostMarks ?? file.workload.marks;
  if (marks === undefined)
    return refused('the workload carries no annotation of tranche: there is nothing to hand back');
  const open = marks.step !== undefined || file.digest !== marks.release.digest;
  if (wish.partition !== undefined && (wish.partition < 0 || wish.partition > SENTINEL))
    return refused(`--partition is ${wish.partition}, wanted 0 to ${SENTINEL}`);
  if (wish.abort && snapshot.stable.kind !== 'known' && open) {
    return refused(
      `the stable text was not found: ${snapshot.stable.kind === 'unknown' ? snapshot.stable.why : 'no annotation names it'}`,
    );
  }
  if (open && !wish.abort && wish.partition === undefined) {
    return refused(
      'a release is in flight: handing back at partition 0 would restart every group on it. Say --abort to put the stable text back, or --partition N to say how far it may go',
    );
  }
  const partition = wish.partition ?? 0;
  const back = wish.abort ? stableText(snapshot) : [];
  const displaced = marks.restore?.maxUnavailable;
  // With a group broken, LWS would answer a lower budget by standing still: what was raised stays raised for the way back.
  const budget: Edit[] =
    displaced === undefined || wish.abort || file.workload.maxUnavailable !== displaced.set
      ? []
      : [
          displaced.was === undefined
            ? { kind: 'remove', path: MAX_UNAVAILABLE_PATH }
            : { kind: 'set', path: MAX_UNAVAILABLE_PATH, value: displaced.was },
        ];
  const surge = surgeInGit({ ...file.workload, marks });
  const replicas: Edit[] = surge === undefined ? [] : [{ kind: 'set', path: REPLICAS_PATH, value: surge.was }];
  return {
    kind: 'write',
    commits: [
      { edits: markEdits(marks, undefined), what: 'eject, annotations removed' },
      {
        edits: [...replicas, ...budget, ...back, { kind: 'set', path: PARTITION_PATH, value: partition }],
        what: `eject, ${surge === undefined ? '' : `replicas ${surge.set} → ${surge.was}, `}partition ${file.workload.partition ?? 0} → ${partition}${wish.abort ? ', stable text back' : ''}`,
      },
    ],
  };
}

function stableText({ stable }: Snapshot): readonly Edit[] {
  if (stable.kind !== 'known') return [];
  return RELEASE_PATHS.map((path) => ({ kind: 'restore', path, source: stable.value.text }));
}

function refused(why: string): EjectPlan {
  return { kind: 'refused', why };
}
