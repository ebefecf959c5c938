/** `tranche lint`: every problem of the files, with file and line; the cluster is not asked. */

import type { Issue } from '../api/issue.ts';
import { issueLine } from '../api/issue-line.ts';
import { unknown } from '../api/known.ts';
import { jsonText } from '../api/printable.ts';
import { type CommonOptions, EXIT, type Io, UsageError } from '../options.ts';
import type { Cluster } from '../ports/cluster.ts';
import { type Analyses, readAnalyses } from '../reconcile/analysis/read-analyses.ts';
import { analysisIssues } from '../reconcile/lint/lint-analyses.ts';
import { ownPolicyWarnings } from '../reconcile/lint/lint-own-policy.ts';
import { providerWarnings } from '../reconcile/lint/lint-providers.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import { type Memory, newMemory, type Ports } from '../reconcile/pass.ts';
import { runPass } from '../reconcile/run.ts';
import { NO_ROLLOUT } from '../reconcile/status/report.ts';
import { type JudgedMerge, marksSince } from '../reconcile/verify-marks.ts';
import { contradictions } from '../rollout/gates/policies.ts';
import { inTurn, patchLines } from './patches.ts';

const NOT_ASKED = unknown('lint does not ask the cluster');
const noCluster: Cluster = { list: async () => NOT_ASKED };

/** The same world without its cluster. */
export function filesOnly(ports: Ports): Ports {
  return { ...ports, cluster: noCluster };
}

export type LintOptions = CommonOptions & {
  /** What is read in place of the desired branch. */
  readonly ref?: string | undefined;
  /** The working tree whose files are read as they lie there. */
  readonly workingTree?: string | undefined;
  /** What they are to be merged into: a commit or a branch. Not there: nobody says, and annotations are not judged. */
  readonly base?: string | undefined;
};

/** What a look at the files finds. */
type Findings = {
  readonly read: string;
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
  readonly failures: readonly string[];
  readonly outcomes: readonly Outcome[];
};

/** Reads and judges, and says nothing. `env`: what of it may name servers of metrics. */
export async function findingsOf(options: LintOptions, ports: Ports, env: Io['env'] = {}): Promise<Findings> {
  const memory = newMemory();
  const { overrides, ref } = options;
  const result = await runPass(filesOnly(ports), memory, {
    overrides,
    write: false,
    config: 'asWritten',
    only: [],
    ref,
  });
  const read =
    options.workingTree === undefined
      ? readOf(ref ?? memory.config?.branch ?? '', result.main)
      : `the files in ${options.workingTree} as they are, committed or not`;
  const marks = await marksOf(ports, memory, options.base);
  const files = analysesOf(memory);
  const issues = unique([
    ...result.issues,
    ...marks.forged,
    ...files.issues,
    ...result.outcomes.flatMap((outcome) => issuesOf(outcome)),
  ]);
  const told = result.outcomes.flatMap((outcome) => outcome.plan?.warnings ?? []);
  const unset = providerWarnings(files.analyses, env);
  const own = await ownPolicies(ports, memory);
  const warnings = unique([...result.warnings, ...told, ...marks.returned, ...unset, ...own]);
  const failures = result.outcomes.map((outcome) => outcome.error).filter((error) => error !== undefined);
  return { read, issues, warnings, failures, outcomes: result.outcomes };
}

/** What is wrong with one Rollout. */
export function issuesOf(outcome: Outcome): readonly Issue[] {
  return [...(outcome.plan?.issues ?? []), ...contradicted(outcome)];
}

/** Exit code 1 where something is wrong; warnings alone are no failure. */
export async function lint(options: LintOptions, ports: Ports, io: Io): Promise<number> {
  const { read, issues, warnings, failures, outcomes } = await findingsOf(options, ports, io.env);
  if (options.output === 'json') io.out(jsonText({ read, issues, warnings, failures }));
  else
    io.out(
      [
        ...issues.flatMap((issue) => [issueLine(issue), ...patchLines(issue)]),
        ...warnings.flatMap((warning) => [`warning: ${issueLine(warning)}`, ...patchLines(warning)]),
        ...failures,
        ...inTurn([...issues, ...warnings], 'lint'),
        ...(outcomes.length + issues.length === 0 ? [NO_ROLLOUT] : []),
        summary(issues, outcomes.length),
        `read: ${read}`,
      ]
        .map((line) => `${line}\n`)
        .join(''),
    );
  return issues.length + failures.length > 0 ? EXIT.failed : EXIT.ok;
}

/** Annotations that the files bring, judged as `verify` does. */
async function marksOf({ git }: Ports, { desired, parsed }: Memory, base: string | undefined): Promise<JudgedMerge> {
  if (desired === undefined || base === undefined) return { forged: [], returned: [] };
  const judged = await marksSince(git, base, { desired: desired.desired, parsed });
  if (judged !== undefined) return judged;
  throw new UsageError(
    `--base ${base}: the repository has no such branch. Name a branch, or a commit in full (git rev-parse ${base})`,
  );
}

/** Analyses, and what is wrong with them: a pass reads none that no Rollout waits for. */
function analysesOf({ desired }: Memory): Pick<Analyses, 'analyses' | 'issues'> {
  if (desired === undefined) return { analyses: [], issues: [] };
  const found = readAnalyses(desired.tree, desired.desired.config);
  return { analyses: found.analyses, issues: analysisIssues(desired.desired, found) };
}

/** What is read is compared with the branch that is delivered: that is the change which is about to be made. */
async function ownPolicies({ git }: Ports, { desired, parsed }: Memory): Promise<readonly Issue[]> {
  if (desired === undefined) return [];
  const [head] = await git.heads([desired.desired.config.branch]);
  return ownPolicyWarnings(git, { desired: desired.desired, head, cache: parsed });
}

/** A plan that a policy would never let through, on the line of the policy. */
function contradicted({ key, snapshot }: Outcome): readonly Issue[] {
  if (snapshot === undefined) return [];
  return contradictions(snapshot).flatMap(({ field, held }) =>
    (snapshot.policySources?.[field] ?? []).map(({ file, line, policy }) => ({
      file,
      line,
      path: `spec.${field}`,
      reason: held.reason,
      message: `RolloutPolicy ${policy}: ${key.namespace}/${key.name} would never start: ${held.seen}`,
      hint: 'action' in held ? `${held.action}.` : '',
    })),
  );
}

/** What was read, for people: without it a green lint may be that of another version. */
export function readOf(ref: string, commit: string): string {
  return `${ref} at ${commit.slice(0, 12)}`;
}

function summary(issues: readonly Issue[], rollouts: number): string {
  return `${count(rollouts, 'Rollout')}, ${count(issues.length, 'problem')}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Several rollouts may be held by one file. */
function unique(issues: readonly Issue[]): readonly Issue[] {
  const seen = new Map(issues.map((issue) => [JSON.stringify(issue), issue]));
  return [...seen.values()].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}
