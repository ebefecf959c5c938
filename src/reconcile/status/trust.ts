/** What a pass makes of the keys on main: which of the status branch it believes, and whether it may write there. */

import type { Issue } from '../../api/issue.ts';
import { UNREADABLE_ADVICE } from './others-branch.ts';
import { type Judging, keyMissing, proven, signingOf, unnamedKey } from './proven.ts';
import type { StatusBranch } from './record-store.ts';
import { forgetEnded, type Known } from './seen-numbers.ts';
import type { Signing } from './signed.ts';

type Trust = {
  /** As far as it is borne out. */
  readonly status: StatusBranch;
  /** undefined: nothing is signed. */
  readonly signing: Signing | undefined;
  /** Why a pass that writes may not write there; undefined: it may. */
  readonly keyMissing: string | undefined;
  readonly warnings: readonly Issue[];
};

/** `isWriting`: who only looks needs no key. */
export function trustOf(
  read: StatusBranch,
  judging: Judging,
  { known, isWriting }: { readonly known: Known; readonly isWriting: boolean },
): Trust {
  forgetEnded(known, judging.config.statusKeys, judging.keysAt);
  const { status, tampered } = proven(read, judging, known);
  return {
    status,
    signing: signingOf(judging, known),
    keyMissing: isWriting ? keyMissing(judging) : undefined,
    warnings: [...unread(read, judging), ...tampered, ...unnamedKey(judging)],
  };
}

function unread({ unreadable }: StatusBranch, { config }: Judging): readonly Issue[] {
  if (unreadable === undefined) return [];
  return [
    {
      file: config.statusBranch,
      line: 1,
      path: '',
      reason: 'StatusTampered',
      message: `the status branch cannot be read: ${unreadable}`,
      hint: `${UNREADABLE_ADVICE}. Until then no step goes forward; rollbacks and orders do.`,
    },
  ];
}
