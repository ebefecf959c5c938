/** Whether main's own line bears out what its commits tell, and who has written marks past tranche. */

import type { Issue } from '../../api/issue.ts';
import type { Instant } from '../../api/time.ts';
import type { CommitHeader, Git, Oid } from '../../ports/git.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { readDesired } from '../observe/read-main.ts';
import { desiredHead } from '../observe/read-settings.ts';
import { newMemory, type Overrides, type Ports } from '../pass.ts';
import type { AllowedSigner } from './allowed-signers.ts';
import { type SignatureFound, signatureOf } from './commit-signature.ts';
import type { LogEntry } from './log-entry.ts';
import { isNamed, unknownName } from './named.ts';
import { ownReader } from './own-fields.ts';
import { type LogRead, readLog } from './read-log.ts';

/** Each has its row in the reference. */
type ChainReason = 'StepNotInFile' | 'StepWithoutEffect' | 'MarksWrittenPast' | 'PlannedElsewhere' | 'SignatureBad';

type ChainFault = {
  readonly reason: ChainReason;
  readonly rollout: string;
  readonly commit: Oid;
  readonly at: Instant;
  /** Its author, who proves nothing. */
  readonly by: string;
  readonly message: string;
};

/** Of a commit of tranche, or of an order: what its signature says. */
export type Signed = SignatureFound & {
  readonly entry: LogEntry['kind'];
  /** Empty: of all Rollouts. */
  readonly rollout: string;
  readonly release: string;
  readonly step: string;
  readonly what: string;
  readonly at: Instant;
  /** The commit that says it: where a merge brought it, not the one of main. */
  readonly commit: Oid;
};

export type Chain = {
  readonly version: typeof CHAIN_VERSION;
  readonly main: Oid;
  readonly read: LogRead;
  /** Steps whose files were looked at. */
  readonly steps: number;
  /** Steps that commits say, and whose files were not: nothing is proven of them. */
  readonly notLooked: readonly { readonly rollout: string; readonly steps: number }[];
  /** Newest first. */
  readonly faults: readonly ChainFault[];
  /** One for each step and each order, newest first. */
  readonly signatures: readonly Signed[];
  /** Of `tranche.yaml`: an earlier one counts. */
  readonly configFaults: readonly Issue[];
};

/** Fields may be added within a version; one that goes, or means something else, is another version. */
const CHAIN_VERSION = 1;

/** Commits of main that are looked at one by one. */
const LOOKED_MOST = 10_000;

type Line = { readonly commit: CommitHeader; readonly entries: readonly LogEntry[]; readonly said: CommitHeader };

type Asked = {
  readonly name: string;
  readonly namespace: string;
  readonly since: Instant | undefined;
  /** Not there: no signature is verified. */
  readonly allowed?: readonly AllowedSigner[] | undefined;
};

/**
 * Of each commit of the line: that a step is in the file which it says, that it was planned on a commit of this line, and
 * that no other commit has changed marks or a partition; or why nothing is meant. Throws PortError where Git fails.
 */
export async function verifyHistory(
  { git, builder }: Pick<Ports, 'git' | 'builder'>,
  overrides: Overrides,
  asked: Asked,
): Promise<Chain | string> {
  git.begin();
  const { main, config } = await desiredHead(git, overrides);
  const memory = newMemory();
  const desired = await readDesired(git, main, { config, memory, builder });
  const builds = builder === undefined ? undefined : { builder, cache: memory.builds };
  const line: Line[] = [];
  const said = new Map<string, number>();
  const read = await readLog(git, { head: main, since: asked.since }, (commit, entries, header) => {
    if (line.length < LOOKED_MOST) line.push({ commit, entries, said: header });
    // A squash may say several steps, of which its files have the last.
    const steps = new Set(entries.flatMap(({ kind, rollout }) => (kind === 'step' ? [rollout] : [])));
    for (const { rollout } of entries) said.set(rollout, said.get(rollout) ?? 0);
    for (const rollout of steps) said.set(rollout, (said.get(rollout) ?? 0) + 1);
  });
  const meant = { ...asked, cluster: overrides.cluster ?? '' };
  const unknown = unknownName(meant, { said: said.keys(), desired, read });
  if (unknown !== undefined) return unknown;
  const entries = desired.rollouts.filter((entry) => isNamed(printKey(entry.key), meant));
  const isMeant = ({ rollout }: { readonly rollout: string }): boolean => isNamed(rollout, meant);
  const signatures = line.flatMap((one) => signaturesOf(one, asked.allowed)).filter(isMeant);
  const faults: ChainFault[] = [...plannedElsewhere(line, read).filter(isMeant), ...notAllowed(line, signatures)];
  let steps = 0;
  for (const entry of entries) {
    const found = await faultsOf({ git, builds }, entry, line);
    steps += found.steps.length;
    for (const rollout of found.steps) said.set(rollout, (said.get(rollout) ?? 0) - 1);
    faults.push(...found.faults);
  }
  const notLooked = [...said].flatMap(([rollout, left]) =>
    left > 0 && isNamed(rollout, meant) ? [{ rollout, steps: left }] : [],
  );
  const place = new Map(line.map(({ commit }, at) => [commit.oid, at]));
  faults.sort((a, b) => (place.get(a.commit) ?? 0) - (place.get(b.commit) ?? 0));
  const { faults: configFaults = [] } = config;
  return { version: CHAIN_VERSION, main, read, steps, notLooked, faults, signatures, configFaults };
}

