/** The Analysis (tranche.dev/v1alpha1): which metrics of the new version are compared with the one before, parsed strictly. */

import { readAlerts } from './analysis-alerts.ts';
import { type AnalysisMetric, readMetrics } from './analysis-metric.ts';
import { checkLabel, decimal, LABEL_NAME, matching } from './analysis-values.ts';
import { type FieldFault, FieldReader } from './field-reader.ts';
import { isRecord } from './json.ts';

export const ANALYSIS_API_VERSION = 'tranche.dev/v1alpha1';

export type Analysis = {
  readonly name: string;
  /** `prod` for TRANCHE_METRICS_PROD. */
  readonly provider: string;
  /** Labels that every series must have. */
  readonly match: Readonly<Record<string, string>>;
  /** Which labels name the namespace and the pod of a series. */
  readonly labels: { readonly namespace: string; readonly pod: string };
  /** Of series without pods: labels by the name of a Service, a pool or a workload. */
  readonly sides: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly windowSeconds: number;
  readonly warmUpSeconds: number;
  readonly lagSeconds: number;
  readonly waitAtMostSeconds: number;
  readonly falseAlarmPercent: number;
  readonly missPercent: number;
  readonly metrics: readonly AnalysisMetric[];
  /** Names of alerts that hold a step while they fire. */
  readonly alerts: readonly string[];
};

type Parsing = {
  readonly name: string;
  readonly analysis: Analysis | undefined;
  readonly faults: readonly FieldFault[];
};

/** Whole numbers of seconds, with what they are where the file says nothing. */
export const ANALYSIS_TIMES = {
  windowSeconds: {
    min: 60,
    max: 3600,
    otherwise: 300,
    meaning: 'length of a window; windows start at whole multiples of it',
  },
  warmUpSeconds: {
    min: 300,
    max: 7200,
    otherwise: 300,
    meaning: 'time after a leader is ready that counts for nothing',
  },
  lagSeconds: { min: 0, max: 900, otherwise: 60, meaning: 'how late samples may come' },
  waitAtMostSeconds: {
    min: 600,
    max: 604_800,
    otherwise: 14_400,
    meaning: 'after this time without a verdict it is inconclusive',
  },
} as const;

/** Numbers with at most two places. */
export const ANALYSIS_CHANCES = {
  falseAlarmPercent: {
    min: 0.1,
    max: 10,
    otherwise: 1,
    meaning: 'chance that a whole delivery is called worse though it is not',
  },
  missPercent: {
    min: 1,
    max: 20,
    otherwise: 5,
    meaning: 'chance that one metric of one step passes what ruleOut names',
  },
} as const;

const MATCH_LIMIT = 10;
const SIDES_LIMIT = 20;
export const PROVIDER_NAME = /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/;

/** Reads and validates an Analysis. Unknown and empty fields are faults: a typo must not silently lose a metric. */
export function parseAnalysis(value: unknown): Parsing {
  const root = new FieldReader(value, '');
  root.allow(['apiVersion', 'kind', 'metadata', 'spec']);
  const metadata = root.object('metadata');
  metadata.allow(['name', 'labels', 'annotations']);
  const name = metadata.text('name');
  const spec = root.object('spec', 'fault');
  const times = Object.keys(ANALYSIS_TIMES);
  spec.allow(['provider', 'match', 'labels', 'sides', ...times, ...Object.keys(ANALYSIS_CHANCES), 'metrics', 'alerts']);
  const analysis: Analysis = {
    name,
    provider: matching(spec, 'provider', PROVIDER_NAME, 'a name of a-z, 0-9 and -, as prod for TRANCHE_METRICS_PROD'),
    match: labelValues(spec, 'match'),
    labels: readLabels(spec),
    sides: readSides(spec),
    windowSeconds: seconds(spec, 'windowSeconds'),
    warmUpSeconds: seconds(spec, 'warmUpSeconds'),
    lagSeconds: seconds(spec, 'lagSeconds'),
    waitAtMostSeconds: seconds(spec, 'waitAtMostSeconds'),
    falseAlarmPercent: chance(spec, 'falseAlarmPercent'),
    missPercent: chance(spec, 'missPercent'),
    metrics: readMetrics(spec),
    alerts: readAlerts(spec),
  };
  for (const at of unsided(analysis))
    spec.fault(
      'metrics',
      'SidesMissing',
      `has ${analysis.metrics[at]?.name}, whose series name no Service, and sides is missing`,
      'Add `sides` with the labels of each version, as `sides: {vllm: {job: vllm-epp}, vllm-canary: {job: vllm-canary-epp}}`.',
    );
  return { name, analysis: root.faults.length === 0 ? analysis : undefined, faults: root.faults };
}

function seconds(spec: FieldReader, key: keyof typeof ANALYSIS_TIMES): number {
  const { otherwise, ...bounds } = ANALYSIS_TIMES[key];
  return spec.integer(key, bounds) ?? otherwise;
}

function chance(spec: FieldReader, key: keyof typeof ANALYSIS_CHANCES): number {
  const { otherwise, ...bounds } = ANALYSIS_CHANCES[key];
  return decimal(spec, key, bounds) ?? otherwise;
}

function readLabels(spec: FieldReader): Analysis['labels'] {
  if (!spec.has('labels')) return { namespace: 'namespace', pod: 'pod' };
  const labels = spec.object('labels');
  labels.allow(['namespace', 'pod']);
  const label = (key: string): string =>
    labels.has(key) ? matching(labels, key, LABEL_NAME, 'the name of a label') : key;
  return { namespace: label('namespace'), pod: label('pod') };
}

/** The labels of each side, each with at least one. */
function readSides(spec: FieldReader): Analysis['sides'] {
  if (!spec.has('sides')) return {};
  const reader = spec.object('sides');
  const written = spec.value('sides');
  const names = Object.keys(isRecord(written) ? written : {});
  if (names.length > SIDES_LIMIT) spec.fault('sides', 'TooMany', `has more than ${SIDES_LIMIT} names`, 'Shorten it.');
  return Object.fromEntries(
    names.map((name) => {
      const labels = labelValues(reader, name);
      if (Object.keys(labels).length === 0)
        reader.fault(name, 'Missing', 'has no label, wanted what its series have', 'Add one, as `job: vllm-epp`.');
      return [name, labels];
    }),
  );
}

/** Positions of metrics that need sides and have none. */
function unsided({ metrics, sides }: Pick<Analysis, 'metrics' | 'sides'>): readonly number[] {
  const isWithout = Object.keys(sides).length === 0;
  return isWithout ? metrics.flatMap(({ gateway }, at) => (gateway === 'sides' ? [at] : [])) : [];
}

/** Labels with exact values. */
function labelValues(reader: FieldReader, key: string): Readonly<Record<string, string>> {
  const map = reader.has(key) ? reader.stringMap(key) : {};
  const inner = new FieldReader(reader.value(key) ?? {}, key, reader);
  if (Object.keys(map).length > MATCH_LIMIT)
    reader.fault(key, 'TooMany', `has more than ${MATCH_LIMIT} labels`, 'Shorten it.');
  for (const [label, text] of Object.entries(map)) checkLabel(inner, label, [text]);
  return map;
}
