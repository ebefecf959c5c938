/** All rollouts of a repository, once: read, decide each alone, write everything in one push. */

import { DEFAULT_CONFIG } from '../api/config.ts';
import type { Instant } from '../api/time.ts';
import { PortError } from '../ports/port-error.ts';
import { headOf } from './observe/desired-branch.ts';
import { readAhead } from './observe/read-ahead.ts';
import type { Memory, Overrides, PassOptions, PassResult, Ports } from './pass.ts';
import { sent } from './sent.ts';
import { shardBranch } from './shard-branches.ts';
import { overridesText } from './status/overrides-text.ts';
import type { StatusBranch, StatusIndex } from './status/record-store.ts';

/** Other writers may win so often before a pass gives up. */
const ATTEMPTS = 5;
/** The default branch may name the desired one, and that one the status branch; who goes on is led in a circle. */
const HOPS_MOST = 3;

/** One pass. Throws PortError where Git or the configuration cannot be read at all. */
export async function runPass(ports: Ports, memory: Memory, options: PassOptions): Promise<PassResult> {
  ports.git.begin();
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
  const branches: string[] = [];
  while (branches.length < HOPS_MOST) {
    const result = await passOn(ports, memory, options);
    if (result !== 'elsewhere') return result;
    branches.push(memory.config?.branch ?? '');
  }
  const { branchesInCircle } = await import('./full-pass.ts');
  throw branchesInCircle(branches);
}

/** `elsewhere`: the configuration names other branches than those that were read. */
async function passOn(ports: Ports, memory: Memory, options: PassOptions): Promise<PassResult | 'moved' | 'elsewhere'> {
  const { git, cluster, clock } = ports;
  const now = clock.now();
  const { main, status } = await readBranches(ports, memory, options);
  const at = { main, now, overrides: options.overrides };
  const { index } = status;
  if (options.write && options.only.length === 0 && isQuiet(index, at) && isSettled(status))
    return quietResult(main, index, now);
  const ahead = readAhead(git, main, { status, options, before: memory.main, now });
  await sent();
  // Parsing, deciding and splicing are loaded only where there is something to decide.
  const { configIn, fullPass, writableConfigIn } = await import('./full-pass.ts');
  if (!isSettled(status)) {
    await sent();
    cluster.expect?.();
  }
  const read = options.write ? writableConfigIn : configIn;
  const config = read(await ahead.config, options.overrides);
  const before = memory.config ?? named(options);
  memory.config = config;
  if (config.branch !== before.branch || config.statusBranch !== before.statusBranch) return 'elsewhere';
  return fullPass(ports, { main, status, at: now, config, memory, options, ahead });
}

/** Names of branches before the configuration has been read: the last known, the command line's, the defaults. */
function named({ overrides }: PassOptions): { readonly branch: string; readonly statusBranch: string } {
  return {
    branch: overrides.branch ?? DEFAULT_CONFIG.branch,
    statusBranch: shardBranch(overrides.statusBranch ?? DEFAULT_CONFIG.statusBranch, overrides.shard),
  };
}

async function readBranches(
  { git }: Ports,
  memory: Memory,
  options: PassOptions,
): Promise<{ readonly main: string; readonly status: StatusBranch }> {
  const names = memory.config ?? named(options);
  const desired = (options.write ? undefined : options.ref) ?? names.branch;
  // What reads the answers is loaded while Git looks for the heads.
  const [[main, statusHead], { EMPTY_STATUS, readStatus, STATUS_REQUEST }] = await Promise.all([
    git.heads([desired, names.statusBranch]),
    sent().then(() => import('./status/record-store.ts')),
  ]);
  const known = memory.status?.head === statusHead ? memory.status : undefined;
  const status =
    known ??
    (statusHead === undefined ? EMPTY_STATUS : readStatus(await git.readAt(statusHead, STATUS_REQUEST), memory.status));
  memory.status = status;
  return { main: headOf(desired, main), status };
}

/**
 * Settled at this very commit, and no audit due: there is nothing to look at. An audit that is further away than one
 * period was put there by a clock that ran ahead, and is due now.
 */
function isQuiet(
  index: StatusIndex | undefined,
  at: { readonly main: string; readonly now: Instant; readonly overrides: Overrides },
): index is StatusIndex {
  return (
    index !== undefined &&
    index.settled &&
    index.main === at.main &&
    index.overrides === overridesText(at.overrides) &&
    (index.nextAuditAt === undefined ||
      (at.now < index.nextAuditAt && index.nextAuditAt <= at.now + index.auditSeconds))
  );
}

/** The index has no checksum as records have one: what it says of them is not believed against them. */
function isSettled({ records }: StatusBranch): boolean {
  for (const stored of records.values())
    if (stored.kind === 'newer' || (stored.kind === 'read' && !stored.record.settled)) return false;
  return true;
}

function quietResult(main: string, index: StatusIndex, now: Instant): PassResult {
  const audit = index.nextAuditAt;
  // Orders and edits wait no longer than the configuration says, whether something is in delivery or not.
  const interval = index.intervalSeconds;
  return {
    main,
    quiet: true,
    outcomes: [],
    issues: [],
    warnings: [],
    status: undefined,
    failed: false,
    requeueAfterSeconds: audit === undefined ? interval : Math.max(1, Math.min(interval, audit - now)),
  };
}
