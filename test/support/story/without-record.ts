/** The ways in which a pass that has lost its record may decide otherwise than one that has it. */

import { isNotAsked } from '../../../src/api/known.ts';
import type { Outcome } from '../../../src/reconcile/outcome.ts';

type Saying = {
  readonly commit: string;
  readonly holds: readonly { readonly reason: string; readonly message: string }[];
};

/** What a pass decided, without durations. */
export function sayingOf(outcome: Outcome | undefined): Saying {
  const plan = outcome?.plan;
  return {
    commit: timeless(plan?.commit?.message ?? ''),
    holds: (plan?.holds ?? []).map(({ reason, message }) => ({ reason, message: timeless(message) })),
  };
}

function timeless(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ');
  return flat
    .replaceAll(/ for \d+ s\b/g, '')
    .replaceAll(/\d+ s\b/g, 'a while')
    .trim();
}

/** Whether a pass did not ask the cluster of it. */
export function isResting(outcome: Outcome | undefined): boolean {
  const lws = outcome?.snapshot?.live.lws;
  return outcome === undefined || (lws !== undefined && isNotAsked(lws));
}

/** What time ends; what is wrong in the files is said next to it on a rollback. */
const WAITS: readonly string[] = [
  'Analysing',
  'GracePeriod',
  'Draining',
  'Baking',
  'PauseDuration',
  'Soaking',
  'Stalled',
  'PrimaryNotCovered',
];

type Pair = { readonly real: Saying; readonly lost: Saying; readonly resting: boolean };
type Exception = { readonly name: string; readonly silent: boolean; readonly holds: (pair: Pair) => boolean };

const more = ({ real, lost }: Pair): readonly string[] =>
  lost.holds.filter((hold) => !real.holds.some((own) => own.reason === hold.reason)).map((hold) => hold.reason);
const says = (saying: Saying, reason: string): boolean => saying.holds.some((hold) => hold.reason === reason);

/** All groups are on the release, and only numbers follow. */
const movesNothing = (saying: Saying): boolean => saying.commit.includes('no further group moves');

/** What maxUnavailable becomes with this commit; 0: it stays. */
const raisedTo = (commit: string): number => Number(/maxUnavailable \S+ → ([0-9]+) /.exec(commit)?.[1] ?? 0);
const sameReason = (...sayings: readonly Saying[]): boolean =>
  new Set(sayings.map(({ commit }) => /Rollout-Reason: ([A-Za-z]+)/.exec(commit)?.[1])).size === 1;

/** The only differences that a lost status branch may make. None writes a step that the record would not have let pass. */
export const exceptions: readonly Exception[] = [
  {
    name: 'a settled rollout is compared with the cluster at once, not when its audit is due',
    silent: true,
    holds: ({ resting, real, lost }) => resting && real.commit === '' && lost.commit === '',
  },
  {
    name: 'the soak restarts',
    silent: false,
    holds: (pair) =>
      pair.lost.commit === '' &&
      more(pair).length > 0 &&
      more(pair).every((reason) => reason === 'PauseDuration' || reason === 'Soaking') &&
      // A step that the server has refused is held in the place of its commit.
      (pair.real.commit !== '' ||
        pair.real.holds.every(({ reason }) => reason === 'StatusRefused' || says(pair.lost, reason))),
  },
  {
    name: 'what was accepted, reached or left counts again',
    silent: false,
    holds: (pair) =>
      pair.lost.commit === '' &&
      more(pair).some((reason) => ['GracePeriod', 'Draining', 'Baking'].includes(reason)) &&
      more(pair).every((reason) => WAITS.includes(reason)),
  },
  {
    name: 'what metrics have counted with this share starts again',
    silent: false,
    holds: ({ lost }) =>
      lost.commit === '' && says(lost, 'Analysing') && lost.holds.every(({ reason }) => WAITS.includes(reason)),
  },
  {
    name: 'since when requests are restored is not known, so that groups restart a commit later',
    silent: false,
    // Both go back for the same reason, and the one that waits lets no group go.
    holds: ({ real, lost }) =>
      sameReason(real, lost) &&
      lost.commit.includes('rollback, route-restored') &&
      lost.commit.includes('went to stable just before'),
  },
  {
    name: 'LWS 0.8 is read a second time',
    silent: false,
    holds: ({ lost }) => lost.commit === '' && lost.holds.some((hold) => hold.message.includes('before 0.9')),
  },
  {
    name: 'objects that were replaced meanwhile are not known as such',
    silent: false,
    // With everything on the release already, a step moves no group.
    holds: ({ real, lost }) =>
      (says(real, 'Recreated') && (lost.commit === '' ? lost.holds.length > 0 : movesNothing(lost))) ||
      (real.commit.includes('was recreated') && (lost.commit === '' || movesNothing(lost))),
  },
  {
    name: 'which annotations were removed is not known',
    silent: false,
    holds: ({ real, lost }) =>
      lost.commit === '' &&
      (says(real, 'AnnotationsGone') ||
        ['no delivery is in progress', 'removed by hand'].some((why) => real.commit.includes(why))),
  },
  {
    name: 'since when is not known',
    silent: false,
    holds: ({ real, lost }) =>
      lost.commit === '' &&
      ['AgentNotApplying', 'FieldContested', 'GroupCrashLoop', 'StepOverdue'].some((reason) => says(real, reason)),
  },
  {
    name: 'how long groups have not been ready is not known, so nothing has failed',
    silent: false,
    holds: ({ real, lost }) =>
      lost.commit === '' &&
      (real.commit.includes('Nobody has ordered this.') ||
        ['StepFailed', 'RollbackRefused'].some((reason) => says(real, reason))),
  },
  {
    name: 'how long groups have not been ready is not known, so they only load',
    silent: false,
    // The budget stays lower, and the partition higher, than the record has it.
    holds: ({ real, lost }) =>
      (raisedTo(real.commit) > raisedTo(lost.commit) && (lost.commit === '' || sameReason(real, lost))) ||
      (says(real, 'RollingBack') && lost.commit.includes('Rollout-Reason: BudgetLowered')) ||
      ([real, lost].every(({ commit }) => commit === '') && [real, lost].every((one) => says(one, 'RollingBack'))),
  },
  {
    name: 'that main was rewritten is not known',
    silent: false,
    holds: ({ real }) => says(real, 'HistoryRewritten'),
  },
];
