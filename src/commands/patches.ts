/** How the patches of findings are printed: so that each can be handed to git apply as it stands. */

import type { Issue } from '../api/issue.ts';

/** A patch stands as it is below its issue: an empty line may be its last. */
export function patchLines({ patch = '' }: Issue): readonly string[] {
  return patch === '' ? [] : patch.replace(/\n$/, '').split('\n');
}

/** Two patches may change lines that stand together: then git takes the first alone. `verb`: what finds the rest. */
export function inTurn(issues: readonly Issue[], verb: string): readonly string[] {
  const patches = issues.filter(({ patch = '' }) => patch !== '').length;
  return patches > 1 ? [`Each patch is of the files as they are: git apply one, then ${verb} again for the next.`] : [];
}
