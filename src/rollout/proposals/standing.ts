/** What a Rollout waits for while someone is to approve its next commit: each verdict as a hold. */

import type { ProposalRecord } from '../../api/proposal-record.ts';
import { type Hold, hold, withLines } from '../hold.ts';
import type { RolloutKey, Snapshot } from '../snapshot.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { policySaying } from '../texts/sentences.ts';
import { FORMS, isFields } from './form.ts';
import type { Verdict } from './judge.ts';

/** What its text is made of. */
type Standing = {
  /** The commit that waits: `step 2/3`. */
  readonly label: string;
  /** The Rollout, for commands. */
  readonly key: RolloutKey;
  /** As the forge was carried out. */
  readonly proposal: ProposalRecord | undefined;
  /** What the forge says that it waits for; empty: nothing is known of that. */
  readonly waits: string;
  /** What policies want the forge to show of those who approve, a line each: with any a word by commit counts for nothing. */
  readonly asks: readonly string[];
  /** What a policy accepts of it that nobody should overlook, a line each. */
  readonly notes: readonly string[];
};

/** What people are notified of a step next to its state, wherever it waits for them. */
export function notesOf(snapshot: Pick<Snapshot, 'policy' | 'policySources'>): readonly string[] {
  return snapshot.policy.withoutDirectPush === 'Accept'
    ? [
        `${policySaying(snapshot, 'withoutDirectPush')} accepts that commits of tranche do not reach the branch: where they do not, nothing locks a step or takes it back but pull requests of people`,
      ]
    : [];
}

/** Where no pull request stands for it, an order is all that can approve it. */
export function pausedForApproval(
  { label, key, asks, notes }: Pick<Standing, 'label' | 'key' | 'asks' | 'notes'>,
  why = '',
  requeueAfterSeconds?: number,
): Hold {
  const seen = `what comes next, ${label}, is ready and waits for someone: promotion is pullRequest${why}`;
  const action =
    asks.length > 0
      ? 'To go on, merge its pull request once it is open'
      : advice`To go on: ${commandLine('approve', key)}`;
  return asked(hold('PausedForApproval', { seen, action }, requeueAfterSeconds), [...asks, ...notes]);
}

/** The hold of this verdict; undefined: what its gates say is all. */
export function standing(verdict: Verdict, of: Standing): Hold | undefined {
  if (verdict.kind === 'early')
    return pausedForApproval(of, '; a pull request for this step was open a moment ago', verdict.seconds);
  return SAID[verdict.kind](of);
}

const SAID: { readonly [K in Exclude<Verdict['kind'], 'early'>]: (of: Standing) => Hold | undefined } = {
  none: () => undefined,
  shut: () => undefined,
  // The plan has said what is missing.
  unproven: () => undefined,
  withdraw: (of) => pausedForApproval(of),
  propose: (of) => pausedForApproval(of),
  waits: ({ label, key, proposal, waits, asks, notes }) =>
    asked(
      hold('ProposalOpen', {
        seen: `${label} is proposed: ${placeOf(proposal)}${waits === '' ? '' : `, which waits for ${waits}`}${formText(proposal)}${unaskedText(proposal)}`,
        action: advice`To go on, merge it${asks.length > 0 || proposal?.form === 'WithoutPush' ? '' : advice`, or: ${commandLine('approve', key)}`}. To say no, close it`,
      }),
      [...asks, ...notes],
    ),
  merging: ({ proposal }) =>
    hold('ProposalOpen', {
      seen: `${placeOf(proposal)} was merged${by(proposal)}, and main as it was read does not show it yet`,
      waits: 'tranche',
    }),
  foreign: ({ key, proposal }) =>
    hold('ProposalChanged', {
      seen: `the branch of ${placeOf(proposal)} holds commits that are not of tranche`,
      action: advice`Take them off, or: ${commandLine('propose', key)}`,
    }),
  vetoed: ({ label, key, proposal }) =>
    hold('ProposalVetoed', {
      seen: `${label} as it is planned was turned down: ${placeOf(proposal)} was closed${by(proposal)}`,
      action: advice`To go on, open it again, edit the plan, or: ${commandLine('propose', key)}; to go back: ${commandLine('abort', key)}`,
    }),
  closed: ({ key, proposal }) =>
    hold('ProposalClosed', {
      seen:
        by(proposal) === ''
          ? `${placeOf(proposal)} is not open for this branch any more: it was closed, its branch was deleted, or it has another base`
          : `${placeOf(proposal)} was closed${by(proposal)}, and not by someone`,
      action:
        by(proposal) === ''
          ? advice`To go on, open it for this branch again, or: ${commandLine('propose', key)}`
          : advice`To go on, open it again, or: ${commandLine('propose', key)}`,
    }),
  reverted: ({ key, proposal }) =>
    hold('ProposalReverted', {
      seen: `${placeOf(proposal)} was merged, but main no longer has its approval. A revert withdraws the approval; groups that were updated stay updated`,
      action: advice`To go on: ${commandLine('propose', key)}; to go back: ${commandLine('abort', key)}`,
    }),
};

/** Which form it has, and why; of records that do not say it, nothing. */
function formText(proposal: ProposalRecord | undefined): string {
  const form = proposal?.form;
  if (form === undefined) return '';
  return `; merging it ${isFields(form) ? 'is' : 'approves'} the step, because ${FORMS[form].because}`;
}

/** Whom the forge did not take as reviewers. */
function unaskedText(proposal: ProposalRecord | undefined): string {
  const names = proposal?.unasked ?? [];
  return names.length === 0 ? '' : `; not asked for a review: ${names.join(', ')}`;
}

function asked(held: Hold, lines: readonly string[]): Hold {
  return lines.length === 0 ? held : withLines(held, lines);
}

function placeOf(proposal: ProposalRecord | undefined): string {
  return proposal?.url ?? `the branch ${proposal?.branch ?? ''}`;
}

function by(proposal: ProposalRecord | undefined): string {
  return proposal?.by === undefined || proposal.by === '' ? '' : ` by ${proposal.by}`;
}
