/** A template of ours that stands in the place of people's own, in the patch over what kustomize builds: when it goes again. */

import type { Marks } from '../../api/marks.ts';
import { type Release, shortDigest, shortRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { retried } from '../gates/aborted.ts';
import { type Hold, hold } from '../hold.ts';
import { MOVES, type Move } from '../move.ts';
import type { Situation } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { changedText } from '../texts/changed-files.ts';

/**
 * For a settled, locked workload: the commit that takes the pin out, because people's own files say the same template again,
 * or a newer one, which is a request then. While they say the aborted one it stays: they alone change their files.
 */
export function unpinning(situation: Situation, marks: Marks): Move | Hold | undefined {
  const { file, digest, partition } = situation;
  const { beneath } = file;
  // What the files say by themselves is not known: the pin stays until they build.
  if (beneath?.isPinned !== true || beneath.isEarlier === true || partition !== SENTINEL || marks.step !== undefined)
    return undefined;
  const given = marks.aborted.find((release) => release.digest === beneath.digest);
  if (given !== undefined && beneath.digest !== digest) return pinned(situation, { given, marks });
  const text = { commit: '', release: { digest: beneath.digest, serial: 0 }, content: beneath.content, text: '' };
  return workloadMove(situation, {
    reason: 'Unpinned',
    label: MOVES.Unpinned.label,
    marks,
    text,
    why:
      beneath.digest === digest
        ? `What ${folderName(beneath.root)} builds by itself has the template of ${shortRelease(marks.release)} again, so that the patch need not hold it: nothing changes in the cluster.`
        : `What ${folderName(beneath.root)} builds by itself has another template, ${shortDigest(beneath.digest)}, than the one that was aborted. It is a request: locked, nothing restarts until its first step.`,
  });
}

/** undefined: it is asked for again, which is an answer of its own. */
function pinned(
  { file, snapshot }: Situation,
  { given, marks }: { readonly given: Release; readonly marks: Marks },
): Hold | undefined {
  if (retried(given.digest, marks, snapshot.rollout?.intents.retry)) return undefined;
  const folder = folderName(file.beneath?.root ?? '');
  const changed = changedText(file.beneath?.changed);
  return hold('ReleaseAborted', {
    seen: `${folder} still builds the template that was aborted as ${shortRelease(given)}; ${file.file} keeps ${shortRelease(marks.release)} in its place${changed === '' ? '' : `. What differs from then: ${changed}`}`,
    action: advice`To deliver it after all: ${commandLine('retry', snapshot.key)}; otherwise take back what made the difference in ${changed === '' ? `the files that ${folder} is built from` : 'these files'}`,
  });
}

function folderName(root: string): string {
  return root === '' ? 'the root of the repository' : root;
}
