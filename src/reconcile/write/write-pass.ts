/** Writes what a pass decided: one push; again on another parent where nothing it read has changed; one by one where a rule refuses. */

import { isBelow } from '../../api/config.ts';
import type { Git, Oid, Refused } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { isDelivered } from '../../rollout/plan.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { CONFIG_REQUEST, desiredRequest, headOf } from '../documents/desired-branch.ts';
import { fileIdsOf } from '../documents/file-ids.ts';
import type { Reconciled, Tried } from '../outcome.ts';
import type { PassResult, Ports, Reading } from '../pass.ts';
import { othersBranch } from '../status/others-branch.ts';
import { batchOf, type Written } from './batch.ts';
import { type Batch, execute } from './execute.ts';
import { remember } from './remember.ts';
import { writeAlone } from './write-alone.ts';

/** A snapshot older than this is not carried over to a new parent. */
const SNAPSHOT_LIFE_SECONDS = 60;
const REPARENTS = 5;
/** Attempts of a pass in which all is written in one push, or nothing: two that look at once do not meet more often. */
const WHOLE_ATTEMPTS = 2;
/** Commits of others that a plan is carried over; beyond them reading everything again is cheaper. */
const BETWEEN_MOST = 10;

/** The result with what was written, or `moved`: everything has to be read again. */
export async function writePass(ports: Ports, pass: Written): Promise<(PassResult & Tried) | 'moved'> {
  const { git, clock } = ports;
  await checkHeldFast(git, pass);
  const steps = pass.reconciled.filter(goesToMain);
  const { desired, status: known } = pass.reading;
  const refused = othersBranch(known, desired.config.statusBranch);
  if (refused !== undefined) return writeAlone(ports, pass, { main: pass.reading.main, steps, refused });
  const gone = await voided(git, steps);
  let main = pass.reading.main;
  for (let attempt = 1; attempt <= REPARENTS; attempt += 1) {
    const { status } = pass.reading;
    const batch = batchOf(pass, { main, status, steps, records: pass.records });
    // With the branches first; anyone who or whatever keeps one of them must not keep a brake.
    const whole = attempt === 1 && gone.length > 0 ? await execute(git, { ...batch, gone }) : undefined;
    const done = whole?.kind === 'written' ? whole : await execute(git, batch);
    if (done.kind === 'written') {
      remember(pass, batch);
      return withOids(pass.result, steps, done);
    }
    if (done.kind === 'refused') return writeAlone(ports, pass, { main, steps, refused: done });
    const isFresh = clock.now() - pass.reading.at <= SNAPSHOT_LIFE_SECONDS;
    const next = isFresh ? await sameWorldElsewhere(ports, pass, steps) : undefined;
    if (next === undefined)
      return isRaced(pass, steps) ? writeAlone(ports, pass, { main, steps, refused: raced(pass) }) : 'moved';
    main = next;
  }
  return 'moved';
}

/**
 * Whether what goes back is not to wait any longer for its record: anyone who pushes to the status branch again and again wins each
 * race for it. Where main has moved as well, nothing is written, and all is read again.
 */
function isRaced({ attempt }: Written, steps: readonly Reconciled[]): boolean {
  return attempt > WHOLE_ATTEMPTS && steps.some(({ plan }) => plan?.commit?.way !== 'forward');
}

function raced({ reading }: Written): Refused {
  const { statusBranch } = reading.desired.config;
  const advice = 'Look who else pushes there (tranche preflight)';
  return { kind: 'refused', branch: statusBranch, rule: 'it has moved before each push of this pass', advice };
}

/** The branches of pull requests that ask for what these steps decide, as far as they are there. */
async function voided(git: Git, steps: readonly Reconciled[]): Promise<NonNullable<Batch['gone']>> {
  const branches = steps.flatMap(({ snapshot }) => {
    const proposal = snapshot?.record?.proposal;
    return proposal === undefined || proposal.state === 'withdrawn' ? [] : [proposal.branch];
  });
  if (branches.length === 0) return [];
  const heads = await git.heads(branches);
  return branches.flatMap((branch, i) => {
    const head = heads[i];
    return head === undefined ? [] : [{ branch, head }];
  });
}

function goesToMain({ plan, writes }: Reconciled): boolean {
  return isDelivered(plan) && writes.length > 0;
}

/** Where main can never move, the status is not written either: it would tell of steps that nobody sees. */
async function checkHeldFast(git: Git, { reading }: Written): Promise<void> {
  const held = await git.heldFast(reading.desired.config.branch);
  if (held === undefined) return;
  throw new PortError(`${held.rule}; nothing was written`, {
    port: 'git',
    operation: 'push',
    retryable: false,
    hint: held.advice === undefined ? '' : `${held.advice}.`,
  });
}

/**
 * The new head of main, where no file that this pass read differs there and the status has not moved. Every commit on
 * the way is looked at: an edit that was taken back again may have reached the cluster in the meantime.
 */
async function sameWorldElsewhere(
  { git }: Ports,
  { reading }: Written,
  steps: readonly Reconciled[],
): Promise<string | undefined> {
  const { config, rollouts } = reading.desired;
  const stepped = rollouts.filter(({ key }) => steps.some((step) => step.key === key));
  if (stepped.some(({ over }) => isBuiltFromElsewhere(over, reading.desired))) return undefined;
  const [main, status] = await git.heads([config.branch, config.statusBranch]);
  if (status !== reading.status.head) return undefined;
  const head = headOf(config.branch, main);
  const line = await git.history(head, reading.main, BETWEEN_MOST + 1);
  if (line.at(-1)?.oid !== reading.main) return undefined;
  const own = await configAt(git, reading.main);
  for (const { oid } of line.slice(0, -1)) if (!(await sameFilesAt(git, oid, { reading, own }))) return undefined;
  return head;
}

/** Files on no path are not compared below, nor are those that are no manifests. */
function isBuiltFromElsewhere(
  over: DesiredRollout['over'],
  { blobs, config }: Pick<Reading['desired'], 'blobs' | 'config'>,
): boolean {
  return over?.files.some((file) => !isBelow(config.paths, file) || blobs.get(file) === undefined) ?? false;
}

async function configAt(git: Git, commit: Oid): Promise<Oid | undefined> {
  return (await git.readAt(commit, CONFIG_REQUEST)).files[0]?.oid;
}

async function sameFilesAt(
  git: Git,
  commit: Oid,
  { reading, own }: { readonly reading: Reading; readonly own: Oid | undefined },
): Promise<boolean> {
  const { config } = reading.desired;
  const there = fileIdsOf(await git.readAt(commit, desiredRequest(config.paths))).all();
  if ((await configAt(git, commit)) !== own) return false;
  const blobs = reading.desired.blobs.all();
  return there.size === blobs.size && [...there].every(([path, oid]) => blobs.get(path) === oid);
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
