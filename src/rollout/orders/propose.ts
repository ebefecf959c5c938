/** The word that takes a no back: what was closed, or whose merge was reverted, is proposed once more. */

import { INTENT, printPropose } from '../../api/intents.ts';
import { shortRelease } from '../../api/release.ts';
import type { Edit } from '../edits/edit.ts';
import type { Snapshot } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { refused } from './ordered.ts';
import type { Said } from './said.ts';

/** It names the last pull request: whatever becomes of a later one counts again. */
export function proposeFresh({ record, rollout, key }: Snapshot): Said {
  const proposal = record?.proposal;
  const number = proposal?.number;
  const path = (annotation: string): Edit['path'] => ['metadata', 'annotations', annotation];
  // A word that nobody is shown to have given stands in the way of one that is.
  const word =
    rollout?.intents.approve?.digest === undefined ? [] : [{ kind: 'remove', path: path(INTENT.approve) } as const];
  if ((proposal === undefined || number === undefined) && word.length > 0)
    return { kind: 'write', edits: word, what: 'take out an approval that no pull request has brought' };
  if (proposal === undefined || number === undefined)
    return refused(
      `the last pass knows of no pull request of ${key.name}, so there is none to open again: what is ready is proposed by itself. ${command('status', key)} says what it waits for`,
    );
  const { index, release } = proposal;
  return {
    kind: 'write',
    edits: [...word, { kind: 'set', path: path(INTENT.propose), value: printPropose({ index, release, number }) }],
    what: `propose step ${index} of ${shortRelease(release)} again, after pull request ${number}`,
  };
}
