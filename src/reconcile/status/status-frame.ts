/** One Rollout as a picture that is drawn over itself, and as one line: what `status --watch` shows. */

import type { RolloutRecord } from '../../api/record.ts';
import type { GroupRecord } from '../../api/record-groups.ts';
import { type Instant, printDuration, printInstant } from '../../api/time.ts';
import { printTotal } from '../../rollout/progress/expected.ts';
import { changeText } from '../../rollout/texts/change-text.ts';
import type { AsOf, Shown } from '../read-picture.ts';
import { sinceLine } from './age-text.ts';
import { type BrakeShown, brakeLine } from './brakes.ts';
import { LEGEND, labelled, TEXT_COLUMNS, wrapText } from './frame-lines.ts';
import { secondText } from './ladder-text.ts';
import { servingSide } from './serving-side.ts';
import { stateCell } from './status-page.ts';
import { leftText } from './status-text.ts';

const BAR_COLUMNS = 20;
const GROUP_COLUMNS = 8;
/** What does not fit on a terminal of 24 lines is left out, the groups before what is waited for. */
const GROUP_ROWS = 4;
const HOLD_LINES = 6;
const BRAKE_LINES = 5;

type At = { readonly asOf: AsOf; readonly now: Instant; readonly brakes: readonly BrakeShown[] };

/** Lines without colours. Times are those of the record, and how long ago they were. */
export function statusFrame(shown: Shown, { asOf, now, brakes }: At): readonly string[] {
  const { record } = shown;
  const second = secondText(record);
  const image = changeText(record.change);
  const waits = record.holds.flatMap((hold) =>
    wrapText(`${hold.reason}: ${hold.message}${leftText(hold, now)}`, TEXT_COLUMNS),
  );
  return [
    ...brakes.flatMap((brake) => several('held', wrapText(brakeLine(brake), TEXT_COLUMNS).slice(0, BRAKE_LINES))),
    labelled('time', timeText(asOf, now, record)),
    labelled('rollout', `${record.namespace}/${record.name} in ${record.cluster}`),
    labelled('state', stateOf(record)),
    ...several('image', image === '' ? [] : wrapText(image, TEXT_COLUMNS)),
    labelled('progress', progressText(record)),
    ...(second === undefined ? [] : [labelled('next to it', second)]),
    ...(record.expected === undefined ? [] : [labelled('takes', printTotal(record.expected))]),
    '',
    ...several('groups', groupRows(record)),
    '',
    ...several('waits for', waits.length === 0 ? ['nothing'] : waits.slice(0, HOLD_LINES)),
    ...several('next', wrapText(nextText(shown), TEXT_COLUMNS)),
    '',
    `  ${LEGEND}`,
  ];
}

/** The same on one line, where nothing can be redrawn: state, progress and what is waited for. */
export function statusLine({ record, since }: Shown): string {
  const waits = record.holds.map(({ reason }) => reason).join(', ');
  const news = sinceLine(since);
  return [
    `${record.namespace}/${record.name}`,
    stateOf(record),
    changeText(record.change),
    progressText(record),
    ...(waits === '' ? [] : [`waits for ${waits}`]),
    ...(news === undefined ? [] : [news]),
  ]
    .filter((part) => part !== '')
    .join('  ');
}

function timeText({ kind, at }: AsOf, now: Instant, { unseen }: RolloutRecord): string {
  const live = unseen?.why === 'unread' ? 'the cluster could not be read' : 'read from the cluster';
  const age = kind === 'live' ? live : `as the last pass saw it, ${printDuration(now - at)} ago`;
  return `${printInstant(now)}, ${age}`;
}

function stateOf(record: RolloutRecord): string {
  return stateCell(record).replaceAll('*', '');
}

function several(label: string, texts: readonly string[]): readonly string[] {
  return texts.map((text, at) => labelled(at === 0 ? label : '', text));
}

/** `[##########----------] 2 of 4 groups ready on the release`. What was not seen is not drawn. */
function progressText(record: RolloutRecord): string {
  const { groups } = servingSide(record);
  if (record.unseen !== undefined) return record.unseen.why === 'absent' ? 'no group in the cluster' : 'not readable';
  const second = record.traffic?.shown?.sides.find(({ side }) => side === 'canary');
  // While a second workload is filled, its groups alone are on the release.
  const isSecond = record.marks?.step?.kind === 'step' && second !== undefined;
  const there = isSecond ? second.ready : groups.filter((group) => group.ready && isAsked(record, group)).length;
  const all = isSecond ? second.groups : groups.length;
  if (there === undefined) return 'not readable';
  const filled = all === 0 ? 0 : Math.min(BAR_COLUMNS, Math.floor((there * BAR_COLUMNS) / all));
  const on = { step: ' on the release', promote: ' on the release', rollback: ' on the stable version' };
  const which = record.marks?.step === undefined ? '' : on[record.marks.step.kind];
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_COLUMNS - filled)}] ${there} of ${all} groups ready${which}`;
}

/** On what Git asks for; at rest every version is that. */
function isAsked({ marks }: RolloutRecord, { version }: GroupRecord): boolean {
  return marks?.step === undefined || version === 'release';
}

function groupRows(record: RolloutRecord): readonly string[] {
  const { groups } = servingSide(record);
  const cells = groups.map((group) => {
    const mark = record.unseen !== undefined ? '?' : !group.ready ? '~' : isAsked(record, group) ? '●' : '○';
    return `${group.index} ${mark}`.padEnd(GROUP_COLUMNS);
  });
  const inRow = Math.floor(TEXT_COLUMNS / GROUP_COLUMNS);
  const rows = Array.from({ length: Math.ceil(cells.length / inRow) }, (_, row) =>
    cells
      .slice(row * inRow, (row + 1) * inRow)
      .join('')
      .trimEnd(),
  );
  if (rows.length <= GROUP_ROWS) return rows.length === 0 ? ['none'] : rows;
  return [...rows.slice(0, GROUP_ROWS), `and ${groups.length - GROUP_ROWS * inRow} more`];
}

/** What happens next, once nothing is waited for. */
function nextText({ record, since, next }: Shown): string {
  const news = sinceLine(since);
  if (news !== undefined) return news;
  if (next !== undefined) return next;
  const step = record.marks?.step;
  if (record.marks === undefined) return 'tranche takes the workload over';
  if (step?.kind === 'rollback') return 'it settles on the stable version, once every group is back';
  if (step?.kind === 'promote') return 'the rest of the promotion, then it settles';
  if (step === undefined) return record.phase === 'Progressing' ? 'step 1' : 'nothing: every group is there';
  return step.index < step.of ? `step ${step.index + 1} of ${step.of}` : 'it settles';
}
