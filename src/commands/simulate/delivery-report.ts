/** A delivery that has rungs for people and scripts: every commit, what it waits for, what it takes. */

import { gpusOfGroup } from '../../api/gpus.ts';
import { at } from '../../api/json.ts';
import { printStep } from '../../api/marks.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import { type Climb, type Climbed, climbBack } from '../../reconcile/ladder/climb.ts';
import type { DeliveryParts } from '../../reconcile/ladder/delivery-parts.ts';
import { type Delivery, replicasOf, secondName, sidesOf } from '../../rollout/ladders/delivery.ts';
import { isRestored, shareIn } from '../../rollout/ladders/shares.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import { groupCount } from '../../rollout/texts/sentences.ts';
import { alignedTable, type Column } from './aligned.ts';
import { conditionText } from './condition-text.ts';

type Row = {
  readonly step: string;
  readonly at: string;
  /** Groups of either workload that Git asks for after the commit. */
  readonly groups: number;
  readonly partition: number | undefined;
  /** Of the second workload. */
  readonly extraGroups: number;
  /** Of one workload, those that were released for update by then. */
  readonly released?: number;
  readonly share: string;
  /** What must be seen before it is written. */
  readonly seen: readonly string[];
};

type Report = {
  readonly namespace: string;
  readonly workload: string;
  /** undefined: both versions are groups of the one workload. */
  readonly second: string | undefined;
  readonly strategy: DeliveryParts['plan']['style'];
  /** The most groups at one time beyond those of today. */
  readonly extraGroups: number;
  readonly extraGpus: number;
  readonly commits: readonly Row[];
  readonly rollbacks: readonly { readonly from: string; readonly rungs: readonly string[] }[];
};

/** What the ladder of these commits is, and its rollbacks. */
export function reportOf(parts: DeliveryParts, file: WorkloadFile, { commits }: Climb): Report {
  const { plan, workload } = parts;
  const now = file.workload.replicas ?? parts.liveReplicas;
  const most = Math.max(0, ...commits.map(({ after }) => replicasOf(after.own) + replicasOf(after.second) - now));
  return {
    namespace: workload.object.namespace,
    workload: workload.object.name,
    second: isOneWorkload(parts.plan.style) ? undefined : secondName({ plan, own: { object: workload.object } }),
    strategy: plan.style,
    extraGroups: most,
    extraGpus: most * gpusOfGroup(file.workload.content, file.workload.size),
    commits: isOneWorkload(parts.plan.style) ? withReleased(commits.map(rowOf)) : commits.map(rowOf),
    rollbacks: rollbacks(parts, commits),
  };
}

const VERSIONS = { stable: 'the stable version', canary: 'the new version' };

function rowOf({ commit, before, after }: Climbed): Row {
  const names = isOneWorkload(before.plan.style) ? VERSIONS : sidesOf(before).workloads;
  const partition = at(after.own.value, PARTITION_PATH);
  // Live is true of every commit but the first; and what the rung before is seen by, the next may ask for too.
  const seen = commit.waits.filter(({ kind }) => kind !== 'live').map((wait) => conditionText(wait, names));
  return {
    step: printStep(commit.stage),
    at: commit.at,
    groups: replicasOf(after.own),
    partition: typeof partition === 'number' ? partition : undefined,
    extraGroups: replicasOf(after.second),
    share: shareIn(after),
    seen: [...new Set(seen)],
  };
}

/** What was released for update stays so: locked again, it has no rung of its own in Git, but a line that says so. */
function withReleased(rows: readonly Row[]): readonly Row[] {
  const counts = rows.map(({ groups, partition = 0 }) => Math.max(0, groups - partition));
  return rows.map((row, place) => {
    const isLocked = rows[place - 1]?.partition === 0 && row.partition === SENTINEL;
    return { ...row, ...(isLocked ? { at: 'locked' } : {}), released: Math.max(...counts.slice(0, place + 1)) };
  });
}

/** By the rung that they start from: those of all steps are one row, of the last step that has a rung. */
function rollbacks(parts: DeliveryParts, commits: readonly Climbed[]): Report['rollbacks'] {
  const starts = new Map<string, Climbed>();
  for (const climbed of commits) {
    const { stage, at: rung } = climbed.commit;
    if (rung !== 'settled') starts.set(stage.kind === 'step' ? stepsOf(climbed.after) : rung, climbed);
  }
  return [...starts].map(([from, climbed]) => ({
    from,
    rungs: climbBack(climbed, parts).commits.map(({ commit }) => commit.at),
  }));
}

/** Of one workload the groups that answer a share restart: it goes to stable before them. */
function stepsOf(delivery: Delivery): string {
  if (!isOneWorkload(delivery.plan.style)) return 'the steps';
  return isRestored(delivery) ? 'a step without a share' : 'a step with a share';
}

const COLUMNS = ['Step', 'Rung'];

/** One report for each word of `--output`. */
export const deliveryReports = { text: textReport, json: jsonReport } satisfies Record<
  'text' | 'json',
  (of: Report) => string
>;

function textReport(report: Report): string {
  const { commits, workload, second, extraGroups, extraGpus } = report;
  const columns: Column[] = [
    ...COLUMNS.map((title): Column => ({ title, align: 'left' })),
    { title: workload, align: 'right' },
    { title: 'Partition', align: 'right' },
    { title: second ?? 'Released for update', align: 'right' },
    { title: 'Share', align: 'left' },
    { title: 'Seen before', align: 'left' },
  ];
  const rows = commits.map((row) => [
    row.step,
    row.at,
    String(row.groups),
    row.partition === SENTINEL ? 'locked' : String(row.partition ?? ''),
    String(row.released ?? row.extraGroups),
    row.share,
    row.seen.join('; '),
  ]);
  const name = report.namespace === '' ? workload : `${report.namespace}/${workload}`;
  const gpus = extraGpus === 0 ? '' : ` with ${extraGpus} GPUs`;
  const takes = extraGroups === 0 ? 'no groups' : `up to ${groupCount(extraGroups)}${gpus}`;
  const beside = second === undefined ? 'with two versions of it side by side' : `with ${second} next to it`;
  const ways = report.rollbacks.map(({ from, rungs }) => `  from ${from}: ${rungs.join(', ')}\n`);
  return [
    `${name}: a release by ${report.strategy}, ${beside}\n\n`,
    alignedTable(columns, rows),
    `\nIt takes ${takes} more than today.\n`,
    'Each line is a commit; the one before must be live first.\n',
    `\nRollbacks:\n${ways.join('')}`,
  ].join('');
}

function jsonReport(report: Report): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
