/** Planted bugs: each a small patch of one decision in the source, which the laws must catch within its allowance. */

import type { Patch } from '../../scripts/simulation-bundle.mjs';
import { backMutants } from './mutants-back.ts';
import { builtMutants } from './mutants-built.ts';
import { filledMutants } from './mutants-filled.ts';
import { hostileMutants } from './mutants-hostile.ts';
import { kindMutants } from './mutants-kinds.ts';
import { sharedMutants } from './mutants-shared.ts';

export type Mutant = Patch & {
  /** Schedules within which a law must be broken. */
  readonly allowance: number;
  /** In which worlds it is looked for; not there: in those of one workload. */
  readonly world?: 'filled' | 'shared' | 'kinds' | 'back' | 'rollback' | 'hostile' | 'built';
};

function mutant(name: string, file: string, from: string, to: string, allowance = 1000): Mutant {
  return { name, file: `src/${file}`, from, to, allowance };
}

/** Breaks the plainest law there is: a gate that does not catch this one catches nothing. */
export const canary = mutant(
  'canary: every step is the last',
  'rollout/observed/batches.ts',
  'return replicas - plannedGroups(step, replicas);',
  'return 0;',
  20,
);

/** Changes nothing: a gate that fails this one fails everything. */
export const nothing = mutant(
  'nothing',
  'rollout/observed/batches.ts',
  'return replicas - plannedGroups(step, replicas);',
  'return replicas + 0 - plannedGroups(step, replicas);',
  12,
);

