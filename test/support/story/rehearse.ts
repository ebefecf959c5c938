/** One pass of a story, and every other way in which the same pass must come to the same: dry, replayed, without a record. */

import { newTrials } from '../../../src/reconcile/desired/trials.ts';
import type { Outcome } from '../../../src/reconcile/outcome.ts';
import { NO_OVERRIDES, newMemory, type PassResult } from '../../../src/reconcile/pass.ts';
import { decide } from '../../../src/reconcile/reconcile.ts';
import { runPass } from '../../../src/reconcile/run.ts';
import type { Hold } from '../../../src/rollout/hold.ts';
import type { FakeRepository } from '../fake-git.ts';
import { checkOwnCommits } from './own-commits.ts';
import type { Stage } from './stage.ts';
import { exceptions, isResting, sayingOf } from './without-record.ts';

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

/**
 * What was rehearsed: what the same pass without a record decided otherwise, by all that had been played before it. Owned by
 * who plays several stories: what two of them start with is rehearsed once.
 */
export type Rehearsed = Map<
  string,
  Pick<Look, 'wroteMain' | 'wroteStatus' | 'withoutRecord'> & { readonly main: string | undefined }
>;

/** One writing pass, with all its rehearsals; throws where one of them differs. `past`: all that was played before it. */
export async function look(stage: Stage, past: string, rehearsed: Rehearsed): Promise<Look> {
  const known = rehearsed.get(past);
  if (known === undefined) {
    const seen = await rehearsedLook(stage);
    const { wroteMain, wroteStatus, withoutRecord } = seen;
    rehearsed.set(past, { main: stage.repository.head('main'), wroteMain, wroteStatus, withoutRecord });
    return seen;
  }
  const disturbed = isDisturbed(stage);
  const { result, error } = await plainLook(stage);
  const { main, ...rest } = known;
  same('main after the same story', stage.repository.head('main'), main);
  stage.seen = disturbed ? '' : seenIn(stage, result);
  return { result, error, ...rest };
}

function isDisturbed({ interruption, hook }: Stage): boolean {
  return interruption !== undefined || hook !== undefined;
}

async function rehearsedLook(stage: Stage): Promise<Look> {
  const { repository } = stage;
  const before = repository.copy();
  const disturbed = isDisturbed(stage);
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
    if (!disturbed && !isAgain(stage, result)) await checkDry(stage, before, result);
    if (!isAgain(stage, result)) checkReplay(stage, result);
  }
  checkOwnCommits(repository, before.head('main') ?? '');
  const withoutRecord = await checkWithoutRecord(stage, before, result);
  stage.interruption = undefined;
  const wroteMain = result?.outcomes.some((outcome) => outcome.written !== undefined) ?? false;
  if (!wroteMain && error === '' && !isAgain(stage, result)) await checkIdle(stage);
  stage.seen = disturbed ? '' : seenIn(stage, result);
  const wroteStatus = repository.head(STATUS) !== before.head(STATUS);
  return { result, error, wroteMain, wroteStatus, withoutRecord };
}

/** One writing pass and nothing else: what is rehearsed elsewhere need not be twice. */
export async function plainLook(stage: Stage): Promise<Look> {
  const { repository } = stage;
  const before = [repository.head('main'), repository.head(STATUS)];
  let result: PassResult | undefined;
  let error = '';
  try {
    result = await pass(stage, repository, true);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  stage.interruption = undefined;
  const wroteMain = repository.head('main') !== before[0];
  const wroteStatus = repository.head(STATUS) !== before[1];
  return { result, error, wroteMain, wroteStatus, withoutRecord: [] };
}

/** Both branches, and what is waited for, after a pass. */
function seenIn({ repository }: Stage, result: PassResult | undefined): string {
  const waits = result?.outcomes.map(({ key, plan }) => [key, plan?.commit?.subject, plan?.holds.map(reasonOf)]);
  return JSON.stringify([repository.head('main'), repository.head(STATUS), waits]);
}

const reasonOf = ({ reason }: Hold): string => reason;

/** The same was seen a moment ago, and nothing was written since: it was rehearsed then. */
function isAgain(stage: Stage, result: PassResult | undefined): boolean {
  return stage.seen === seenIn(stage, result);
}

/**
 * A fresh process each time: nothing is remembered but what the branches hold, and how texts read. Rehearsals also share
 * what was tried on them, so that they show that trials which are kept say what new ones say.
 */
export function pass(stage: Stage, repository: FakeRepository, write: boolean): Promise<PassResult> {
  const { parsed, known, trials } = stage;
  const tried = repository === stage.repository ? { ...newTrials(), known } : trials;
  const memory = { ...newMemory(), parsed, trials: tried };
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
  return lost.outcomes.flatMap((outcome, place) => {
    const { name } = outcome.key;
    // A Rollout may have the name of a workload that no Rollout names: both are told of, in one order.
    const isSame = ({ key }: Outcome): boolean => key.name === name && key.namespace === outcome.key.namespace;
    const nth = lost.outcomes.slice(0, place).filter(isSame).length;
    const real = result.outcomes.filter(isSame)[nth];
    const [theirs, ours] = [sayingOf(outcome), sayingOf(real)];
    if (JSON.stringify(theirs) === JSON.stringify(ours)) return [];
    const exception = exceptions.find((one) => one.holds({ real: ours, lost: theirs, resting: isResting(real) }));
    if (exception !== undefined) return exception.silent ? [] : [`${name}: ${exception.name}`];
    throw new Error(
      `${name} without the status branch decides otherwise:\n${JSON.stringify(theirs, undefined, 1)}\nwith it:\n${JSON.stringify(ours, undefined, 1)}`,
    );
  });
}

function same(what: string, seen: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(seen, undefined, 1), JSON.stringify(wanted, undefined, 1)];
  if (left !== right) throw new Error(`${what} differ:\n${left}\nwanted:\n${right}`);
}
