/** Records as text for a terminal: a table of all, a tree of one. */

import type { HoldRecord, RolloutRecord, StepRecord } from '../../api/record.ts';
import type { GroupRecord } from '../../api/record-groups.ts';
import { shortRelease } from '../../api/release.ts';
import { type Instant, printDuration } from '../../api/time.ts';
import { holdKind } from '../../rollout/hold.ts';
import { printExpected } from '../../rollout/progress/expected.ts';
import { changeText } from '../../rollout/texts/change-text.ts';
import type { AsOf, Picture, Shown } from '../read-picture.ts';
import { asOfText, freshLine, NO_PASS_YET, noticeLines, sinceLine } from './age-text.ts';
import { approvalText, pullText } from './approval-text.ts';
import { type BrakeShown, brakeLine, brakesOf } from './brakes.ts';
import { ladderLines } from './ladder-text.ts';
import { measuredLines } from './metrics-text.ts';
import { servingSide } from './serving-side.ts';
import { groupsCell, isExtra, stateCell } from './status-page.ts';

/** One line a rollout, columns aligned, and below them how old all of it is. */
export function statusTable({ asOf, shown, fresh, brakes }: Picture, now: Instant): string {
  if (asOf === undefined) return NO_PASS_YET;
  const changes = shown.map(({ since }) => since);
  const unread = shown.flatMap(({ record }) => (isUnread(record) ? [`${record.namespace}/${record.name}`] : []));
  const notices = noticeLines(asOf, { since: changes, fresh }, now);
  const age = [`As of ${asOfText(asOf, now, unread)}`, ...notices, ...fresh.map(freshLine)].map((line) => `${line}\n`);
  const news = shown.flatMap(({ record, since }) => {
    const line = sinceLine(since);
    return line === undefined ? [] : [`${record.namespace}/${record.name}: ${line}\n`];
  });
  const banner = bannerOf(brakes);
  if (shown.length === 0) return `${banner}no rollouts on record\n${age.join('')}`;
  const rows = shown.map(({ record }) => [
    `${record.namespace}/${record.name}`,
    stateCell(record).replaceAll('*', ''),
    record.marks === undefined ? '' : shortRelease(record.marks.release),
    changeText(record.change),
    readyCell(record),
    sinceCell(record, now),
    `${record.message}${messageLeft(record, now)}`,
  ]);
  const text = table([['ROLLOUT', 'STATE', 'RELEASE', 'IMAGE', 'READY', 'FOR', 'MESSAGE'], ...rows]);
  return [banner, text, '\n', ...age, ...news].join('');
}

/** Before all else: who looks at three in the morning asks first why nothing moves. */
function bannerOf(brakes: readonly BrakeShown[]): string {
  return brakes.length === 0 ? '' : `${brakes.map((brake) => `${brakeLine(brake)}\n`).join('')}\n`;
}

function isUnread({ unseen }: RolloutRecord): boolean {
  return unseen?.why === 'unread';
}

function readyCell(record: RolloutRecord): string {
  const { unseen } = record;
  const { groups } = servingSide(record);
  if (unseen !== undefined) return unseen.why === 'absent' ? 'none' : `?/${groups.length}`;
  return `${groups.filter((group) => group.ready).length}/${groups.length}`;
}

function sinceCell(record: RolloutRecord, now: Instant): string {
  const since = record.conditions.find((condition) => condition.type === 'Progressing')?.since;
  return since === undefined ? '' : printDuration(now - since);
}

/** Everything that a record says of one rollout, as `kubectl argo rollouts get` lays it out. */
export function statusTree(
  { record, since, next }: Shown,
  at: { readonly asOf: AsOf; readonly now: Instant; readonly brakes?: readonly BrakeShown[] },
): string {
  const { marks, step } = record;
  const { asOf, now } = at;
  const news = sinceLine(since);
  const lines: (readonly [string, string])[] = [
    ['Name', record.name],
    ['Namespace', record.namespace],
    ['Cluster', record.cluster],
    ['Phase', record.phase],
    ['State', stateCell(record).replaceAll('*', '')],
    ['Release', marks === undefined ? 'none' : shortRelease(marks.release)],
    ...(record.change === undefined ? [] : [['Image', changeText(record.change)] as const]),
    ['Stable', marks?.stable?.commit ?? 'none'],
    ...(step === undefined ? [] : [['Step', stepText(record, step, now)] as const]),
    ...(record.approved === undefined ? [] : [['Approved', approvalText(record.approved)] as const]),
    ...(record.proposal === undefined ? [] : [['Pull request', pullText(record.proposal)] as const]),
    ...ladderLines(record),
    ...(record.expected === undefined ? [] : [['Takes', printExpected(record.expected)] as const]),
    ...(marks === undefined || marks.aborted.length === 0
      ? []
      : [['Aborted', marks.aborted.map(shortRelease).join(', ')] as const]),
    ['As of', asOfText(asOf, now, isUnread(record) ? ['it'] : [])],
    ...noticeLines(asOf, { since: [since] }, now).map((line) => ['', line] as const),
    ...(news === undefined ? [] : [['', news] as const]),
  ];
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  const head = lines.map(([label, value]) => `${(label === '' ? '' : `${label}:`).padEnd(width)}${value}`);
  const holds = record.holds.flatMap((hold) => [
    `  ${hold.reason}: ${hold.message}${leftText(hold, now)}`,
    ...(hold.lines ?? []).map((line) => `    ${line}`),
  ]);
  const waits = holds.length === 0 ? [] : ['', 'Waits for:', ...holds];
  return [
    `${bannerOf(brakesOf(at.brakes ?? [], record))}${head[0] ?? ''}`,
    ...head.slice(1),
    ...waits,
    ...measuredPart(record),
    ...(next === undefined ? [] : ['', 'Next commit:', `  ${next}`]),
    ...wrongFiles(record),
    '',
    ...groupLines(record, now),
    '',
  ].join('\n');
}

