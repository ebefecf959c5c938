/** An aborted template is in the file again while a delivery with a second workload goes back. */

import { shortDigest } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import type { NextCommit } from '../ladders/next-commit.ts';
import { climbed } from '../ladders/rung-move.ts';
import type { Decision } from '../move.ts';
import { remember } from '../orders/aborted-release.ts';
import { nextRelease } from '../situation.ts';
import type { Stable } from '../snapshot.ts';

/** The template that was aborted is in the file again while the primary goes back: out of it once, under a serial of its own. */
export function remainsAborted(on: Delivering): Decision | undefined {
  const { partition, snapshot } = on.situation;
  if (partition === SENTINEL || snapshot.stable.kind !== 'known') return undefined;
  return abortedRemoved(on, snapshot.stable.value);
}

/** The template of the rollback in the place of an aborted one; undefined: there is none, or it has been written once more since. */
export function abortedRemoved(on: Delivering, text: Stable): Decision | undefined {
  const { situation, marks, delivery } = on;
  const { digest } = situation;
  const times = marks.aborted.filter((given) => given.digest === digest).length;
  if (times > 1 || heldAsAborted(situation, marks) === undefined) return undefined;
  if (marks.step === undefined || marks.at === undefined) return undefined;
  const release = nextRelease(digest, marks);
  const next: NextCommit = {
    kind: 'commit',
    stage: marks.step,
    at: marks.at,
    objects: [],
    displaced: delivery.displaced,
    waits: [],
  };
  return climbed(on, next, {
    reason: 'AbortedTemplateRemoved',
    marks: { ...marks, aborted: remember({ release }, marks) },
    text,
    label: 'rollback',
    why: `The aborted template ${shortDigest(digest)} was written into the file again while its groups were going back.`,
  });
}
