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
  if (proposal === undefined || number === undefined)
    return refused(
      `the last pass knows of no pull request of ${key.name}, so there is none to open again: what is ready is proposed by itself. ${command('status', key)} says what it waits for`,
    );
  const { index, release } = proposal;
  const path = (annotation: string): Edit['path'] => ['metadata', 'annotations', annotation];
  // A word that nobody is shown to have given stands in the way of one that is.
  const word = rollout?.intents.approve?.digest === undefined ? [] : [path(INTENT.approve)];
  return {
    kind: 'write',
    edits: [
      ...word.map((at) => ({ kind: 'remove', path: at }) as const),
      { kind: 'set', path: path(INTENT.propose), value: printPropose({ index, release, number }) },
    ],
    what: `propose step ${index} of ${shortRelease(release)} again, after pull request ${number}`,
  };
}
