/** All rollouts of a repository, once: read, decide each alone, write everything in one push. */

import { DEFAULT_CONFIG } from '../api/config.ts';
import { RECORD_VERSION, type RolloutRecord } from '../api/record.ts';
import type { Instant } from '../api/time.ts';
import { PortError } from '../ports/port-error.ts';
import { printKey } from '../rollout/messages.ts';
import { ORDINARY_REQUEUE_SECONDS } from '../rollout/plan.ts';
import { liveReader } from './observe-cluster.ts';
import { gitReader } from './observe-git.ts';
import type { Memory, Outcome, Overrides, PassResult, Ports, Reading } from './pass.ts';
import { headOf, readConfig, readDesired } from './read-main.ts';
import { type Reconciled, reconcileOne } from './reconcile.ts';
import { EMPTY_STATUS, readStatus, STATUS_REQUEST, type StatusBranch, type StatusIndex } from './record-store.ts';
import { writePass } from './write-pass.ts';

export type PassOptions = {
  readonly overrides: Overrides;
  /** False: decide and show, write nothing. */
  readonly write: boolean;
  /** Only rollouts of these names; empty: all. A partial pass leaves the records of the others alone. */
  readonly only: readonly string[];
};

/** Other writers may win so often before a pass gives up. */
const ATTEMPTS = 5;

/** One pass. Throws PortError where Git or the configuration cannot be read at all. */
export async function runPass(ports: Ports, memory: Memory, options: PassOptions): Promise<PassResult> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const result = await tryPass(ports, memory, options);
    if (result !== 'moved') return result;
    ports.log.info(`a branch moved while this pass was deciding; reading everything anew (${attempt} of ${ATTEMPTS})`);
  }
  throw new PortError(`other writers moved the branches ${ATTEMPTS} times in a row`, {
    port: 'git',
    operation: 'push',
    retryable: true,
    hint: 'Nothing was written. Run again, or look for something that commits in a loop.',
  });
}

async function tryPass(ports: Ports, memory: Memory, options: PassOptions): Promise<PassResult | 'moved'> {
  const { git, clock } = ports;
  const now = clock.now();
  const { main, status } = await readBranches(ports, memory, options);
  if (options.write && options.only.length === 0 && isQuiet(status.index, { main, now }))
    return quietResult(main, status, now);
  const config = await readConfig(git, main, options.overrides);
  const renamed =
    config.branch !== (memory.config ?? named(options)).branch ||
    config.statusBranch !== (memory.config ?? named(options)).statusBranch;
  Object.assign(memory, { config });
  if (renamed) return tryPass(ports, memory, options);
  const desired = await readDesired(git, main, { config, memory });
  const reading: Reading = { main, status, desired, at: now };
  const reconciled = await decideAll(ports, reading, options);
  const records = recordsOf(reading, reconciled, options);
  const result = resultOf(reading, reconciled);
  if (!options.write) return result;
  return writePass(ports, { reading, reconciled, records, result, index: indexOf(reading, records, result), memory });
}

/** Names of branches before the configuration has been read: the last known, the command line's, the defaults. */
function named({ overrides }: PassOptions): { readonly branch: string; readonly statusBranch: string } {
  return {
    branch: overrides.branch ?? DEFAULT_CONFIG.branch,
    statusBranch: overrides.statusBranch ?? DEFAULT_CONFIG.statusBranch,
  };
}

async function readBranches(
  { git }: Ports,
  memory: Memory,
  options: PassOptions,
): Promise<{ readonly main: string; readonly status: StatusBranch }> {
  const names = memory.config ?? named(options);
  const [main, statusHead] = await git.heads([names.branch, names.statusBranch]);
  const known = memory.status?.head === statusHead ? memory.status : undefined;
  const status =
    known ?? (statusHead === undefined ? EMPTY_STATUS : readStatus(await git.readAt(statusHead, STATUS_REQUEST)));
  Object.assign(memory, { status });
  return { main: headOf(names.branch, main), status };
}

/** Settled at this very commit, and no audit due: there is nothing to look at. */
function isQuiet(index: StatusIndex | undefined, at: { readonly main: string; readonly now: Instant }): boolean {
  return (
    index !== undefined &&
    index.settled &&
    index.main === at.main &&
    (index.nextAuditAt === undefined || at.now < index.nextAuditAt)
  );
}

function quietResult(main: string, status: StatusBranch, now: Instant): PassResult {
  const audit = status.index?.nextAuditAt;
  return {
    main,
    quiet: true,
    outcomes: [],
    issues: [],
    status: undefined,
    failed: false,
    requeueAfterSeconds:
      audit === undefined ? ORDINARY_REQUEUE_SECONDS : Math.max(1, Math.min(ORDINARY_REQUEUE_SECONDS, audit - now)),
  };
}

/** Each rollout alone, on the texts that the steps before it leave: two may live in one file. */
async function decideAll(ports: Ports, reading: Reading, options: PassOptions): Promise<readonly Reconciled[]> {
  const { desired, status, main, at } = reading;
  const git = gitReader(ports.git, main, desired.config);
  const live = liveReader(ports.cluster);
  const texts = new Map(desired.texts);
  const all: Reconciled[] = [];
  for (const entry of desired.rollouts) {
    if (options.only.length > 0 && !options.only.includes(entry.key.name)) continue;
    const stored = status.records.get(printKey(entry.key));
    const one = await reconcileOne({ desired, entry, stored, now: at, git, live }, texts);
    for (const write of one.writes) if (write.text !== undefined) texts.set(write.path, write.text);
    all.push(one);
  }
  return all;
}

/** What the status branch is to hold: the plans' records, and those of rollouts that could not be looked at. */
function recordsOf(
  reading: Reading,
  reconciled: readonly Reconciled[],
  options: PassOptions,
): ReadonlyMap<string, RolloutRecord> {
  const records = new Map<string, RolloutRecord>();
  for (const [key, stored] of reading.status.records) {
    const failed = reconciled.some((one) => printKey(one.key) === key && one.plan === undefined);
    const skipped = options.only.length > 0 && !reconciled.some((one) => printKey(one.key) === key);
    // Records of other clusters, on a branch that several share, are not ours to remove.
    const foreign = !key.startsWith(`${reading.desired.config.cluster}/`);
    if (stored.kind === 'read' && (failed || skipped || foreign)) records.set(key, stored.record);
  }
  for (const one of reconciled) if (one.plan?.record !== undefined) records.set(printKey(one.key), one.plan.record);
  return records;
}

function indexOf(reading: Reading, records: ReadonlyMap<string, RolloutRecord>, result: PassResult): StatusIndex {
  const audits = [...records.values()].map((record) => record.auditedAt);
  return {
    version: RECORD_VERSION,
    main: reading.main,
    settled: !result.failed && [...records.values()].every((record) => record.settled),
    nextAuditAt: audits.length === 0 ? undefined : Math.min(...audits) + reading.desired.config.auditSeconds,
    paths: reading.desired.config.paths,
  };
}

function resultOf(reading: Reading, reconciled: readonly Reconciled[]): PassResult {
  const outcomes: readonly Outcome[] = reconciled;
  const waits = outcomes.map((one) => one.plan?.requeueAfterSeconds).filter((seconds) => seconds !== undefined);
  const stalled = outcomes.some((one) => one.error !== undefined || (one.plan?.issues.length ?? 0) > 0);
  return {
    main: reading.main,
    quiet: false,
    outcomes,
    issues: reading.desired.issues,
    status: undefined,
    failed: stalled || reading.desired.issues.length > 0,
    requeueAfterSeconds: Math.min(reading.desired.config.intervalSeconds, ...waits),
  };
}
