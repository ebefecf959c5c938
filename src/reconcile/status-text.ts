/** Records as text for a terminal: a table of all, a tree of one. */

import type { GroupRecord, RolloutRecord, StepRecord } from '../api/record.ts';
import { printRelease } from '../api/release.ts';
import { type Instant, printDuration } from '../api/time.ts';
import { printExpected } from '../rollout/expected.ts';
import { groupsCell, isExtra, stateCell } from './status-page.ts';

/** One line a rollout, columns aligned. */
export function statusTable(records: readonly RolloutRecord[], now: Instant): string {
  if (records.length === 0) return 'no rollouts on record\n';
  const rows = records.map((record) => [
    `${record.namespace}/${record.name}`,
    stateCell(record).replaceAll('*', ''),
    record.marks === undefined ? '' : printRelease(record.marks.release),
    readyCell(record.groups),
    sinceCell(record, now),
    record.message,
  ]);
  return table([['ROLLOUT', 'STATE', 'RELEASE', 'READY', 'FOR', 'MESSAGE'], ...rows]);
}

function readyCell(groups: readonly GroupRecord[]): string {
  return `${groups.filter((group) => group.ready).length}/${groups.length}`;
}

function sinceCell(record: RolloutRecord, now: Instant): string {
  const since = record.conditions.find((condition) => condition.type === 'Progressing')?.since;
  return since === undefined ? '' : printDuration(now - since);
}

/** Everything that a record says of one rollout, as `kubectl argo rollouts get` lays it out. */
export function statusTree(record: RolloutRecord, now: Instant): string {
  const { marks, step } = record;
  const lines: (readonly [string, string])[] = [
    ['Name', record.name],
    ['Namespace', record.namespace],
    ['Cluster', record.cluster],
    ['Phase', record.phase],
    ['State', stateCell(record).replaceAll('*', '')],
    ['Release', marks === undefined ? 'none' : printRelease(marks.release)],
    ['Stable', marks?.stable ?? 'none'],
    ...(step === undefined ? [] : [['Step', stepText(step, now)] as const]),
    ...(record.expected === undefined ? [] : [['Takes', printExpected(record.expected)] as const]),
    ...(marks === undefined || marks.aborted.length === 0
      ? []
      : [['Aborted', marks.aborted.map(printRelease).join(', ')] as const]),
    ['Read from', `main at ${record.main.slice(0, 12)}`],
  ];
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  const head = lines.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`);
  const holds = record.holds.map((hold) => `  ${hold.reason}: ${hold.message}`);
  const next = holds.length === 0 ? [] : ['', 'Waits for:', ...holds];
  return [
    ...head,
    ...next,
    ...wrongFiles(record),
    '',
    `Groups: ${groupsCell(record)}`,
    ...record.groups.map((group, index) => {
      const line = groupLine(group, index === record.groups.length - 1, now);
      return isExtra(record, group) ? `${line}, extra: goes when all are through` : line;
    }),
    '',
  ].join('\n');
}

function stepText(step: StepRecord, now: Instant): string {
  const where = `${step.index} of ${step.planned.length}`;
  if (step.index === 0) return `${where}: extra groups start above ${step.replicas}, partition ${step.partition}`;
  const done = step.doneSince === undefined ? '' : `, done for ${printDuration(now - step.doneSince)}`;
  return `${where}: ${step.planned[step.index - 1] ?? '?'} of ${step.replicas} groups, partition ${step.partition}${done}`;
}

/** The first fault of the files, where no hold quotes it: a rollout whose workload cannot be read has no holds. */
function wrongFiles({ conditions, holds }: RolloutRecord): readonly string[] {
  const stalled = conditions.find((condition) => condition.type === 'Stalled' && condition.status === 'True');
  if (stalled === undefined || holds.some((hold) => hold.reason === 'Stalled')) return [];
  return ['', 'Wrong files:', `  ${stalled.reason}: ${stalled.message}. All, with file and line: tranche lint`];
}

const VERSIONS: Readonly<Record<GroupRecord['version'], string>> = {
  release: 'on the release',
  stable: 'on the stable version',
  other: 'on another version',
  absent: 'not there',
};

function groupLine(group: GroupRecord, last: boolean, now: Instant): string {
  return `${last ? '└──' : '├──'} group ${group.index}  ${group.ready ? '✔ ready    ' : '◌ not ready'}  ${VERSIONS[group.version]}, for ${printDuration(now - group.since)}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
