/** The demo as plain lines, one a change: for logs, pipes and CI. */

import { LEGEND, wrapText } from '../reconcile/status/frame-lines.ts';
import { holdKind } from '../rollout/hold.ts';
import type { Fleet } from './fleet.ts';
import {
  groupMark,
  groupTag,
  type Happening,
  printTime,
  type Scene,
  shareText,
  type Traffic,
  type Wait,
} from './scene.ts';

const LABEL_COLUMNS = 8;
const TEXT_COLUMNS = 96;

/** What the columns mean. */
export function transcriptHead(groups: number): readonly string[] {
  const columns = Array.from({ length: groups }, (_, index) => `group ${index}`.padEnd(12)).join('');
  return [LEGEND, '', `${'time'.padEnd(LABEL_COLUMNS)}${'what'.padEnd(LABEL_COLUMNS)}${columns}partition`];
}

/** What is in `after` and was not in `before`; undefined: everything. */
export function newLines(before: Scene | undefined, after: Scene): readonly string[] {
  const seen = before?.happened.length ?? 0;
  const lines = after.happened.slice(seen).map(happeningLine);
  const groups = groupsText(after.fleet);
  if (before === undefined || groupsText(before.fleet) !== groups) lines.push(line(after.at, 'groups', groups));
  lines.push(...trafficLines(before, after));
  for (const hold of after.holds) {
    const known = before?.holds.some((other) => sameWait(other, hold)) ?? false;
    if (!known) lines.push(...waitLines(after.at, hold));
  }
  const isOver = after.state === 'settled' && after.holds.length === 0 && (before?.holds.length ?? 0) > 0;
  if (isOver) lines.push(line(after.at, 'rest', 'settled, and nothing is waited for'));
  return lines;
}

function happeningLine(happening: Happening): string {
  const { kind, at } = happening;
  if (kind === 'person') return line(at, 'person', happening.says);
  if (kind === 'agent') return line(at, 'agent', `applied ${happening.oid.slice(0, 7)} to the cluster`);
  return line(at, 'commit', `${happening.oid.slice(0, 7)}  ${happening.author}: ${happening.subject}`);
}

/** The groups of the second workload, and where the route sends, where one of them changed or requests start to fail. */
function trafficLines(before: Scene | undefined, after: Scene): readonly string[] {
  const { traffic, requests } = after;
  if (traffic === undefined) return [];
  const second = secondText(traffic);
  const known = before?.traffic === undefined ? '' : secondText(before.traffic);
  const shares = shareText(traffic);
  const failing = requests.failed > (before?.requests.failed ?? 0);
  const isNews = before?.traffic === undefined || shareText(before.traffic) !== shares || failing;
  return [
    ...(second === known ? [] : [line(after.at, traffic.second?.side ?? '', second)]),
    ...(isNews ? [line(after.at, 'route', `${shares}   failed requests: ${requests.failed}`)] : []),
  ];
}

/** Empty where there is no such workload, or not yet. */
function secondText({ second }: Traffic): string {
  const fleet = second?.fleet;
  return fleet === undefined ? '' : groupsText(fleet);
}

function groupsText(fleet: Fleet): string {
  const cells = fleet.groups.map((group) => `${groupMark(group, fleet.image)} ${groupTag(group).padEnd(10)}`);
  if (cells.length === 0) return 'no groups';
  return `${cells.join('')}${String(fleet.partition)}`;
}

function waitLines(at: number, hold: Wait): readonly string[] {
  const [first = '', ...rest] = wrapText(`${hold.reason}: ${hold.message}`, TEXT_COLUMNS);
  return [line(at, 'waits', first), ...rest.map((text) => `${' '.repeat(2 * LABEL_COLUMNS)}${text}`)];
}

/** A countdown is the same wait. */
function sameWait(a: Wait, b: Wait): boolean {
  return a.reason === b.reason && (holdKind(a.reason)?.until !== undefined || a.message === b.message);
}

function line(at: number, what: string, text: string): string {
  return `${printTime(at).padEnd(LABEL_COLUMNS)}${what.padEnd(LABEL_COLUMNS)}${text}`;
}
