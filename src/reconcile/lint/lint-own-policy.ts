/** Changes that bring a release and edit a policy, or an Analysis, that governs it: who asks for both decides what may hold it. */

import type { Issue } from '../../api/issue.ts';
import { ANALYSIS_KIND, POLICY_KIND } from '../../api/kinds.ts';
import type { Git, Oid } from '../../ports/git.ts';
import { analysisCalled } from '../analysis/observe-analyses.ts';
import { desiredOf } from '../desired/desired.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import { desiredRequest } from '../documents/desired-branch.ts';
import type { ParseCache } from '../documents/parse-cache.ts';
import { readWorkload } from '../documents/read-workload.ts';

/** Where a policy or an Analysis differs: on `line` of what is there after the change, 0 where nothing of it is. */
type PolicyEdit = {
  readonly kind: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly what: string;
};

/**
 * The same against the head of the desired branch. Nothing is read where no file has a text that is yet to be
 * delivered, or where that very head was read. Throws PortError where Git fails.
 */
export async function ownPolicyWarnings(
  git: Git,
  { desired, head, cache }: { readonly desired: Desired; readonly head: Oid | undefined; readonly cache: ParseCache },
): Promise<readonly Issue[]> {
  const { config } = desired;
  if (head === undefined || head === desired.commit || !desired.rollouts.some(isAskedFor)) return [];
  const before = desiredOf(await git.readAt(head, desiredRequest(config.paths)), config, cache);
  return desired.rollouts.flatMap((after) => {
    const was = before.rollouts.find(({ key }) => same(key, after.key));
    return was === undefined || digestOf(was) === digestOf(after) || !isAskedFor(after)
      ? []
      : ownPolicyIssues(after, policyEdits({ was, before }, { is: after, after: desired }));
  });
}

/** As warnings, on the line of each policy; of one that is gone, on that of the workload. */
export function ownPolicyIssues({ key, workload }: DesiredRollout, edits: readonly PolicyEdit[]): readonly Issue[] {
  return edits.map(({ kind, name, file, line, what }) => ({
    file: line === 0 ? (workload?.file ?? file) : file,
    line: line === 0 ? (workload?.lineOf(['spec']) ?? 0) : line,
    path: 'spec',
    reason: 'LocksAndEditsPolicy',
    message: `the change locks a release of ${key.namespace}/${key.name} and ${what} ${kind} ${name} (${file}), which governs it`,
    hint: 'Make two changes of it, the policy first, so that its owners see what it is for.',
  }));
}

/** The policies of one Rollout, and the Analyses that they name, that are there on one side only, or in a file with other bytes. */
export function policyEdits(
  { was, before }: { readonly was: DesiredRollout; readonly before: Desired },
  { is, after }: { readonly is: DesiredRollout; readonly after: Desired },
): readonly PolicyEdit[] {
  const old = new Map(governing(was, before).map((one) => [idOf(one), one]));
  const now = governing(is, after).flatMap((one): readonly PolicyEdit[] => {
    const known = old.delete(idOf(one));
    if (known && before.blobs.get(one.file) === after.blobs.get(one.file)) return [];
    return [{ ...one, what: known ? 'edits' : 'adds' }];
  });
  return [...now, ...[...old.values()].map((one) => ({ ...one, line: 0, what: 'takes away' }))];
}

type Governing = Omit<PolicyEdit, 'what'>;

function idOf({ kind, name, file }: Governing): string {
  return `${kind} ${name} ${file}`;
}

/** Those that are there and count. */
function governing({ policy }: DesiredRollout, desired: Desired): readonly Governing[] {
  const policies = policy.matching.map(({ name, file, line }) => ({ kind: POLICY_KIND, name, file, line }));
  const analyses = (policy.rules.analyses ?? []).flatMap((name) => {
    const found = analysisCalled(name, { desired });
    return 'wrong' in found ? [] : [{ kind: ANALYSIS_KIND, name, file: found.file, line: found.line }];
  });
  return [...policies, ...analyses];
}

/** Locked: its text is not the one of its marks, and no step of ours has brought it. */
function isAskedFor(entry: DesiredRollout): boolean {
  const file = fileOf(entry);
  return file?.workload.marks !== undefined && file.workload.marks.release.digest !== file.digest;
}

function digestOf(entry: DesiredRollout): string | undefined {
  return fileOf(entry)?.digest;
}

function fileOf({ workload }: DesiredRollout): ReturnType<typeof readWorkload>['workload'] {
  return workload === undefined ? undefined : readWorkload(workload).workload;
}

function same(left: DesiredRollout['key'], right: DesiredRollout['key']): boolean {
  return left.namespace === right.namespace && left.name === right.name;
}
