/** Writes what a pass decided: one push; again on another parent where nothing it read has changed; one by one where a rule refuses. */

import type { RolloutRecord } from '../api/record.ts';
import type { Git, Oid } from '../ports/git.ts';
import { hold } from '../rollout/hold.ts';
import { printKey } from '../rollout/messages.ts';
import { planHeld } from '../rollout/plan.ts';
import { headOf } from './branch-head.ts';
import { CONFIG_REQUEST, desiredRequest } from './desired-request.ts';
import { type Batch, execute, type Step } from './execute.ts';
import type { Memory, Outcome, PassResult, Ports, Reading } from './pass.ts';
import { decide, type Reconciled } from './reconcile.ts';
import { type StatusIndex, statusWrites } from './record-store.ts';
import { statusSubject } from './status-page.ts';

export type Written = {
  readonly reading: Reading;
  readonly reconciled: readonly Reconciled[];
  readonly records: ReadonlyMap<string, RolloutRecord>;
  readonly index: StatusIndex;
  readonly result: PassResult;
  readonly memory: Memory;
};

/** A snapshot older than this is not carried over to a new parent. */
const SNAPSHOT_LIFE_SECONDS = 60;
const REPARENTS = 5;
/** Commits of others that a plan is carried over; beyond them reading everything anew is cheaper. */
const BETWEEN_MOST = 10;

/** The result with what was written, or `moved`: everything has to be read anew. */
export async function writePass(ports: Ports, pass: Written): Promise<PassResult | 'moved'> {
  const { git, clock } = ports;
  const steps = pass.reconciled.filter((one) => one.writes.length > 0);
  let main = pass.reading.main;
  for (let attempt = 1; attempt <= REPARENTS; attempt += 1) {
    const done = await execute(git, batchOf(pass, { main, steps, records: pass.records }));
    if (done.kind === 'written') return withOids(pass.result, steps, done);
    if (done.kind === 'refused') return oneByOne(ports, pass, { main, steps, refused: done });
    if (clock.now() - pass.reading.at > SNAPSHOT_LIFE_SECONDS) return 'moved';
    const next = await sameWorldElsewhere(ports, pass);
    if (next === undefined) return 'moved';
    main = next;
  }
  return 'moved';
}

/**
 * The new head of main, where no file that this pass read differs there and the status has not moved. Every commit on
 * the way is looked at: an edit that was taken back again may have reached the cluster in the meantime.
 */
async function sameWorldElsewhere({ git }: Ports, { reading }: Written): Promise<string | undefined> {
  const { config } = reading.desired;
  const [main, status] = await git.heads([config.branch, config.statusBranch]);
  if (status !== reading.status.head) return undefined;
  const head = headOf(config.branch, main);
  const line = await git.history(head, reading.main, BETWEEN_MOST + 1);
  if (line.at(-1)?.oid !== reading.main) return undefined;
  const own = await configAt(git, reading.main);
  for (const { oid } of line.slice(0, -1)) if (!(await sameFilesAt(git, oid, { reading, own }))) return undefined;
  return head;
}

async function configAt(git: Git, commit: Oid): Promise<Oid | undefined> {
  return (await git.readAt(commit, CONFIG_REQUEST)).files[0]?.oid;
}

async function sameFilesAt(
  git: Git,
  commit: Oid,
  { reading, own }: { readonly reading: Reading; readonly own: Oid | undefined },
): Promise<boolean> {
  const { config, blobs } = reading.desired;
  const { files } = await git.readAt(commit, desiredRequest(config.paths));
  if ((await configAt(git, commit)) !== own) return false;
  return files.length === blobs.size && files.every((file) => blobs.get(file.path) === file.oid);
}

