/** Writes what a rule of the server has refused as a whole: one by one, and no step forward without its record. */

import type { RolloutRecord } from '../../api/record.ts';
import type { Refused } from '../../ports/git.ts';
import { hold } from '../../rollout/hold.ts';
import { planHeld, plan as planOf } from '../../rollout/plan.ts';
import { command } from '../../rollout/texts/command-text.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { Outcome, Reconciled, RefusedBrake, Tried } from '../outcome.ts';
import type { PassResult, Ports } from '../pass.ts';
import { draw } from '../reconcile.ts';
import { othersBranch } from '../status/others-branch.ts';
import type { StatusBranch } from '../status/record-store.ts';
import { batchOf, keepsRecord, type Written, withSteps } from './batch.ts';
import { type Batch, type Executed, execute } from './execute.ts';
import { remember } from './remember.ts';

/** How far the pushes have come. */
type Progress = {
  main: string;
  status: StatusBranch;
  /** What the status branch is to say: what was seen, and what was written of it. */
  records: ReadonlyMap<string, RolloutRecord>;
  readonly texts: Map<string, string>;
  /** Why the server takes no record; undefined: as far as is known it does. */
  statusRefused: Refused | undefined;
  /** What protects or leads back, and was refused. */
  readonly brakes: Map<string, RefusedBrake>;
};

/**
 * Every rollout alone, so that one does not stop the others: a step forward with its record, or not at all, because
 * nobody could count its pause. What brakes, goes back or locks goes on without one. Then the status alone.
 */
export async function writeAlone(
  ports: Ports,
  pass: Written,
  at: { readonly main: string; readonly steps: readonly Reconciled[]; readonly refused: Refused },
): Promise<(PassResult & Tried) | 'moved'> {
  const { desired, status } = pass.reading;
  const { statusBranch } = desired.config;
  const progress: Progress = {
    main: at.main,
    status,
    records: pass.records,
    texts: new Map(desired.texts),
    statusRefused: at.refused.branch === statusBranch ? at.refused : undefined,
    brakes: new Map(),
  };
  const written = new Map<string, Outcome>();
  for (const step of at.steps) {
    const outcome = await tryStep(ports, pass, { step, progress });
    if (outcome === 'moved') return 'moved';
    written.set(printKey(step.key), outcome);
  }
  const last = batchOf(pass, { ...progress, steps: [] });
  const done = othersBranch(status, statusBranch) ?? (await execute(ports.git, last));
  if (done.kind === 'moved') return 'moved';
  if (done.kind === 'written') remember(pass, last);
  const rule = done.kind === 'refused' ? ruleOf(statusBranch, done) : undefined;
  const outcomes = pass.result.outcomes
    .map((outcome) => written.get(printKey(outcome.key)) ?? outcome)
    .map((outcome) => (rule === undefined ? outcome : withoutRecord(outcome, rule)));
  const failed =
    pass.result.failed || done.kind === 'refused' || outcomes.some((outcome) => outcome.error !== undefined);
  if (done.kind === 'refused') {
    const way = done.advice ?? 'Exclude the status branch from protection rules';
    ports.log.error(`git: push: ${statusBranch} was refused: ${done.rule}. ${way}.`);
  }
  const head = progress.status.head === status.head ? undefined : progress.status.head;
  const refused = progress.brakes.size === 0 ? {} : { refused: progress.brakes };
  return {
    ...pass.result,
    outcomes,
    failed,
    status: done.kind === 'written' ? (done.status ?? head) : head,
    ...refused,
  };
}

