/** Alert rules and dashboard: they ask for metrics and holds that there are, and name commands that there are. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runProgram } from '../../src/commands/program.ts';
import { METRICS } from '../../src/reconcile/status/metrics.ts';
import { section } from '../support/documents.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

type Alert = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<'hold' | 'summary' | 'description' | 'action', string>>;
};
type Rules = { readonly groups: readonly { readonly rules: readonly Alert[] }[] };
const alerts = (parse(read('policies/prometheus/alerts.yaml')) as Rules).groups.flatMap(({ rules }) => rules);

/** Names that are scraped: a summary is its sum and its number. */
const exported = Object.entries(METRICS).flatMap(([name, { type }]) =>
  type === 'summary' ? [`${name}_sum`, `${name}_count`] : [name],
);
/** Names in an expression, as Prometheus reads one: no text in quotes. */
const namesIn = (text: string) => text.replace(/"[^"]*"/g, '').match(/\btranche_[a-z_]+/g) ?? [];

test('each metric is in the reference, and no other', () => {
  const table = section('Metrics and probes');
  const rows = [...table.matchAll(/^\| `(tranche_[a-z_]+)`/gm)].map(([, name]) => name);
  expect(rows).toEqual(Object.keys(METRICS));
});

test('each metric of the rules and of the dashboard is one that we export', () => {
  const { panels, templating } = JSON.parse(read('policies/prometheus/dashboard.json')) as {
    panels: { targets: { expr: string }[] }[];
    templating: { list: { query: string }[] };
  };
  const asked = [
    ...alerts.map(({ expr }) => expr),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...templating.list.map(({ query }) => query),
  ].flatMap(namesIn);
  expect(asked.length).toBeGreaterThan(30);
  expect(asked.filter((name) => !exported.includes(name))).toEqual([]);
});

test('what is asked by name is found, and a name that is not there is', () => {
  expect(namesIn('time() - tranche_gone{reason="tranche_holds"} > 1')).toEqual(['tranche_gone']);
  expect(exported).not.toContain('tranche_gone');
});

const holds = new Set(
  [...section('Holds: why it stands still').matchAll(/^\| ((?:`[A-Za-z]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  ),
);

test.each(alerts)('$alert names its hold and its way out', async ({ expr, labels, annotations }) => {
  const { hold, action, summary, description } = annotations;
  const reasons = [...expr.matchAll(/reason=~?"([^"]+)"/g)].flatMap(([, text = '']) => text.split('|'));
  if (reasons.length > 0) expect(hold.split(', ')).toEqual(reasons);
  for (const name of hold.split(', ')) if (name !== 'none' && name !== 'any') expect([...holds]).toContain(name);
  expect(['page', 'ticket']).toContain(labels.severity);
  for (const text of [action, summary, description]) expect(text.length).toBeGreaterThan(5);
  let help = '';
  const out = (text: string) => void (help += text);
  const signal = new AbortController().signal;
  await runProgram(['--help'], { env: {}, folder: '/', out, err: out, isTerminal: false, signal });
  for (const [, verb = ''] of action.matchAll(/(?<!-n )\btranche ([a-z-]+)/g))
    expect(help).toMatch(new RegExp(`^ {2}${verb}\\b`, 'm'));
});

test('holds that need somebody have an alert', () => {
  const told = new Set(alerts.flatMap(({ annotations }) => annotations.hold.split(', ')));
  const waited = ['GroupCrashLoop', 'Unschedulable', 'Stalled', 'ClusterUnreadable', 'PushRefused', 'StatusRefused'];
  const more = ['HistoryRewritten', 'StableUnavailable', 'PausedForApproval', 'FieldContested', 'AgentNotApplying'];
  expect([...waited, ...more].filter((name) => !told.has(name))).toEqual([]);
});
