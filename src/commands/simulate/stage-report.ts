/** A prediction for people and scripts: aligned text, the Markdown of the LWS page, JSON. */

import { STAGES_MAX } from '../../simulator/scenario/stage-run.ts';
import { type Stage, stageMarkdown, stageMarks } from '../../simulator/scenario/stage-table.ts';
import { alignedTable, type Column } from './aligned.ts';
import type { AskedStages } from './asked.ts';
import type { Outcome } from './prediction.ts';

type StageReport = {
  readonly asked: AskedStages;
  readonly workload: { readonly namespace: string; readonly name: string };
  readonly stages: readonly Stage[];
  readonly outcome: Outcome;
  /** Why LWS fails with every reconcile in the end, where it does. */
  readonly fault: string | undefined;
};

/** One report for each word of `--output`. */
export const stageReports = { text, markdown, json } satisfies Record<
  AskedStages['output'],
  (report: StageReport) => string
>;

function text(report: StageReport): string {
  const { stages } = report;
  const groups = Math.max(0, ...stages.map((stage) => stage.groups.length));
  const columns: Column[] = [
    { title: '', align: 'left' },
    { title: 'Partition', align: 'right' },
    { title: 'Replicas', align: 'right' },
    ...Array.from({ length: groups }, (_, index): Column => ({ title: `R-${index}`, align: 'left' })),
    { title: 'Note', align: 'left' },
  ];
  const rows = stages.map((stage, at) => [
    `Stage${at + 1}`,
    String(stage.partition),
    String(stage.replicas),
    ...Array.from({ length: groups }, (_, index) => stageMarks[stage.groups[index] ?? 'absent']),
    stage.note,
  ]);
  return `${heading(report)}\n\n${alignedTable(columns, rows)}\n${endingOf(report)}\n${LEGEND}\n`;
}

const LEGEND =
  `${stageMarks.updated} on the newest version and ready  ${stageMarks.rolling} on it, not ready yet  ` +
  `${stageMarks.old} not on it`;

function markdown(report: StageReport): string {
  return `${heading(report)}\n\n${stageMarkdown(report.stages)}\n\n${endingOf(report)}\n\n${LEGEND}\n`;
}

function json(given: StageReport): string {
  const { asked, workload, stages, outcome } = given;
  const { lws, gate, change } = asked;
  const report = {
    ...workload,
    lws,
    maxUnavailableGate: gate,
    change,
    outcome,
    message: endingOf(given),
    stages,
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

function heading({ asked, workload }: StageReport): string {
  const { images, ...fields } = asked.change;
  const settings = images.map(({ place, image }) => `${place === 'both' ? '' : `${place}.`}image ${image}`);
  const others = Object.entries(fields).map(([field, value]) => `${field} ${value}`);
  const name = workload.namespace === '' ? workload.name : `${workload.namespace}/${workload.name}`;
  return `${name}: ${[...settings, ...others].join(', ')} (LWS ${asked.lws}, MaxUnavailableStatefulSet ${asked.gate})`;
}

/** How it ends, one sentence an outcome. */
const endings = {
  completed: () => 'Ends with every group on the newest version.',
  held: ({ groups, partition }) => {
    const old = groups.flatMap((cell, index) => (cell === 'old' ? [index] : []));
    return old.length === groups.length
      ? `Partition ${partition} holds every group: nothing restarts.`
      : `Partition ${partition} holds ${ordinals(old)} on the old version.`;
  },
  unchanged: () => 'The change moves no group: replicas, partition and versions stay as they are.',
  standing: ({ groups }) => {
    const left = groups.flatMap((cell, index) => (cell === 'updated' ? [] : [index]));
    return `LWS goes no further: not on the newest version and ready: ${ordinals(left)}.`;
  },
  failing: (_, fault) => `LWS fails with every reconcile, and applies nothing of this: ${fault}`,
  cut: () => `Cut after ${STAGES_MAX} stages.`,
} satisfies Record<Outcome, (last: Stage, fault: string) => string>;

function endingOf({ outcome, stages, fault }: StageReport): string {
  const last = stages.at(-1);
  return last === undefined ? '' : endings[outcome](last, fault ?? '');
}

/** `group 2`, `groups 0 to 2`, `groups 0, 2 and 3`. */
function ordinals(list: readonly number[]): string {
  const [first = 0, ...rest] = list;
  const last = list.at(-1) ?? first;
  if (rest.length === 0) return `group ${first}`;
  if (rest.length > 1 && last - first === rest.length) return `groups ${first} to ${last}`;
  return `groups ${list.slice(0, -1).join(', ')} and ${last}`;
}