export const mutants: readonly Mutant[] = [
  // What Git is told.
  mutant(
    'no expected-old: whatever the branch is at',
    'reconcile/write/execute.ts',
    'const { config, main, status, steps, statusCommit } = batch;',
    'const { config, status, steps, statusCommit } = batch;\n  const main = (await git.heads([config.branch]))[0] ?? batch.main;',
  ),
  mutant(
    'blind rebase: another parent without looking at it',
    'reconcile/write/write-pass.ts',
    'if (!(await sameFilesAt(git, oid, { reading, own }))) return undefined;',
    'await sameFilesAt(git, oid, { reading, own });',
  ),
  mutant(
    'status first, then main',
    'reconcile/write/execute.ts',
    'const result = await git.push(updates);',
    'if (updates.length === 2) await git.push(updates.slice(1));\n  const result = await git.push(updates.slice(0, 1));',
  ),
  mutant(
    'commits are dated by no clock',
    'reconcile/write/batch.ts',
    'const { message, atSeconds } = plan.commit;',
    'const { message } = plan.commit;\n  const atSeconds = plan.commit.atSeconds + Math.floor(Math.random() * 60);',
  ),
  mutant(
    'the value of the autoscaler is written back',
    'rollout/plan.ts',
    '  const { reason, way, label, changes } = move;',
    `  const { reason, way, label } = move;
  const live = pass.situation?.replicas;
  const changes = move.changes.map((change) => change.kind === 'edit' && live !== undefined ? { ...change, fields: change.fields.map((field) => field.path.at(-1) === 'replicas' ? { ...field, to: live } : field) } : change);`,
  ),
  // What a step rests on.
  mutant(
    'no applied check',
    'rollout/applied.ts',
    "  if (live.lws.kind === 'unknown') return hold('ClusterUnreadable', { seen: live.lws.why, waits: 'reading' });",
    "  if (live.lws.kind === 'unknown') return hold('ClusterUnreadable', { seen: live.lws.why, waits: 'reading' });\n  if (live.leaderSet.kind === 'known') return undefined;",
  ),
  mutant(
    'a leader that is ready is a group that is ready',
    'rollout/observed/groups.ts',
    'const ready = leader.ready && !leader.deleting && workersReady;',
    'const ready = leader.ready && !leader.deleting;',
  ),
  mutant(
    'locked before the StatefulSet has flipped',
    'rollout/situation.ts',
    'leaderSet.currentRevision === leaderSet.updateRevision;',
    'leaderSet.currentRevision !== undefined;',
  ),
  mutant(
    'rolled back before the groups are back',
    'rollout/strategies/rollback.ts',
    'return underWay(situation, marks, { groups }) ?? rolledBack(situation, marks, groups.length);',
    'return rolledBack(situation, marks, groups.length);',
  ),
  mutant(
    'a list that was not read counts as empty',
    'reconcile/cluster/observe-cluster.ts',
    '? known(items.value.filter(filter)) : items;',
    '? known(items.value.filter(filter)) : known([]);',
  ),
  mutant(
    'the marks of the record are trusted over those of Git',
    'rollout/situation.ts',
    'const marks = snapshot.lostMarks ?? workload.marks;',
    'const marks = snapshot.record?.marks ?? workload.marks;',
  ),
  mutant(
    'a status branch that was read once is good for ever',
    'reconcile/run.ts',
    'memory.status?.head === statusHead ? memory.status : undefined;',
    'memory.status;',
  ),
  mutant(
    'a rewritten main is not noticed',
    'rollout/gates/git.ts',
    "if (history.kind === 'continued' || history.acknowledged) return undefined;",
    "if (history.kind === 'continued' || history.kind === 'rewritten') return undefined;",
  ),
  mutant(
    'extra groups and the partition in one commit',
    'rollout/strategies/surging.ts',
    'const holds = unique([',
    'const holds = extra > 0 ? [] : unique([',
  ),
  // Time and people.
  mutant(
    'the clock on the wall',
    'reconcile/decide-all.ts',
    'now: at, ...readers',
    'now: Date.now() / 1000, ...readers',
  ),
  mutant(
    'disabled is not looked at',
    'rollout/gates/people.ts',
    'snapshot.rollout?.rollout.disabled === true',
    'snapshot.rollout?.rollout.disabled === undefined',
  ),
  mutant(
    'pauses count from the beginning of time',
    'rollout/progress/soak.ts',
    'soakingSince(situation) ?? now;',
    '0;',
  ),
  mutant(
    'an approval is good for every step',
    'rollout/gates/pause.ts',
    'approve.index === step.index && sameRelease',
    'sameRelease',
  ),
  mutant(
    'a pause of the whole rollout is not looked at',
    'rollout/gates/people.ts',
    'if (snapshot.rollout?.rollout.paused !== true) return undefined;',
    'if (snapshot.rollout?.rollout.paused !== undefined) return undefined;',
  ),
  mutant(
    'what the record says changes with every pass',
    'rollout/record/record.ts',
    'auditedAt: auditedAt(snapshot, settled),',
    'auditedAt: snapshot.now,',
  ),
  // Numbers.
  mutant(
    'percentages round down',
    'rollout/observed/batches.ts',
    'ceilOf(step, replicas), 0)',
    "typeof step === 'string' ? Math.floor((Number.parseFloat(step) * replicas) / 100) : ceilOf(step, replicas), 0)",
  ),
  mutant(
    'one group more than the step says',
    'rollout/observed/batches.ts',
    'return replicas - plannedGroups(step, replicas);',
    'return Math.max(0, replicas - plannedGroups(step, replicas) - 1);',
  ),
  mutant(
    'a serial is given twice',
    'rollout/situation.ts',
    'return Math.max(0, ...serials);',
    'return Math.max(1, ...serials.slice(0, 1).map((serial) => serial - 1));',
  ),
  // Going back.
  mutant(
    'not locked again after the rollback',
    'rollout/strategies/rollback.ts',
    '    partition: SENTINEL,\n    home',
    '    partition: undefined,\n    home',
  ),
  mutant(
    'the partition is raised in the rollback',
    'rollout/events/going-back.ts',
    'return Math.min(partition, lowest(elsewhere) ?? partition);',
    'return lowest(elsewhere) ?? replicas;',
  ),
  mutant(
    'the budget is not raised in the rollback',
    'rollout/budget.ts',
    'if (inTheWay === 0 || raised',
    'if (inTheWay >= 0 || raised',
  ),
  mutant(
    'the budget ends at N, though nothing is ready',
    'rollout/budget.ts',
    'Math.max(Math.min(count, own + inTheWay), inTheWay + 1)',
    'Math.min(count, own + inTheWay)',
  ),
  mutant(
    'a pause holds the rollback as well',
    'rollout/orders/aborted-release.ts',
    'return orders.find((order) => sameRelease(order?.release, release));',
    'return orders.find((order) => snapshot.rollout?.rollout.paused !== true && sameRelease(order?.release, release));',
  ),
  ...filledMutants,
  ...sharedMutants,
  ...kindMutants,
  ...backMutants,
  ...builtMutants,
  ...hostileMutants,
];
