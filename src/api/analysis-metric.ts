/** The metrics of an Analysis: by the name of a preset, or by the names of their counters. */

import { type BadPart, LEADS_TO, type LeadsTo, type Preset } from './analysis-preset.ts';
import { PRESETS } from './analysis-presets.ts';
import { checkLabel, decimal, matching } from './analysis-values.ts';
import type { FieldReader } from './field-reader.ts';
import { isRecord } from './json.ts';
import { nearest } from './nearest.ts';

export const METRICS_LIMIT = 10;
const VALUES_LIMIT = 20;
export const SERIES_NAME = /^[A-Za-z_:][A-Za-z0-9_:]{0,199}$/;
const METRIC_NAME = /^[a-z0-9]([a-z0-9/-]{0,61}[a-z0-9])?$/;

/** One metric, with what its preset says where the file says nothing. */
export type AnalysisMetric = Omit<Preset, 'leadsTo'> & {
  readonly name: string;
  readonly bound: { readonly fail: number; readonly pass: number } | undefined;
  /** `then` in the file. */
  readonly leadsTo: LeadsTo;
};

/** The metrics of `spec`, each once; what is wrong is among its faults. */
export function readMetrics(spec: FieldReader): readonly AnalysisMetric[] {
  const readers = spec.objects('metrics', METRICS_LIMIT);
  if (readers.length === 0 && !spec.faults.some(({ at }) => at.join('.') === 'spec.metrics'))
    spec.fault(
      'metrics',
      'Missing',
      `wanted a list of 1 to ${METRICS_LIMIT} metrics`,
      'Add a metric, as `use: vllm/errors`.',
    );
  const metrics = readers.map(readMetric);
  for (const [at, { name }] of metrics.entries()) {
    if (name === '' || metrics.findIndex((other) => other.name === name) === at) continue;
    const key = readers[at]?.has('name') === true ? 'name' : 'use';
    readers[at]?.fault(key, 'MetricTwice', `is ${name}, as another metric is`, 'Give it a `name` of its own.');
  }
  return metrics;
}

/** What it leads to at most, as the file calls it. */
export const THEN_FIELD = 'then';
/** By which versions are compared, or one is measured. */
const COMPARED = ['tolerate', 'ruleOut', 'bound'];
const FIELDS = [...COMPARED, THEN_FIELD];

function readMetric(reader: FieldReader): AnalysisMetric {
  const preset = readPreset(reader);
  const own = preset === undefined ? readOwn(reader) : readOverSeconds(reader, preset);
  const name =
    reader.has('name') || !reader.has('use')
      ? matching(reader, 'name', METRIC_NAME, 'a name of a-z, 0-9, - and /')
      : reader.text('use');
  reader.allow(
    preset === undefined && !reader.has('use')
      ? ['name', 'bad', 'of', ...FIELDS]
      : ['name', 'use', 'overSeconds', ...FIELDS],
  );
  if (own.bad.kind === 'stalled')
    for (const key of COMPARED.filter((one) => reader.has(one)))
      reader.fault(key, 'NotCompared', 'compares shares, and a stalled leader has none', 'Remove it.');
  const tolerate = readTolerate(reader, own.tolerate);
  const ruleOut = readRuleOut(reader, own.ruleOut);
  if (ruleOut.times <= tolerate.times)
    reader.fault(
      'ruleOut',
      'NotAbove',
      `.times is ${ruleOut.times}, wanted more than tolerate.times, ${tolerate.times}`,
      'Rule out a larger rise than is tolerated.',
    );
  const key = THEN_FIELD;
  const then = reader.word(key, LEADS_TO) ?? own.leadsTo;
  if (own.informsOnly === true && then !== 'inform')
    reader.fault(
      key,
      'InformsOnly',
      `is ${then}, wanted inform: tokens of one request and samples of a gauge are no independent trials`,
      'Remove it.',
    );
  return {
    ...own,
    name,
    tolerate,
    ruleOut,
    bound: readBound(reader),
    leadsTo: then,
  };
}

