/** One pass of a story, and every other way in which the same pass must come to the same: dry, replayed, without a record. */

import { isNotAsked } from '../../../src/api/known.ts';
import { newTrials } from '../../../src/reconcile/lint/trials.ts';
import type { Outcome, PassResult } from '../../../src/reconcile/pass.ts';
import { NO_OVERRIDES, newMemory } from '../../../src/reconcile/pass.ts';
import { decide } from '../../../src/reconcile/reconcile.ts';
import { runPass } from '../../../src/reconcile/run.ts';
import type { FakeRepository } from '../fake-git.ts';
import { checkOwnCommits } from './own-commits.ts';
import type { Stage } from './stage.ts';

export const STATUS = 'tranche-status';

export type Look = {
  /** undefined: the pass ended with an error, which `error` holds. */
  readonly result: PassResult | undefined;
  readonly error: string;
  readonly wroteMain: boolean;
  readonly wroteStatus: boolean;
  /** Where the same pass without a record decides otherwise: which of the allowed exceptions it is, by rollout. */
  readonly withoutRecord: readonly string[];
};

/** One writing pass, with all its rehearsals; throws where one of them differs. */
export async function look(stage: Stage): Promise<Look> {
  const { repository } = stage;
  const before = repository.copy();
  const disturbed = stage.interruption !== undefined || stage.hook !== undefined;
  let result: PassResult | undefined;
  let error = '';
  try {
    result = await pass(stage, repository, true);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  if (result !== undefined) {
    for (const outcome of result.outcomes)
      if (outcome.error?.startsWith('bug') === true) throw new Error(outcome.error);
    if (!disturbed) await checkDry(stage, before, result);
    checkReplay(stage, result);
  }
  checkOwnCommits(repository, before.head('main') ?? '');
  const withoutRecord = await checkWithoutRecord(stage, before, result);
  stage.interruption = undefined;
  const wroteMain = result?.outcomes.some((outcome) => outcome.written !== undefined) ?? false;
  if (!wroteMain && error === '') await checkIdle(stage);
  const wroteStatus = repository.head(STATUS) !== before.head(STATUS);
  return { result, error, wroteMain, wroteStatus, withoutRecord };
}

/**
 * A fresh process each time: nothing is remembered but what the branches hold, and how texts read. Rehearsals share parsed
 * files and what was tried on them, so that they also show that trials which are kept say what new ones say.
 */
export function pass(stage: Stage, repository: FakeRepository, write: boolean): Promise<PassResult> {
  const { parsed, known, trials } = stage;
  const kept = repository === stage.repository ? { trials: { ...newTrials(), known } } : { parsed, trials };
  const memory = { ...newMemory(), ...kept };
  const again = (other: FakeRepository): Promise<PassResult> =>
    runPass(stage.world.ports({ git: other.open() }), newMemory(), { overrides: NO_OVERRIDES, write: true, only: [] });
  return runPass(stage.ports(repository, again), memory, { overrides: NO_OVERRIDES, write, only: [] });
}

/** `tranche plan` says what the pass did: the same message and the same diff. */
async function checkDry(stage: Stage, before: FakeRepository, result: PassResult): Promise<void> {
  const dry = await pass(stage, before.copy(), false);
  if (result.quiet) {
    same(
      'plan after a quiet pass',
      dry.outcomes.flatMap((outcome) => outcome.plan?.commit?.subject ?? []),
      [],
    );
    return;
  }
  same('plan and pass', dry.outcomes.map(shown), result.outcomes.map(shown));
}

function shown({ key, plan, diff }: Outcome): unknown {
  return { key, message: plan?.commit?.message, holds: plan?.holds, diff };
}

/** A saved snapshot replays to the same plan and the same bytes. */
function checkReplay({ repository, known }: Stage, { main, outcomes }: PassResult): void {
  const texts = new Map(Object.entries(repository.files(main)));
  for (const { snapshot, plan, diff, error } of outcomes) {
    if (snapshot === undefined || plan === undefined || error !== undefined) continue;
    const again = decide(JSON.parse(JSON.stringify(snapshot)), texts, known);
    same('replayed plan', JSON.stringify(again.plan), JSON.stringify(plan));
    same('replayed diff', again.diff, diff);
    for (const write of again.writes) texts.set(write.path, write.text ?? '');
  }
}

/** A pass that wrote no step, run once more, writes nothing at all. */
async function checkIdle(stage: Stage): Promise<void> {
  const copy = stage.repository.copy();
  const heads = () => [copy.head('main'), copy.head(STATUS)];
  const before = heads();
  await pass(stage, copy, true);
  same('heads after the same pass once more', heads(), before);
}

/** A lost status branch costs a restarted soak, never another step. */
async function checkWithoutRecord(
  stage: Stage,
  before: FakeRepository,
  result: PassResult | undefined,
): Promise<readonly string[]> {
  if (result === undefined || before.head(STATUS) === undefined) return [];
  const copy = before.copy();
  copy.setHead(STATUS, undefined);
  const lost = await pass(stage, copy, true);
  return lost.outcomes.flatMap((outcome) => {
    const name = outcome.key.name;
    const real = result.outcomes.find(
      (other) => other.key.name === name && other.key.namespace === outcome.key.namespace,
    );
    const [theirs, ours] = [sayingOf(outcome), sayingOf(real)];
    if (JSON.stringify(theirs) === JSON.stringify(ours)) return [];
    const exception = exceptions.find((one) => one.holds({ real: ours, lost: theirs, resting: isResting(real) }));
    if (exception !== undefined) return exception.silent ? [] : [`${name}: ${exception.name}`];
    throw new Error(
      `${name} without the status branch decides otherwise:\n${JSON.stringify(theirs, undefined, 1)}\nwith it:\n${JSON.stringify(ours, undefined, 1)}`,
    );
  });
}

type Saying = {
  readonly commit: string;
  readonly holds: readonly { readonly reason: string; readonly message: string }[];
};

/** What a pass decided, without durations. */
function sayingOf(outcome: Outcome | undefined): Saying {
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

function isResting(outcome: Outcome | undefined): boolean {
  const lws = outcome?.snapshot?.live.lws;
  return outcome === undefined || (lws !== undefined && isNotAsked(lws));
}

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
const exceptions: readonly Exception[] = [
  {
    name: 'a settled rollout is compared with the cluster at once, not when its audit is due',
    silent: true,
    holds: ({ resting, real, lost }) => resting && real.commit === '' && lost.commit === '',
  },
  {
    name: 'the soak starts anew',
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
    name: 'what was accepted, reached or left counts anew',
    silent: false,
    holds: (pair) =>
      pair.lost.commit === '' &&
      more(pair).some((reason) => ['GracePeriod', 'Draining', 'Baking'].includes(reason)) &&
      more(pair).every((reason) => ['GracePeriod', 'Draining', 'Baking', 'PauseDuration', 'Soaking'].includes(reason)),
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
        ['no delivery is under way', 'removed by hand'].some((why) => real.commit.includes(why))),
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
        ['StepFailed', 'WayBackRefused'].some((reason) => says(real, reason))),
  },
  {
    name: 'how long groups have not been ready is not known, so they only load',
    silent: false,
    // The budget stays lower, and the partition higher, than the record has it.
    holds: ({ real, lost }) =>
      raisedTo(real.commit) > raisedTo(lost.commit) && (lost.commit === '' || sameReason(real, lost)),
  },
  {
    name: 'that main was rewritten is not known',
    silent: false,
    holds: ({ real }) => says(real, 'HistoryRewritten'),
  },
];

function same(what: string, seen: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(seen, undefined, 1), JSON.stringify(wanted, undefined, 1)];
  if (left !== right) throw new Error(`${what} differ:\n${left}\nwanted:\n${right}`);
}