async function tryStep(
  { git }: Ports,
  pass: Written,
  { step, progress }: { readonly step: Reconciled; readonly progress: Progress },
): Promise<Outcome | 'moved'> {
  const one = drawnOn({ texts: progress.texts, known: pass.reading.desired.trials.known }, step);
  const { commit } = one.plan ?? {};
  if (commit === undefined) return remembered(one, progress);
  const forward = commit.way === 'forward';
  if (forward && progress.statusRefused !== undefined) return statusRefused(pass, { one, progress });
  const whole = batchOf(pass, { ...progress, steps: [one] });
  const batch: Batch = forward ? whole : { ...whole, statusCommit: undefined };
  const done = await execute(git, batch);
  if (done.kind === 'moved') return 'moved';
  if (done.kind === 'written') {
    remember(pass, batch);
    return went(progress, { one, batch, done });
  }
  if (done.branch === pass.reading.desired.config.statusBranch) {
    progress.statusRefused = done;
    return statusRefused(pass, { one, progress });
  }
  const rule = `the push to ${done.branch} was refused: ${done.rule}`;
  const isAccepted = one.snapshot?.policy.withoutDirectPush === 'Accept';
  const byHand = `A policy accepts that, so bring in by a pull request of your own what it would write: ${command('plan', one.key)}`;
  const way = done.advice ?? (isAccepted ? byHand : 'Allow the identity of tranche to push there, or change the rule');
  // What nobody has asked for must not look as if somebody had stopped it.
  const named = commit.reason === 'Failed' ? 'RollbackRefused' : 'PushRefused';
  const reason = hold(named, { seen: rule, action: way });
  if (!forward) progress.brakes.set(printKey(one.key), { rule, reason });
  return heldBy(one, progress, { rule, reason });
}

function went(
  progress: Progress,
  {
    one,
    batch,
    done,
  }: {
    readonly one: Reconciled;
    readonly batch: Batch;
    readonly done: Extract<Executed, { readonly kind: 'written' }>;
  },
): Outcome {
  progress.main = done.steps[0] ?? progress.main;
  progress.records = withSteps(progress.records, [one]);
  for (const write of one.writes) if (write.text !== undefined) progress.texts.set(write.path, write.text);
  if (done.status !== undefined) {
    const texts = new Map(progress.status.texts);
    for (const { path, text } of batch.statusCommit?.writes ?? []) {
      if (text === undefined) texts.delete(path);
      else texts.set(path, text);
    }
    progress.status = { ...progress.status, head: done.status, texts };
  }
  return { ...one, written: progress.main };
}

function statusRefused(
  { reading }: Written,
  { one, progress }: { readonly one: Reconciled; readonly progress: Progress },
): Outcome {
  const { statusBranch } = reading.desired.config;
  const { rule: said = '', advice } = progress.statusRefused ?? {};
  const rule = ruleOf(statusBranch, { rule: said });
  const way = advice ?? `Allow the identity of tranche to push there, or exclude ${statusBranch} from protection rules`;
  const reason = hold('StatusRefused', {
    seen: `${rule}. The record counts the pause of each step: without it no step goes forward. Rollbacks go on`,
    action: way,
  });
  return heldBy(one, progress, { rule, reason });
}

function ruleOf(branch: string, { rule }: Pick<Refused, 'rule'>): string {
  return `the push to ${branch} was refused: ${rule}`;
}

/** A rollback that waits is decided once more: without its record it may start the same count in each pass, and has to say so. */
function withoutRecord(outcome: Outcome, rule: string): Outcome {
  const { snapshot, plan: made } = outcome;
  if (snapshot?.rollbackAt === undefined || made === undefined || made.commit !== undefined) return outcome;
  const again = planOf({ ...snapshot, recordNotTaken: rule });
  return again.commit === undefined ? { ...outcome, plan: { ...made, holds: again.holds } } : outcome;
}

/** The same rollout, standing still for this reason; what the status is to say of it says so too. */
function heldBy(one: Reconciled, progress: Progress, { rule, reason }: RefusedBrake): Outcome {
  if (one.plan === undefined || one.snapshot === undefined) return one;
  return remembered({ ...one, plan: planHeld(one.plan, one.snapshot, reason), error: rule }, progress);
}

function remembered(one: Reconciled, progress: Progress): Outcome {
  const { plan } = one;
  if (plan !== undefined && keepsRecord(one))
    progress.records = new Map([...progress.records, [printKey(one.key), plan.record]]);
  return one;
}

/** The same step on the texts as they are without those that were refused: two workloads may live in one file. */
function drawnOn(on: Parameters<typeof draw>[2], one: Reconciled): Reconciled {
  const { plan, snapshot } = one;
  return plan === undefined || snapshot === undefined ? one : { ...one, ...draw(plan, snapshot, on) };
}
