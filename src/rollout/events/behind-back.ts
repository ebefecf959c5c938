/** What the file says has settled is aborted: groups run what main had before it, and the file takes that again. */

import { shortRelease } from '../../api/release.ts';
import { elsewhereFacts } from '../gates/elsewhere.ts';
import { type Aborted, abortOf } from '../orders/aborted-release.ts';
import { type Situation, situationOf } from '../situation.ts';

type Back = { readonly given: Aborted; readonly situation: Situation };

/**
 * The rollback of what a squash or a hand has left as settled, in the situation in which the release before it is the stable one;
 * undefined: nobody has ordered it, no group is behind, or nobody knows what to go back to, which `groupsBehind` says.
 */
export function behindBack(situation: Situation): Back | undefined {
  const { snapshot, file, state } = situation;
  const { behind, lostMarks } = snapshot;
  const isOpen = state.kind !== 'settled' && state.kind !== 'rollback';
  if (isOpen || behind?.stable.kind !== 'known' || lostMarks !== undefined) return undefined;
  const { release } = behind;
  if (abortOf(situation, release) === undefined) return undefined;
  if (situation.view === 'unseen' || elsewhereFacts(situation) === undefined) return undefined;
  const because = `Release ${shortRelease(release)} was aborted. By its annotations it had settled, and groups were on what main had before it.`;
  const given = { release, reason: 'Aborted', because } as const;
  return { given, situation: situationOf({ ...snapshot, stable: behind.stable }, file) };
}
