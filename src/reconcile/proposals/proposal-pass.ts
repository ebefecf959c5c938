/** What a pass of pull requests works on: a Rollout with all that was read of its own, and what all of them share. */

import type { ProposalRecord } from '../../api/proposal-record.ts';
import type { Forge, Pull } from '../../ports/forge.ts';
import type { Oid } from '../../ports/git.ts';
import type { Verdict } from '../../rollout/proposals/judge.ts';
import type { GitReader } from '../history/git-reader.ts';
import type { Reconciled } from '../outcome.ts';
import type { Ports, Reading } from '../pass.ts';
import type { RulesAsked } from './merge-rules.ts';
import type { OwnPulls } from './own-pulls.ts';

/** A rollout with all that was read of its pull request. */
export type Judged = {
  readonly one: Reconciled;
  readonly verdict: Verdict;
  /** As the forge was carried out. */
  readonly proposal: ProposalRecord | undefined;
  /** What the forge says that it waits for. */
  readonly waits: string;
  /** What others have pushed to its branch, where no status of ours fails there yet. */
  readonly unmarked: Oid | undefined;
  /** Open ones of this Rollout that are not that one: somebody has opened an old one again. */
  readonly strays: readonly Pull[];
};

/** What all of a pass share. */
export type ProposalRound = {
  readonly ports: Ports & { readonly forge: Forge };
  readonly reading: Reading;
  /** The reader of the pass. */
  readonly commits: Pick<GitReader, 'brought'>;
  /** What the rules of the desired branch want of a merge: asked once, and only where something is proposed. */
  readonly rules: () => Promise<RulesAsked>;
  readonly own: OwnPulls;
  /** How many more may be opened. */
  room: number;
  /** How many more of what somebody has opened again are ended. */
  strays: number;
};