function readPreset(reader: FieldReader): Preset | undefined {
  if (!reader.has('use')) return undefined;
  const use = reader.text('use');
  const preset = Object.hasOwn(PRESETS, use) ? PRESETS[use] : undefined;
  const meant = nearest(use, Object.keys(PRESETS));
  if (preset === undefined && use !== '')
    reader.fault(
      'use',
      'UnknownPreset',
      `is ${JSON.stringify(use)}, wanted one of: ${Object.keys(PRESETS).join(', ')}`,
      meant === undefined ? 'Correct it.' : `Did you mean ${meant}?`,
    );
  return preset;
}

function readOverSeconds(reader: FieldReader, preset: Preset): Preset {
  if (!reader.has('overSeconds')) return preset;
  const over = decimal(reader, 'overSeconds', { min: 0.01, max: 3600 });
  if (preset.bad.kind !== 'over') {
    reader.fault(
      'overSeconds',
      'NoHistogram',
      'is for metrics of a histogram alone, and this preset counts',
      'Remove it.',
    );
    return preset;
  }
  return over === undefined ? preset : { ...preset, bad: { ...preset.bad, seconds: over } };
}

/** A metric without preset. What differs among groups of its own labels adds up; every other label has to be in `match`. */
function readOwn(reader: FieldReader): Preset {
  const bad = reader.has('use') ? undefined : readPart(reader, 'bad');
  const of = reader.has('use') ? undefined : readPart(reader, 'of');
  const counted: BadPart = { kind: 'counted', parts: bad === undefined ? [] : [bad] };
  const none = { names: [], labels: {} };
  return {
    bad: counted,
    of: of ?? none,
    adds: [],
    anchor: undefined,
    load: undefined,
    tolerate: { times: 1.5, points: 1 },
    ruleOut: { times: 2 },
    leadsTo: 'hold',
  };
}

function readPart(reader: FieldReader, key: 'bad' | 'of'): Preset['of'] {
  if (!reader.has(key)) {
    reader.fault(key, 'Missing', 'is missing, wanted a metric', 'Add it, or name a preset with `use`.');
    return { names: [], labels: {} };
  }
  const part = reader.object(key);
  part.allow(['metric', 'labels']);
  const name = matching(part, 'metric', SERIES_NAME, 'the name of a counter');
  const labels: Record<string, readonly string[]> = {};
  const written = part.value('labels');
  const inner = part.has('labels') ? part.object('labels') : undefined;
  for (const label of Object.keys(isRecord(written) ? written : {})) {
    const value = inner?.value(label);
    const values = typeof value === 'string' ? [value] : (inner?.texts(label, VALUES_LIMIT) ?? []);
    if (inner !== undefined) checkLabel(inner, label, values);
    labels[label] = values;
  }
  return { names: [name], labels };
}

function readTolerate(reader: FieldReader, otherwise: Preset['tolerate']): Preset['tolerate'] {
  if (!reader.has('tolerate')) return otherwise;
  const tolerate = reader.object('tolerate');
  tolerate.allow(['times', 'points']);
  return {
    times: decimal(tolerate, 'times', { min: 1, max: 50 }) ?? otherwise.times,
    points: decimal(tolerate, 'points', { min: 0, max: 100 }) ?? otherwise.points,
  };
}

function readRuleOut(reader: FieldReader, otherwise: Preset['ruleOut']): Preset['ruleOut'] {
  if (!reader.has('ruleOut')) return otherwise;
  const ruleOut = reader.object('ruleOut');
  ruleOut.allow(['times']);
  return { times: decimal(ruleOut, 'times', { min: 1.1, max: 80 }) ?? otherwise.times };
}

function readBound(reader: FieldReader): AnalysisMetric['bound'] {
  if (!reader.has('bound')) return undefined;
  const bound = reader.object('bound');
  bound.allow(['fail', 'pass']);
  const fail = decimal(bound, 'fail', { min: 0.01, max: 99 });
  const pass = decimal(bound, 'pass', { min: 0.01, max: 99 });
  if (fail === undefined || pass === undefined) {
    for (const key of ['fail', 'pass'])
      if (!bound.has(key)) bound.fault(key, 'Missing', 'is missing, wanted a percentage', 'Add it.');
    return undefined;
  }
  if (pass > fail) bound.fault('pass', 'NotBelow', `is ${pass}, above fail, ${fail}`, 'Pass at or below what fails.');
  return { fail, pass };
}
