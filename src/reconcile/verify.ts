/** Judges what merging a change would make of the files: what it would break, and what it would do to groups. */

import type { Overrides } from '../api/config.ts';
import type { Issue } from '../api/issue.ts';
import type { Git, Oid } from '../ports/git.ts';
import { PortError } from '../ports/port-error.ts';
import { FILE_EFFECTS, type FileEffect, fileEffects, wordTakenBack } from '../rollout/edits/file-effects.ts';
import { readAnalyses } from './analysis/read-analyses.ts';
import type { Desired, DesiredRollout } from './desired/desired-rollout.ts';
import { fileCollision } from './documents/digest-collision.ts';
import { readWorkload } from './documents/read-workload.ts';
import { analysisIssues } from './lint/lint-analyses.ts';
import { ownPolicyIssues, policyEdits } from './lint/lint-own-policy.ts';
import type { Outcome } from './outcome.ts';
import { type Memory, newMemory, type PassOptions, type PassResult, type Ports } from './pass.ts';
import { runPass } from './run.ts';
import { verifyCarriers, verifyTargets } from './verify-carriers.ts';
import { marksBrought } from './verify-marks.ts';
import { plannedTexts } from './verify-planned.ts';
import { verifyRoots } from './verify-roots.ts';
import { beyondSharedLimits } from './verify-turns.ts';

export type Verdict = {
  /** The commit that was judged, and what it was compared with. */
  readonly merged: Oid;
  readonly base: Oid;
  /** The branch that the agent applies: a change of another one does nothing. */
  readonly branch: string;
  /** What is wrong after the change and was not before: only these forbid it. */
  readonly broken: readonly Issue[];
  /** What was wrong before as well. */
  readonly known: readonly Issue[];
  /** Rollouts that could not be judged. */
  readonly failures: readonly string[];
  readonly effects: readonly (Issue & { readonly level: (typeof FILE_EFFECTS)[keyof typeof FILE_EFFECTS]['level'] })[];
};

type MergeToVerify = {
  readonly overrides: Overrides;
  /** The merge commit, by a ref: its first parent is the base, as it was when it was made. */
  readonly ref: string;
  /** Where several changes are merged together, what they are merged into; undefined: the first parent. */
  readonly base: Oid | undefined;
  /** Who opened the pull request, where its branch is one of tranche in this repository; undefined: it is not, or nobody says. */
  readonly proposer?: string | undefined;
};

/** Reads both and compares. Nothing is asked of the cluster and nothing is written. Throws PortError and ConfigError. */
export async function verify(ports: Ports, { overrides, ref, base, proposer }: MergeToVerify): Promise<Verdict> {
  const { git } = ports;
  git.begin();
  const [merged] = await git.heads([ref]);
  const from = base ?? (merged === undefined ? undefined : await firstParent(git, merged));
  if (merged === undefined || from === undefined)
    throw new PortError(`the repository has no merge at ${ref}`, {
      port: 'git',
      operation: 'read',
      retryable: true,
      hint: 'Run it on pull_request or merge_group; a pull request that has conflicts has no merge.',
    });
  // What mends the file that says how to read is judged by its last version that could be read.
  const before = await judge(ports, { overrides, commit: from });
  const parsed = before.memory.parsed;
  const after = await judge(ports, { overrides, commit: merged, parsed, config: 'asWritten' });
  const found = before.issues.map(keyOf);
  const desired = { before: before.memory.desired?.desired, after: after.memory.desired?.desired };
  // As main has it: anyone who opens the pull request says nothing of who may bring annotations.
  const { app } = before.memory.config ?? {};
  const isOurs = app !== undefined && proposer === `${app}[bot]`;
  const marks = isOurs
    ? { forged: [], returned: [] }
    : await marksBrought(git, { ...desired, proposer, planned: plannedTexts(before.outcomes) });
  const roots = await verifyRoots(ports, desired);
  return {
    merged,
    base: from,
    branch: after.memory.config?.branch ?? '',
    broken: [
      ...after.issues.filter((issue) => !found.includes(keyOf(issue))),
      ...verifyTargets(desired, roots.isBuilt).filter(
        (issue) => !after.issues.some((one) => keyOf(one) === keyOf(issue)),
      ),
      ...beyondSharedLimits(before.outcomes, after.outcomes),
      ...marks.forged,
      ...collisions(desired.before, desired.after),
      ...roots.broken,
    ],
    known: after.issues.filter((issue) => found.includes(keyOf(issue))),
    failures: after.failures,
    effects: [
      ...effectsOf(desired.before, desired.after),
      ...roots.effects,
      ...verifyCarriers(desired, roots.isBuilt),
      ...marks.returned.map((issue) => ({ ...issue, level: 'warning' as const })),
    ],
  };
}

async function firstParent(git: Git, commit: Oid): Promise<Oid | undefined> {
  const [header] = await git.history(commit, undefined, 1);
  return header?.parents[0];
}

type JudgedChange = {
  readonly memory: Memory;
  readonly outcomes: readonly Outcome[];
  readonly issues: readonly Issue[];
  readonly failures: readonly string[];
};

