/** A history as text, CSV and Markdown. */

import { callingNobody } from '../../api/calling-nobody.ts';
import { printableLine } from '../../api/printable.ts';
import { inShort } from '../../api/release.ts';
import { printDuration, printInstant } from '../../api/time.ts';
import type { OrderShown, StepTold } from './deliveries.ts';
import { DETAILED_MOST, type DeliveryTold, type History } from './history.ts';
import type { HoldTold } from './holds.ts';

const OID_SHOWN = 12;

/** For people: newest first. */
export function historyText(history: History): string {
  const { deliveries, orders, holds, read, main } = history;
  const others = orders.filter((order) => !deliveries.some((one) => one.orders.some((own) => isSame(own, order))));
  const parts = [
    ...deliveries.map(deliveryLines),
    ...(others.length === 0 ? [] : [['orders next to them', ...others.map((order) => `  ${orderText(order)}`)]]),
    ...(holds.length === 0
      ? []
      : [['holds, as the status branch says', ...holds.map((hold) => `  ${holdText(hold)}`)]]),
    [endText(history), `Read: ${read.commits} commits of main at ${main.slice(0, OID_SHOWN)}`],
  ];
  return `${parts.map((lines) => lines.map(printableLineKept).join('\n')).join('\n\n')}\n`;
}

/** Indented lines keep their indent. */
function printableLineKept(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  return `${indent}${printableLine(line)}`;
}

function isSame(a: OrderShown, b: OrderShown): boolean {
  return a.commit === b.commit && a.rollout === b.rollout;
}

function deliveryLines(delivery: DeliveryTold): readonly string[] {
  const { rollout, release, outcome, begunAt, endedAt, images, requested, isBorneOut, why, steps, orders } = delivery;
  const took = endedAt === undefined ? '' : `, took ${printDuration(endedAt - begunAt)}`;
  const image = images.length === 0 ? '' : `  ${images.join(', ')}`;
  return [
    `${rollout}  ${inShort(release)}  ${outcome}  ${printInstant(begunAt)}${took}${image}`,
    ...(isBorneOut === false
      ? ['  the file of its first step has another release: its commits say what they have not done']
      : []),
    ...(requested === undefined
      ? []
      : [`  requested  ${printInstant(requested.at)}  by ${requested.by}, ${requested.commit.slice(0, OID_SHOWN)}`]),
    ...(why === '' ? [] : [`  went back  ${why}`]),
    ...steps.map((step) => `  ${stepText(step)}`),
    ...orders.map((order) => `  ${orderText(order)}`),
  ];
}

function stepText({ step, reason, at, seconds, commit, approvedBy, policies, exceptions }: StepTold): string {
  const lasted = seconds === undefined ? '' : `, then ${printDuration(seconds)}`;
  const approved = approvedBy === '' ? '' : `, approved by ${shortCommit(approvedBy)}`;
  const under = policies.length === 0 ? '' : `, under ${policies.join(', ')}`;
  const excepted = exceptions.length === 0 ? '' : `, by the exception ${exceptions.join('; ')}`;
  return `${step}  ${printInstant(at)}  ${reason}  ${commit.slice(0, OID_SHOWN)}${lasted}${approved}${under}${excepted}`;
}

function shortCommit(text: string): string {
  return /^[0-9a-f]{40}$/.test(text) ? text.slice(0, OID_SHOWN) : text;
}

function orderText({ rollout, what, at, by, commit }: OrderShown): string {
  const whose = rollout === '' ? 'all Rollouts: ' : '';
  return `order  ${printInstant(at)}  ${whose}${what}  by ${by === '' ? 'nobody named' : by}, ${commit.slice(0, OID_SHOWN)}`;
}

function holdText({ rollout, reason, message, from, until, mark }: HoldTold): string {
  const lasted = until === undefined ? 'holds still' : printDuration(until - from);
  return `${rollout}  ${reason}  ${printInstant(from)}  ${lasted}  ${mark}: ${message}`;
}

function endText({ deliveries, read }: History): string {
  const undetailed =
    deliveries.length > DETAILED_MOST
      ? ` Images and requests are those of the newest ${DETAILED_MOST} of ${deliveries.length} releases.`
      : '';
  const ends = {
    first: 'This is all that main says, from its first commit on.',
    since: 'No further back than --since.',
    cut: 'What was before is not in this clone, or beyond what is read.',
  };
  const empty = deliveries.length === 0 ? 'No release was delivered. ' : '';
  return `${empty}${ends[read.end]}${undetailed}`;
}

const COLUMNS = [
  'rollout',
  'release',
  'outcome',
  'begun',
  'ended',
  'seconds',
  'images',
  'requested by',
  'request',
  'steps',
  'approved by',
  'ordered by',
  'policies',
  'exceptions',
  'why it went back',
] as const;

function cellsOf(delivery: DeliveryTold): readonly string[] {
  const { rollout, release, outcome, begunAt, endedAt, images, requested, steps, orders, why } = delivery;
  const each = (texts: readonly string[]): string => [...new Set(texts.filter((text) => text !== ''))].join('; ');
  return [
    rollout,
    release,
    outcome,
    printInstant(begunAt),
    endedAt === undefined ? '' : printInstant(endedAt),
    endedAt === undefined ? '' : String(Math.max(0, endedAt - begunAt)),
    images.join('; '),
    requested?.by ?? '',
    requested?.commit ?? '',
    String(steps.length),
    each(steps.map(({ approvedBy }) => approvedBy)),
    each(orders.map(({ what, by }) => `${what} by ${by}`)),
    each(steps.flatMap(({ policies }) => policies)),
    each(steps.flatMap(({ exceptions }) => exceptions)),
    why,
  ];
}

/** Full-width signs are taken for the narrow ones, and where a spreadsheet separates by semicolons each starts a cell. */
const FORMULA = /((?:^|;)[ "]*)([=+\-@＝＋－＠])/g;

/** One line a release, newest first; a cell that a spreadsheet would take for a formula starts with an apostrophe. */
export function historyCsv({ deliveries }: History): string {
  const cell = (text: string): string => {
    const plain = printableLine(text).replace(FORMULA, "$1'$2");
    return `"${plain.replaceAll('"', '""')}"`;
  };
  return [COLUMNS, ...deliveries.map(cellsOf)].map((cells) => `${cells.map(cell).join(',')}\n`).join('');
}

/** The same as a table; texts of others neither end a cell nor become markup. */
export function historyMarkdown({ deliveries }: History): string {
  const cell = (text: string): string =>
    callingNobody(printableLine(text)).replace(/[\\`*_{}[\]()<>#|!~&@]/g, (char) => `&#${char.charCodeAt(0)};`);
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = [row(COLUMNS), row(COLUMNS.map(() => '---')), ...deliveries.map((one) => row(cellsOf(one).map(cell)))];
  return `${lines.join('\n')}\n`;
}