function batchOf(
  pass: Written,
  at: {
    readonly main: string;
    readonly steps: readonly Reconciled[];
    readonly records: ReadonlyMap<string, RolloutRecord>;
  },
): Batch {
  const { reading } = pass;
  const changed = [...at.records].filter(([key, record]) => {
    const stored = reading.status.records.get(key);
    return (
      stored?.kind !== 'read' ||
      stored.record.message !== record.message ||
      stored.record.currentStepIndex !== record.currentStepIndex ||
      stored.record.settled !== record.settled
    );
  });
  const rebuilt = pass.reconciled
    .filter((one) => (one.snapshot?.recordFault ?? '') !== '')
    .map((one) => `Rebuilt ${printKey(one.key)} from main: ${one.snapshot?.recordFault ?? ''}.`);
  return {
    config: reading.desired.config,
    now: reading.at,
    main: at.main,
    status: reading.status.head,
    steps: at.steps.map(stepOf),
    statusWrites: statusWrites(reading.status, {
      cluster: reading.desired.config.cluster,
      records: at.records,
      index: pass.index,
    }),
    statusMessage: [
      statusSubject(changed.map(([, record]) => record)),
      ...(rebuilt.length === 0 ? [] : ['', ...rebuilt]),
      '',
    ].join('\n'),
  };
}

function stepOf(one: Reconciled): Step {
  return { writes: one.writes, message: one.plan?.commit?.message ?? '' };
}

function withOids(
  result: PassResult,
  steps: readonly Reconciled[],
  done: { readonly steps: readonly string[]; readonly status: string | undefined },
): PassResult {
  const outcomes = result.outcomes.map((outcome) => {
    const index = steps.findIndex((step) => step.key === outcome.key);
    return index < 0 ? outcome : { ...outcome, written: done.steps[index] };
  });
  return { ...result, outcomes, status: done.status };
}

type Refused = { readonly branch: string; readonly rule: string };

/**
 * A rule of the server refused the push. Every rollout is tried alone, so that one does not stop the others; then
 * the status alone, with the refusal and its rule for those that it hit.
 */
async function oneByOne(
  ports: Ports,
  pass: Written,
  at: { readonly main: string; readonly steps: readonly Reconciled[]; readonly refused: Refused },
): Promise<PassResult | 'moved'> {
  const config = pass.reading.desired.config;
  const records = new Map(pass.records);
  const written = new Map<Reconciled, Outcome>();
  const texts = new Map(pass.reading.desired.texts);
  let main = at.main;
  for (const step of at.steps) {
    const one = afresh(step, texts);
    const done = await execute(ports.git, { ...batchOf(pass, { main, steps: [one], records }), statusWrites: [] });
    if (done.kind === 'moved') return 'moved';
    if (done.kind === 'written') {
      main = done.steps[0] ?? main;
      written.set(step, { ...one, written: main });
      for (const write of one.writes) if (write.text !== undefined) texts.set(write.path, write.text);
      continue;
    }
    const rule = `the push to ${done.branch} was refused: ${done.rule}`;
    if (one.snapshot !== undefined) {
      const held = planHeld(
        one.snapshot,
        hold('PushRefused', `${rule}. Allow the identity of tranche to push there, or change the rule`),
      );
      if (held.record !== undefined) records.set(printKey(one.key), held.record);
      written.set(step, { ...one, plan: held, error: rule });
    }
  }
  const status = await execute(ports.git, batchOf(pass, { main, steps: [], records }));
  if (status.kind === 'moved') return 'moved';
  const outcomes = pass.result.outcomes.map(
    (outcome) => [...written].find(([one]) => one.key === outcome.key)?.[1] ?? outcome,
  );
  const failed =
    pass.result.failed || status.kind === 'refused' || outcomes.some((outcome) => outcome.error !== undefined);
  if (status.kind === 'refused')
    ports.log.error(
      `git: push: ${config.statusBranch} was refused: ${status.rule}. Exclude the status branch from protection rules.`,
    );
  return { ...pass.result, outcomes, failed, status: status.kind === 'written' ? status.status : undefined };
}

/** The same step on the texts as they are without those that were refused: two workloads may live in one file. */
function afresh(step: Reconciled, texts: ReadonlyMap<string, string>): Reconciled {
  return step.snapshot === undefined ? step : { ...step, ...decide(step.snapshot, texts) };
}