/** A pass over one commit as if it were the head of the desired branch. */
async function judge(
  ports: Ports,
  of: Pick<PassOptions, 'overrides' | 'config'> & { readonly commit: Oid; readonly parsed?: Memory['parsed'] },
): Promise<JudgedChange> {
  const fresh = newMemory();
  const memory = { ...fresh, parsed: of.parsed ?? fresh.parsed };
  const ref = `refs/tranche/verify/${of.commit}`;
  const { git } = ports;
  const heads = async (branches: readonly string[]) => {
    const asked = await git.heads(branches.filter((name) => name !== ref));
    const rest = [...asked];
    return branches.map((name) => (name === ref ? of.commit : rest.shift()));
  };
  const pinned = { ...ports, git: { ...git, heads } };
  const { overrides, config } = of;
  const reading = config === undefined ? {} : { config };
  const result = await runPass(pinned, memory, { overrides, ...reading, write: false, only: [], ref });
  const failures = result.outcomes.flatMap(({ key, error }) =>
    error === undefined ? [] : [`${key.namespace}/${key.name}: ${error}`],
  );
  return { memory, outcomes: result.outcomes, issues: issuesOf(result, memory), failures };
}

/** With what is wrong with Analyses: a pass reads none that no Rollout waits for now. */
function issuesOf(result: PassResult, { desired }: Memory): readonly Issue[] {
  const read = desired === undefined ? undefined : readAnalyses(desired.tree, desired.desired.config);
  const analyses = desired === undefined || read === undefined ? [] : analysisIssues(desired.desired, read);
  return [...result.issues, ...analyses, ...result.outcomes.flatMap(({ plan }) => plan?.issues ?? [])];
}

/** The same problem is on another line where something was written above it. */
function keyOf({ file, path, reason, message }: Issue): string {
  return JSON.stringify([file, path, reason, message]);
}

function effectsOf(before: Desired | undefined, after: Desired | undefined): Verdict['effects'] {
  return (after?.rollouts ?? []).flatMap((entry) => {
    const was = before?.rollouts.find(
      ({ key }) => key.namespace === entry.key.namespace && key.name === entry.key.name,
    );
    if (was === undefined || before === undefined || after === undefined) return [];
    return [
      ...effectsOfRollout(was, entry),
      ...effectsOfWord(was, entry),
      ...ownPolicyEffects({ was, before }, { is: entry, after }),
    ];
  });
}

/** The same change asks for a release and decides what may hold it. */
function ownPolicyEffects(
  from: { readonly was: DesiredRollout; readonly before: Desired },
  to: { readonly is: DesiredRollout; readonly after: Desired },
): Verdict['effects'] {
  const [before, after] = [from.was, to.is].map(({ workload }) =>
    workload === undefined ? undefined : readWorkload(workload).workload?.digest,
  );
  if (before === undefined || after === undefined || before === after) return [];
  return ownPolicyIssues(to.is, policyEdits(from, to)).map((issue) => ({ ...issue, level: 'warning' }));
}

/** A template that the change makes another one of the same digest. */
function collisions(before: Desired | undefined, after: Desired | undefined): readonly Issue[] {
  return (after?.rollouts ?? []).flatMap(({ key, workload: document }) => {
    const old = before?.rollouts.find((one) => one.key.namespace === key.namespace && one.key.name === key.name);
    const was = old?.workload === undefined ? undefined : readWorkload(old.workload).workload;
    const is = document === undefined ? undefined : readWorkload(document).workload;
    if (before === undefined || document === undefined || was === undefined || is === undefined) return [];
    const release = { digest: was.digest, serial: 1 };
    return fileCollision(document, is, { commit: before.commit, release, content: was.workload.content });
  });
}

/** What it does to what people have said. */
function effectsOfWord(before: DesiredRollout, after: DesiredRollout): Verdict['effects'] {
  const { rollout: document } = after;
  const [was, is] = [before, after].map(({ reading }) => reading.rollout?.intents.approve);
  const effect = wordTakenBack(after.key, { before: was, after: is });
  if (document === undefined || effect === undefined) return [];
  const { name, seen, action } = effect;
  const place = { file: document.file, line: document.lineOf(['metadata']), path: '' };
  const message = `Rollout ${after.key.name}: ${seen}`;
  return [{ ...place, reason: name, message, hint: action, level: FILE_EFFECTS[name].level }];
}

function effectsOfRollout(before: DesiredRollout, after: DesiredRollout): Verdict['effects'] {
  const { workload: document } = after;
  if (before.workload === undefined || document === undefined) return [];
  const [was, is] = [readWorkload(before.workload).workload, readWorkload(document).workload];
  // What is not taken over yet has no partition here: verify-carriers.ts says what a change reaches.
  const isOpen = is?.carried !== undefined && is.workload.marks === undefined;
  if (was === undefined || is === undefined || isOpen) return [];
  const line = document.lineOf(['spec']);
  const shown = ({ name, seen, action }: FileEffect) => ({
    file: is.file,
    line,
    path: '',
    reason: name,
    message: `${is.object.kind} ${is.object.name}: ${seen}`,
    hint: action,
    level: FILE_EFFECTS[name].level,
  });
  return fileEffects({ rollout: after.key, before: was, after: is }).map(shown);
}