function stepText({ covers, unseen }: RolloutRecord, step: StepRecord, now: Instant): string {
  const where = `${step.index} of ${step.planned.length}`;
  if (step.index === 0) return `${where}: extra groups start above ${step.replicas}, partition ${step.partition}`;
  const done =
    step.doneSince === undefined || unseen !== undefined ? '' : `, done for ${printDuration(now - step.doneSince)}`;
  const written = `${step.planned[step.index - 1] ?? '?'} of ${step.replicas}`;
  const current = covers === undefined ? written : `${covers.groups} of ${covers.of}`;
  const before = current === written ? '' : ` (${written} when it was written)`;
  return `${where}: ${current} groups${before}, partition ${step.partition}${done}`;
}

/** The same behind the message of the table, which quotes a hold: a time of day alone makes people reckon. */
function messageLeft({ holds, message }: RolloutRecord, now: Instant): string {
  const quoted = holds.find((one) => one.message === message);
  return quoted === undefined ? '' : leftText(quoted, now);
}

/** What is left of a hold that ends by itself. */
export function leftText({ until }: HoldRecord, now: Instant): string {
  if (until === undefined) return '';
  return until > now ? `, another ${printDuration(until - now)}` : ': over, the next pass goes on';
}

/** What metrics said of the step that is named; in a rollback, of the one that it started from. */
function measuredPart({ measured }: RolloutRecord): readonly string[] {
  return measured === undefined
    ? []
    : ['', `Metrics of step ${measured.of}:`, ...measuredLines(measured).map((line) => `  ${line}`)];
}

/** The groups one by one; what the last pass did not see is not drawn as if it had. */
function groupLines(record: RolloutRecord, now: Instant): readonly string[] {
  const { unseen } = record;
  const { name, groups } = servingSide(record);
  const back = record.marks?.step?.kind === 'rollback';
  const label = name === undefined ? 'Groups' : `Groups of ${name}`;
  if (unseen?.why === 'absent')
    return [`Groups: none, the workload is not in the cluster (seen so for ${printDuration(now - unseen.since)})`];
  const head =
    unseen === undefined
      ? `${label}: ${groupsCell(record)}`
      : `${label}: ${groupsCell(record)}  not readable for ${printDuration(now - unseen.since)}; as they were before:`;
  return [
    head,
    ...groups.map((group, index) => {
      const line = groupLine(group, { last: index === groups.length - 1, seen: unseen === undefined, back, now });
      return isExtra(record, group) ? `${line}, extra: goes when all are through` : line;
    }),
  ];
}

/** The first fault of the files, where no hold quotes it: a rollout whose workload cannot be read has no holds. */
function wrongFiles({ conditions, holds }: RolloutRecord): readonly string[] {
  const stalled = conditions.find((condition) => condition.type === 'Stalled' && condition.status === 'True');
  if (stalled === undefined || holds.some((hold) => holdKind(hold.reason)?.failure === 'issue')) return [];
  return ['', 'Wrong files:', `  ${stalled.reason}: ${stalled.message}. All, with file and line: tranche lint`];
}

const VERSIONS: Readonly<Record<GroupRecord['version'], string>> = {
  release: 'on the release',
  stable: 'on the stable version',
  other: 'on another version',
  absent: 'not there',
};

/** On a rollback the release in Git is the stable one, and no word for the one that is aborted. */
const VERSIONS_BACK = { ...VERSIONS, release: VERSIONS.stable };

/** A group whose leader is on one version, and its workers on another or not there, counts as on neither. */
const OTHER_OR_MIXED = 'on another version, or its pods not on one';

type GroupPlace = { readonly last: boolean; readonly seen: boolean; readonly back: boolean; readonly now: Instant };

function groupLine(group: GroupRecord, { last, seen, back, now }: GroupPlace): string {
  const isMixed = group.version === 'other' && !group.ready;
  const version = isMixed ? OTHER_OR_MIXED : (back ? VERSIONS_BACK : VERSIONS)[group.version];
  const [ready, unready] = seen ? ['✔ ready    ', '◌ not ready'] : ['? was ready    ', '? was not ready'];
  return `${last ? '└──' : '├──'} group ${group.index}  ${group.ready ? ready : unready}  ${version}${seen ? `, for ${printDuration(now - group.since)}` : ''}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, (row[column] ?? '').length), 0),
  );
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
