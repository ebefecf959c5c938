/** What the check run of an open pull request shows: the numbers that tick, each gate that is shut, and when that was seen. */

import type { HoldRecord, RolloutRecord } from '../../api/record.ts';
import { shortRelease } from '../../api/release.ts';
import { type Instant, printDuration, printInstant } from '../../api/time.ts';
import { code, plain } from './encode.ts';
import { metricsTable } from './metrics-table.ts';

/** GitHub takes 65,535 characters of a summary; what is left out is said. */
const SUMMARY_MOST = 60_000;
const TITLE_MOST = 200;
const GATES_MOST = 50;

/** `lasting`: all of it but what ticks by itself, so that another one is worth a write at once. */
type CheckText = {
  readonly title: string;
  readonly summary: string;
  readonly lasting: string;
  /** Whether it holds seconds that run down, or counts that grow. */
  readonly ticks: boolean;
};

type Of = {
  readonly record: RolloutRecord;
  /** What is shut in addition to what people do with the pull request itself. */
  readonly shut: readonly HoldRecord[];
  readonly now: Instant;
};

/** A function of the record of this pass, and of the hour alone as well. Values of others stand in code. */
export function checkText(of: Of): CheckText {
  const { shut, record } = of;
  const groups = groupsText(record);
  const names = [...new Set(shut.map(({ reason }) => reason))].join(', ');
  const title = plain(`${groups}; ${names === '' ? OPEN : `not now: ${names}`}`, TITLE_MOST);
  const lines = (at: Instant | undefined): string => {
    const measured = at === undefined || record.measured === undefined ? '' : metricsTable(record.measured);
    const text = [table(of, at), measured, gates(shut, at), NO_GATE].filter((part) => part !== '').join('\n');
    return text.length <= SUMMARY_MOST
      ? text
      : `${text.slice(0, text.lastIndexOf('\n', SUMMARY_MOST - 40))}\n\n… and more\n`;
  };
  const ticks = record.measured !== undefined || shut.some(({ until }) => until !== undefined);
  return { title, summary: lines(of.now), lasting: `${title}\n${lines(undefined)}`, ticks };
}

const OPEN = 'every gate but yours is open';
/** Someone may look for what to require in a rule. */
const NO_GATE =
  'This check only shows numbers and never fails: do not require it in a rule. Require the status `tranche/gate`.\n';

/** `at` undefined: without what ticks. */
function table({ record }: Of, at: Instant | undefined): string {
  const { marks, step, loads = [] } = record;
  const restarts = (step?.restarts ?? []).filter(({ count }) => count > 0);
  const rows = [
    ['release', marks === undefined ? '–' : code(shortRelease(marks.release))],
    ['groups', code(groupsText(record))],
    ...sides(record),
    ...(marks?.step?.kind !== 'step' || step?.doneSince === undefined
      ? []
      : [[`all of step ${step.index}`, code(`there since ${printInstant(step.doneSince)}`)]]),
    [
      'restarts',
      restarts.length === 0 ? '0' : code(restarts.map((one) => `group ${one.index}: ${one.count}`).join(', ')),
    ],
    ['loaded in', loads.length === 0 ? '–' : code(loads.map((seconds) => printDuration(seconds)).join(', '))],
    ...(at === undefined ? [] : [['as of', code(printInstant(at))]]),
  ];
  const [head = '', ...below] = rows.map(([name, value]) => `| ${name} | ${value} |\n`);
  return `${head}| --- | --- |\n${below.join('')}`;
}

/** A line each: those that are shut, with what is left of one that opens by itself. */
function gates(shut: readonly HoldRecord[], at: Instant | undefined): string {
  if (shut.length === 0) return `- ${OPEN}\n`;
  const lines = shut.slice(0, GATES_MOST).flatMap(({ reason, message, until, lines: each = [] }) => {
    const left = until === undefined || at === undefined ? '' : `, ${printDuration(Math.max(0, until - at))} left`;
    return [`- ${code(reason)}: ${code(message, 500)}${left}\n`, ...each.map((line) => `  - ${code(line)}\n`)];
  });
  return `${lines.join('')}${shut.length > GATES_MOST ? `- and ${shut.length - GATES_MOST} more\n` : ''}`;
}

/** `3 of 4 groups ready, 1 on the release`; of what was not read nothing is counted. */
function groupsText({ groups, unseen }: RolloutRecord): string {
  if (unseen !== undefined) return `groups not ${unseen.why === 'absent' ? 'there' : 'read'}`;
  const ready = groups.filter((one) => one.ready);
  const release = ready.filter(({ version }) => version === 'release').length;
  return `${ready.length} of ${groups.length} groups ready, ${release} on the release`;
}

/** Of a delivery with a second workload each side has its own. */
function sides({ traffic }: RolloutRecord): readonly (readonly string[])[] {
  return (traffic?.shown?.sides ?? []).map(({ side, name, groups, ready, serving }) => [
    side,
    code(`${name}: ${ready ?? '?'} of ${groups} ready, ${serving ?? '?'} serving`),
  ]);
}
