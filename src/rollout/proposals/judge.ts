/**
 * What becomes of the pull request of one Rollout: what the forge says of it against what would be proposed now. Whether
 * it was approved is never asked here: main says that, and `isApproved` reads it.
 */

import type { ProposalRecord, ProposalState } from '../../api/proposal-record.ts';
import { sameRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import type { currentStep } from '../approvable.ts';
import type { Approval } from './promotion.ts';

/** What the forge says of the pull request on record. */
export type View =
  /** It was not asked, or did not answer. */
  | { readonly kind: 'unknown' }
  /** It knows none of this branch. */
  | { readonly kind: 'none' }
  | { readonly kind: 'open'; readonly number: number; readonly url: string; readonly head: string }
  | { readonly kind: 'merged'; readonly by: string }
  | { readonly kind: 'closed'; readonly by: string; readonly closer: 'person' | 'machine' | 'us' };

export type Case = {
  readonly known: ProposalRecord | undefined;
  readonly view: View;
  /** What someone would have to approve now; undefined: some gate is shut, or there is nothing to do. */
  readonly wanted: (Approval & { readonly branch: string }) | undefined;
  /** What an approval could be given for at all. */
  readonly approvable: ReturnType<typeof currentStep>;
  /** Main holds the approval of it; what still waits then waits for who gave it to be shown. */
  readonly isGiven: boolean;
  /** Someone wants it proposed again, whatever became of the pull requests up to this number. */
  readonly fresh: number | undefined;
  /** A rule of the forge wants our status at the head before a merge. */
  readonly isGateRequired: boolean;
  /** It is the step itself, and what kept it from being merged too late does not any more. */
  readonly isUnguarded: boolean;
  /** The forge says that it cannot be merged into main as that is by now. */
  readonly hasConflict: boolean;
  readonly now: Instant;
  /** The same by the servers' clocks, where ours runs ahead of them. */
  readonly earliest: Instant;
};

export type Verdict =
  /** Nothing is proposed, and nothing waits. */
  | { readonly kind: 'none' }
  /** A pull request is there, and what people do with it is waited for. */
  | { readonly kind: 'waits' }
  /** The same while a gate is shut: its status says so. */
  | { readonly kind: 'shut' }
  /** Somebody has pushed to its branch. */
  | { readonly kind: 'foreign' }
  /** The forge says that it was merged, and main as it was read does not show it yet. */
  | { readonly kind: 'merging' }
  /** Main has its approval, and it is not shown who gave that. */
  | { readonly kind: 'unproven' }
  /** It was merged, and main does not have its approval any more. */
  | { readonly kind: 'reverted' }
  | { readonly kind: 'vetoed' }
  | { readonly kind: 'closed' }
  /** Too soon after the last one. */
  | { readonly kind: 'early'; readonly seconds: number }
  /** Closed by us: what it asks for can never be done any more, or is asked for by another one. */
  | { readonly kind: 'withdraw'; readonly why: WithdrawReason }
  /** `fresh`: once more, after a rejection that was taken back. */
  | { readonly kind: 'propose'; readonly fresh?: true };

/** Why we close one, as its last comment says it. */
export const WITHDRAWALS = {
  overtaken: 'the delivery has moved on, so what this would approve cannot happen any more',
  changed: 'what comes next is another change by now; it is proposed on its own',
  old: 'it has been open for seven days; it is proposed again with what is seen now',
  ended: 'what it asked for was decided otherwise',
  shut: 'something that it needs is not there any more; it is proposed again once it is',
  fresh: 'someone wants it proposed again',
  unguarded: 'the rules of the branch, or who decides the number of groups, are others by now; it is proposed again',
  conflict: 'it conflicts with what the branch holds by now; it is proposed again from there',
} as const;

type WithdrawReason = keyof typeof WITHDRAWALS;

/** How long a pull request stays open. */
const LIFE_SECONDS = 7 * 86_400;
/** So often at most a Rollout gets another one. */
const REPROPOSE_SECONDS = 600;

/** What the record says once the forge has answered: someone may have closed it, or opened it again. */
export function heard(known: ProposalRecord, view: View): ProposalRecord {
  const { state } = known;
  if (view.kind === 'unknown') return known;
  if (view.kind === 'open') {
    const reopened: ProposalState = state === 'vetoed' || state === 'closed' ? 'open' : state;
    const vetoes = known.vetoes.filter((digest) => reopened !== 'open' || digest !== known.digest);
    return { ...known, number: view.number, url: view.url, state: reopened, vetoes };
  }
  if (state !== 'open') return known;
  if (view.kind === 'merged') return { ...known, state: 'merged', by: view.by };
  // Before its pull request was opened there is nothing that anybody could have closed.
  if (view.kind === 'none') return known.number === undefined ? known : { ...known, state: 'closed', by: '' };
  // Closed in a pass whose record was lost.
  if (view.closer === 'us') return { ...known, state: 'withdrawn' };
  return view.closer === 'person'
    ? { ...known, state: 'vetoed', by: view.by, vetoes: [...known.vetoes, known.digest].slice(-VETOES_KEPT) }
    : { ...known, state: 'closed', by: view.by };
}

const VETOES_KEPT = 10;

/** One answer for each case. `known` is as it was before the forge was carried out. */
export function judge(of: Case): Verdict {
  const { known, view, wanted } = of;
  const now = known === undefined ? undefined : heard(known, view);
  if (of.isGiven) return { kind: 'unproven' };
  if (now === undefined) return wanted === undefined ? { kind: 'none' } : { kind: 'propose' };
  const ended = now.state === 'withdrawn' || (now.state === 'merged' && view.kind === 'open');
  if (ended && view.kind === 'open') return { kind: 'withdraw', why: 'ended' };
  if (of.isUnguarded && now.state === 'open') return { kind: 'withdraw', why: 'unguarded' };
  if (wanted === undefined) return unwanted(of, now);
  const fresh = isRecreated(of, now) ? again(of, now) : undefined;
  if (fresh !== undefined) return fresh;
  if (wanted.digest !== now.digest || wanted.branch !== now.branch) return another(of, now, wanted);
  return same(of, now);
}

/** Nothing can be proposed now: the gates are shut, or it has all become another matter. */
function unwanted({ approvable, view, isGateRequired }: Case, now: ProposalRecord): Verdict {
  if (now.state !== 'open') return { kind: 'none' };
  const isMeant = approvable?.index === now.index && sameRelease(approvable.release, now.release);
  if (!isMeant) return { kind: 'withdraw', why: 'overtaken' };
  // Not at once: a group that is unready for a moment must not cost the reviews that were given.
  const isMergeable = view.kind === 'open' && !isGateRequired;
  return isMergeable && now.gates === 'shut' ? { kind: 'withdraw', why: 'shut' } : { kind: 'shut' };
}

/** Someone has taken back whatever ended it. A later pull request has a higher number, and its end counts. */
function isRecreated({ fresh, wanted }: Case, { number, index, release }: ProposalRecord): boolean {
  if (fresh === undefined || number === undefined || number > fresh) return false;
  return wanted?.index === index && sameRelease(wanted.release, release);
}

/** undefined: it stands as it should, so there is nothing to do again. */
function again({ view }: Case, { state, head }: ProposalRecord): Verdict | undefined {
  if (state !== 'open') return { kind: 'propose', fresh: true };
  return view.kind === 'open' && view.head !== head ? { kind: 'withdraw', why: 'fresh' } : undefined;
}

/** The plan, N or the file have changed since: another commit is next. */
function another(of: Case, now: ProposalRecord, wanted: Approval): Verdict {
  if (now.state === 'open') return { kind: 'withdraw', why: 'changed' };
  if (now.vetoes.includes(wanted.digest)) return { kind: 'vetoed' };
  const isSameStep = wanted.index === now.index && sameRelease(wanted.release, now.release);
  return isSameStep && now.state !== 'merged' ? proposed(of, now) : { kind: 'propose' };
}

function same(of: Case, now: ProposalRecord): Verdict {
  const { known, view } = of;
  switch (now.state) {
    case 'open':
      if (of.earliest - now.openedAt > LIFE_SECONDS) return { kind: 'withdraw', why: 'old' };
      if (view.kind === 'none') return { kind: 'propose' };
      if (view.kind === 'open' && view.head !== now.head) return { kind: 'foreign' };
      return of.hasConflict ? { kind: 'withdraw', why: 'conflict' } : { kind: 'waits' };
    case 'merged':
      // Seen by two passes: the second has read main after the forge had said it.
      return { kind: known?.state === 'merged' ? 'reverted' : 'merging' };
    case 'vetoed':
    case 'closed':
      return { kind: now.state };
    case 'withdrawn':
      break;
  }
  return proposed(of, now);
}

/** The same step again not before a while: what opens and shuts a gate must not open a pull request each time. */
function proposed(of: Case, { openedAt }: ProposalRecord): Verdict {
  // A clock that ran ahead has dated it: it is due now.
  const seconds = openedAt > of.now ? 0 : openedAt + REPROPOSE_SECONDS - of.now;
  return seconds > 0 ? { kind: 'early', seconds } : { kind: 'propose' };
}
