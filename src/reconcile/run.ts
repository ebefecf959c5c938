/** All rollouts of a repository, once: read, decide each alone, write everything in one push. */

import { DEFAULT_CONFIG } from '../api/config.ts';
import type { BuildsSpent } from '../ports/builder.ts';
import type { Tree } from '../ports/git.ts';
import { PortError } from '../ports/port-error.ts';
import { readAhead } from './observe/read-ahead.ts';
import type { Memory, PassOptions, PassResult, Ports } from './pass.ts';
import { sent } from './sent.ts';
import { shardBranch } from './shard-branches.ts';
import type { StatusBranch } from './status/record-store.ts';

/** Other writers may win so often before a pass aborts. */
const ATTEMPTS = 5;
/** The default branch may name the desired one, and that one the status branch; who goes on is led in a circle. */
const HOPS_MOST = 3;

/** One pass. Throws PortError where Git or the configuration cannot be read at all. */
export async function runPass(ports: Ports, memory: Memory, options: PassOptions): Promise<PassResult> {
  ports.git.begin();
  const before = ports.builder?.spent?.();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const result = await tryPass(ports, memory, { ...options, attempt });
    if (result !== 'moved') return { ...result, ...builtSince(before, ports) };
    ports.log.info(`a branch moved while this pass was deciding; reading everything again (${attempt} of ${ATTEMPTS})`);
  }
  throw new PortError(`other writers moved the branches ${ATTEMPTS} times in a row`, {
    port: 'git',
    operation: 'push',
    retryable: true,
    hint: 'No step went forward; where the status branch alone moves, what goes back is written all the same. Run again, or look for something that commits in a loop.',
  });
}

/** What this pass spent on builds, those of attempts that it gave up among them. */
function builtSince(before: BuildsSpent | undefined, { builder }: Ports): Pick<PassResult, 'builds'> {
  const now = builder?.spent?.();
  const count = (now?.count ?? 0) - (before?.count ?? 0);
  return count === 0 ? {} : { builds: { count, seconds: (now?.seconds ?? 0) - (before?.seconds ?? 0) } };
}

type Attempt = PassOptions & { readonly attempt: number; readonly astray?: readonly string[] };

/** Where files lead nowhere, the process has gone by none of them: its next pass starts where this one did. */
async function tryPass(ports: Ports, memory: Memory, options: Attempt): Promise<PassResult | 'moved'> {
  const before = memory.config;
  const branches = [(before ?? named(options)).branch];
  try {
    while (branches.length <= HOPS_MOST) {
      const result = await passOn(ports, memory, options);
      if (result === 'absent') break;
      if (result !== 'elsewhere') return result;
      branches.push(memory.config?.branch ?? '');
    }
  } catch (error) {
    memory.config = before;
    throw error;
  }
  // One that is gone may have another name now, which the default branch says.
  memory.config = branches.length > 1 ? before : undefined;
  const { ledAway } = await import('./led-away.ts');
  const astray = ledAway(branches, {
    ...options,
    isKnown: before !== undefined,
    isCircle: branches.length > HOPS_MOST,
  });
  return tryPass(ports, memory, { ...options, astray });
}

/** `elsewhere`: the configuration names other branches than those that were read. `absent`: there is no desired one. */
async function passOn(
  ports: Ports,
  memory: Memory,
  options: Attempt,
): Promise<PassResult | 'moved' | 'elsewhere' | 'absent'> {
  const { git, cluster, clock } = ports;
  const now = clock.now();
  const { main, status } = await readBranches(ports, memory, options);
  if (main === undefined) return 'absent';
  // Loaded with what has read the branches.
  const { isOwnIndex, isSettled, namedCluster, quietPass } = await import('./quiet.ts');
  const { signatures } = ports;
  const of = { memory, overrides: options.overrides, branches: memory.config ?? named(options) };
  const keyOf = (tree?: Promise<Tree>): Promise<string | undefined> => namedCluster(ports, main, { ...of, tree });
  const quiet = await quietPass({ main, status, now }, { memory, options, signatures, named: keyOf });
  if (quiet !== undefined) return quiet;
  const isOwn = isOwnIndex(status, options, signatures);
  const isNamed = async (tree: Promise<Tree>): Promise<boolean> => (await keyOf(tree)) === status.index?.cluster;
  const ahead = readAhead(git, main, { status, options, before: memory.main, now, isOwn, isNamed });
  await sent();
  // Parsing, deciding and splicing are loaded only where there is something to decide.
  const { configFor, fullPass } = await import('./full-pass.ts');
  if (!isSettled(status)) {
    await sent();
    cluster.expect?.();
  }
  const config = await configFor(git, options, options.astray)(
    await ahead.config,
    options.overrides,
    memory.trials?.known,
  );
  const before = memory.config ?? named(options);
  memory.config = config;
  if (config.branch !== before.branch || config.statusBranch !== before.statusBranch) return 'elsewhere';
  const read = { main, status, at: now, config, memory, options, ahead, attempt: options.attempt };
  return fullPass(ports, { ...read, again: (refused) => tryPass(ports, memory, { ...options, refused }) });
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
): Promise<{ readonly main: string | undefined; readonly status: StatusBranch }> {
  const names = memory.config ?? named(options);
  const desired = (options.write ? undefined : options.ref) ?? names.branch;
  // What reads the answers is loaded while Git looks for the heads.
  const [[main, statusHead], { statusAt }] = await Promise.all([
    git.heads([desired, names.statusBranch]),
    sent().then(() => import('./status/status-at.ts')),
    sent().then(() => import('./quiet.ts')),
  ]);
  const known = memory.status?.head === statusHead ? memory.status : undefined;
  const status = known ?? (await statusAt(git, statusHead, { before: memory.status }));
  memory.status = status;
  return { main, status };
}
