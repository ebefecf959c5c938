/** The pages of the status branch for people: a table of all rollouts, and a badge for each. */

import { printStep } from '../../api/marks.ts';
import type { RolloutRecord } from '../../api/record.ts';
import type { GroupRecord } from '../../api/record-groups.ts';
import { shortRelease } from '../../api/release.ts';
import { holdKind } from '../../rollout/hold.ts';
import { printTotal } from '../../rollout/progress/expected.ts';
import { changeShort, changeText } from '../../rollout/texts/change-text.ts';
import { type BrakeShown, brakeLine } from './brakes.ts';
import { secondText } from './ladder-text.ts';
import { code, urlPath } from './markdown-code.ts';
import { PAGE_HEAD } from './others-branch.ts';
import { anchorOf, rolloutSection } from './rollout-section.ts';
import { servingSide } from './serving-side.ts';

/** Markdown for the front page of the branch. Text of the cluster stands in code spans, where nothing in it acts. */
export function statusPage(
  records: readonly RolloutRecord[],
  {
    brakes = [],
    files = new Map(),
  }: {
    readonly brakes?: readonly BrakeShown[];
    /** What is next to it on the branch. */
    readonly files?: { readonly has: (path: string) => boolean };
  } = {},
): string {
  return [
    `${PAGE_HEAD}: what it saw and what it waits for. What it has decided is in the manifests and in the log of the branch that the agent applies.`,
    '',
    GUARD,
    '',
    ...brakes.flatMap((brake) => [`**Held:** ${code(brakeLine(brake), BRAKE_SHOWN)}`, '']),
    rolloutTable(records, linkedName),
    SIGNS,
    '',
    ...records.slice(0, SECTIONS_MOST).flatMap((record) => [rolloutSection(record, recordLink(record), files), '']),
  ].join('\n');
}

/** For anyone who wonders who may write here. */
const GUARD =
  'Only tranche should be able to push to this branch. If no key signs it, anyone else who can push here could delay deliveries and hide what was seen. Which groups may be updated is decided from the branch that the agent applies, and from the cluster.';

/** What `groupsCell` draws, for anyone who sees it first at three in the morning. */
const SIGNS =
  'Groups: ● ready (during a delivery: on the version in Git); ○ ready on another version; ~ not ready; ? not read; + an extra group, while others restart.';

/** The table alone, for pages elsewhere. */
export function rolloutTable(
  records: readonly RolloutRecord[],
  nameOf: (record: RolloutRecord, place: number) => string = plainName,
): string {
  const rows = records.map(
    (record, place) =>
      `| ${[nameOf(record, place), stateCell(record), releaseCell(record), code(changeText(record.change)), `${groupsCell(record)}${besideCell(record)}`, printTotal(record.expected), code(record.message)].join(' | ')} |`,
  );
  return [
    '| rollout | state | release | image | groups | still takes | message |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function plainName(record: RolloutRecord): string {
  return code(`${record.namespace}/${record.name}`);
}

/** To its section of this page; where there are too many of them, to its record. */
function linkedName(record: RolloutRecord, place: number): string {
  return `[${plainName(record)}](${place < SECTIONS_MOST ? `#${anchorOf(record)}` : recordLink(record)})`;
}

/** As the files lie on the status branch. */
function recordLink(record: RolloutRecord): string {
  return ['rollouts', record.cluster, record.namespace, `${record.name}.json`].map(urlPath).join('/');
}

/** `step 2/3, StepPaused`, `settled`, `rollback`: the one word that people look for. */
export function stateCell(record: RolloutRecord): string {
  const named = record.holds.map(({ reason }) => holdKind(reason)?.state).find((state) => state !== undefined);
  if (named !== undefined) return `${stepCell(record)}, **${named}**`;
  if (!isStalled(record)) return stepCell(record);
  // A rollback goes on whatever is wrong in the files.
  return isGoingBack(record) ? `${stepCell(record)}, wrong files` : '**stalled**';
}

function isGoingBack({ marks, holds }: RolloutRecord): boolean {
  return marks?.step?.kind === 'rollback' && !holds.some(({ reason }) => holdKind(reason)?.failure === 'stalled');
}

/** Nothing helps but an edit of the files. */
export function isStalled({ conditions }: RolloutRecord): boolean {
  return conditions.some(({ type, status }) => type === 'Stalled' && status === 'True');
}

function stepCell(record: RolloutRecord): string {
  if (record.marks === undefined) return 'not adopted';
  const { step } = record.marks;
  if (step === undefined) return record.phase === 'Progressing' ? 'requested' : 'settled';
  return step.kind === 'rollback' ? '**rollback**' : `step ${printStep(step)}, ${record.currentStepState}`;
}

function releaseCell(record: RolloutRecord): string {
  return record.marks === undefined ? '' : code(shortRelease(record.marks.release));
}

/** One sign a group, as the live frame draws them: on the version in Git ●, on another ○, not ready ~, not read ?; `+` before an extra one. */
export function groupsCell(record: RolloutRecord): string {
  if (record.unseen?.why === 'absent') return 'none in the cluster';
  const { groups } = servingSide(record);
  if (record.unseen !== undefined) return groups.map(() => '?').join(' ');
  const inDelivery = record.marks?.step !== undefined;
  const cells = groups.map((group) => {
    const sign = group.ready ? (group.version === 'release' || !inDelivery ? '●' : '○') : '~';
    return isExtra(record, group) ? `+${sign}` : sign;
  });
  return cells.join(' ');
}

/** ` · vllm-canary 1/2, 5%`, as code. */
function besideCell(record: RolloutRecord): string {
  const beside = secondText(record);
  return beside === undefined ? '' : ` · ${code(beside)}`;
}

/** Whether a group is there only while others restart: what the record was made from had the larger `replicas`. */
export function isExtra({ marks, groups }: RolloutRecord, { index }: GroupRecord): boolean {
  const surge = marks?.restore?.replicas;
  // Somebody who has changed the number since wants all of them.
  return surge !== undefined && index >= surge.was && groups.length <= surge.set;
}

/** A banner is one line of its own, with a why of people. */
const BRAKE_SHOWN = 1000;
/** A page stays short enough to be shown whole. */
const SECTIONS_MOST = 200;

const COLOURS = { good: '#2da44e', busy: '#0969da', bad: '#cf222e' } as const;

/** A small SVG that a README can show. */
export function badge(record: RolloutRecord): string {
  const state = stateCell(record).replaceAll('*', '');
  const image = changeShort(record.change);
  const said = image === '' ? state : `${state} ${image}`;
  const bad = isStalled(record) || record.marks?.step?.kind === 'rollback';
  const colour = bad ? COLOURS.bad : state === 'settled' ? COLOURS.good : COLOURS.busy;
  const [left, right] = [7 * record.name.length + 12, 7 * said.length + 12];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${xml(record.name)}: ${xml(said)}">`,
    `<rect width="${left}" height="20" fill="#555"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/>`,
    '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">',
    `<text x="${left / 2}" y="14">${xml(record.name)}</text><text x="${left + right / 2}" y="14">${xml(said)}</text>`,
    '</g></svg>',
    '',
  ].join('\n');
}

function xml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** The line of a status commit that says which rollouts it is about. */
export function statusSubject(records: readonly RolloutRecord[]): string {
  const names = records.map(
    (record) =>
      `${record.namespace}/${record.name}${record.marks === undefined ? '' : ` ${shortRelease(record.marks.release)}`}`,
  );
  return names.length === 0
    ? 'status'
    : `status: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
}