function signaturesOf({ entries, said }: Line, allowed: Asked['allowed']): readonly Signed[] {
  if (entries.length === 0) return [];
  const found = signatureOf(said, allowed);
  return entries.map(({ kind: entry, rollout, release, step, what, at, written: commit }) => ({
    entry,
    rollout,
    release,
    step,
    what,
    at,
    commit,
    ...found,
  }));
}

/** A signature of a key that is not allowed, or that the key has not made. A commit without one is no fault: tranche makes none. */
function notAllowed(line: readonly Line[], signatures: readonly Signed[]): readonly ChainFault[] {
  return signatures.flatMap(({ verdict, key = '', rollout, commit: oid }) => {
    const commit = line.find(({ said }) => said.oid === oid)?.commit;
    if ((verdict !== 'bad' && verdict !== 'unknown') || commit === undefined) return [];
    const why = verdict === 'bad' ? 'has not made it' : 'is not among the allowed signers';
    return [faultOf('SignatureBad', rollout, { commit, message: `it carries a signature, and its key ${key} ${why}` })];
  });
}

/** A step that names a commit which is not before it: it was planned on another history than this one. */
function plannedElsewhere(line: readonly Line[], read: LogRead): ChainFault[] {
  const places = new Map(line.map(({ commit }, at) => [commit.oid, at]));
  return line.flatMap(({ commit, entries }, at) =>
    entries.flatMap((one): readonly ChainFault[] => {
      const planned = places.get(one.plannedFrom);
      // What was before the first commit that was read is not known.
      if (planned === undefined ? read.end !== 'first' || line.length < read.commits : planned > at) return [];
      const where = planned === undefined ? 'is not on this line' : 'is not before it';
      const message = `it says that it was planned on ${one.plannedFrom.slice(0, 12)}, which ${where}`;
      return [faultOf('PlannedElsewhere', one.rollout, { commit, message })];
    }),
  );
}

async function faultsOf(
  { git, builds }: { readonly git: Pick<Git, 'readAt'>; readonly builds: Parameters<typeof ownReader>[2] },
  entry: DesiredRollout,
  line: readonly Line[],
): Promise<{ readonly steps: readonly string[]; readonly faults: readonly ChainFault[] }> {
  const rollout = printKey(entry.key);
  const ownAt = ownReader(git, entry, builds);
  const faults: ChainFault[] = [];
  const steps: string[] = [];
  for (const [at, { commit, entries }] of line.entries()) {
    const parent = commit.parents[0];
    if (parent === undefined && at < line.length - 1) break;
    const [now, before] = [await ownAt(commit.oid), parent === undefined ? undefined : await ownAt(parent)];
    // Not in its file: it was moved, or is re-created; nobody can tell from here on.
    if (now === undefined) continue;
    const is = `${now.release} ${now.step}`;
    // A cluster that has another name by now had the step, where the file has what the step says.
    const named = entries.filter((one) => isNamed(one.rollout, { ...entry.key, cluster: '' }));
    const own = named.filter((one) => one.rollout === rollout);
    const step = stepIn(own) ?? stepIn(named.filter((one) => saysOf(one) === is));
    if (step !== undefined) {
      steps.push(step.rollout);
      const says = saysOf(step);
      if (is !== says)
        faults.push(
          faultOf('StepNotInFile', rollout, {
            commit,
            message: `it says ${says}, and its file has ${is.trim() || 'no marks'}`,
          }),
        );
      else if (before?.text === now.text)
        faults.push(faultOf('StepWithoutEffect', rollout, { commit, message: `it says ${says}, and changes nothing` }));
    } else if (named.every(({ kind }) => kind === 'step') && before !== undefined && before.key !== now.key) {
      const message = `it changes marks or the partition, and is no commit of tranche: ${before.key} → ${now.key}`;
      faults.push(faultOf('MarksWrittenPast', rollout, { commit, message }));
    }
  }
  return { steps, faults };
}

function stepIn(entries: readonly LogEntry[]): LogEntry | undefined {
  return entries.find(({ kind }) => kind === 'step');
}

function saysOf({ release, step }: LogEntry): string {
  return `${release} ${step}`;
}

function faultOf(
  reason: ChainFault['reason'],
  rollout: string,
  { commit, message }: { readonly commit: CommitHeader; readonly message: string },
): ChainFault {
  return { reason, rollout, commit: commit.oid, at: commit.committedAt, by: commit.author.name, message };
}
