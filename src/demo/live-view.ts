/** The demo on a terminal: one picture, drawn over itself at every tick. */

import { LABEL_COLUMNS, LEGEND, labelled, padded, TEXT_COLUMNS, wrapText } from '../reconcile/status/frame-lines.ts';
import type { Fleet } from './fleet.ts';
import { groupMark, groupTag, type Happening, printTime, type Scene, shareText, type Traffic } from './scene.ts';

const GROUP_COLUMNS = 12;
/** The picture and the cursor fit on 24 lines; on fewer, its blank lines go first. */
const HAPPENINGS_SHOWN = 8;
const HOLD_LINES_SHOWN = 3;

/** Lines of one picture, without colours; the same number of them for every scene of a story. */
export function livePicture(scene: Scene): readonly string[] {
  const { fleet, traffic } = scene;
  const most = Math.max(fleet.groups.length, traffic?.second?.fleet?.groups.length ?? 0);
  const head = Array.from({ length: most }, (_, index) => `group ${index}`.padEnd(GROUP_COLUMNS)).join('');
  const second = traffic === undefined ? [] : trafficLines(traffic, scene);
  const lines = HAPPENINGS_SHOWN - second.length;
  const shown = scene.happened.filter(({ kind }) => kind !== 'agent').slice(-lines);
  return [
    labelled('time', printTime(scene.at)),
    labelled('state', scene.state),
    labelled('partition', partitionText(fleet.partition)),
    '',
    labelled('', head.trimEnd()),
    labelled('', groupCells(fleet)),
    ...second,
    '',
    ...waitLines(scene),
    '',
    ...padded(shown.map(happeningLine), lines),
    '',
    `  ${LEGEND}`,
  ];
}

/** The groups of the second workload, where the route sends, and what its clients lost. */
function trafficLines(traffic: Traffic, { requests }: Scene): readonly string[] {
  const { second } = traffic;
  return [
    ...(second === undefined
      ? []
      : [labelled(second.side, second.fleet === undefined ? '' : groupCells(second.fleet))]),
    labelled('route', shareText(traffic)),
    labelled('requests', `${requests.sent} sent, failed requests: ${requests.failed}`),
  ];
}

function groupCells(fleet: Fleet): string {
  const cells = fleet.groups.map(
    (group) => `${groupMark(group, fleet.image)} ${groupTag(group).padEnd(GROUP_COLUMNS - 2)}`,
  );
  return cells.join('').trimEnd();
}

function waitLines(scene: Scene): readonly string[] {
  const texts = scene.holds.flatMap((hold) => wrapText(`${hold.reason}: ${hold.message}`, TEXT_COLUMNS));
  const lines = texts.length === 0 ? [nextOf(scene)] : texts;
  return padded(
    lines.slice(0, HOLD_LINES_SHOWN).map((text, index) => labelled(index === 0 ? 'waits for' : '', text)),
    HOLD_LINES_SHOWN,
  );
}

/** Who is next where the last pass held nothing. */
function nextOf({ unapplied, state }: Scene): string {
  if (unapplied !== '') return `the agent, to apply ${unapplied.slice(0, 7)}`;
  return state === 'settled' ? 'nobody: every group is there, and main is locked' : 'the next pass';
}

function happeningLine(happening: Happening): string {
  const time = `  ${printTime(happening.at).padEnd(LABEL_COLUMNS - 2)}`;
  if (happening.kind === 'person') return `${time}» ${happening.says}`;
  if (happening.kind === 'agent') return `${time}${happening.oid.slice(0, 7)} applied`;
  return `${time}${happening.oid.slice(0, 7)}  ${happening.subject}`;
}

function partitionText(partition: unknown): string {
  return partition === 1_000_000 ? '1000000: locked, an edit restarts nothing' : String(partition);
}
