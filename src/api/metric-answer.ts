/** What a Prometheus-compatible server answers to a range query: series of numbers, or why nothing of it is used. */

import { isRecord } from './json.ts';
import { printableLine } from './printable.ts';
import type { Instant } from './time.ts';

export type MetricSeries = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** By instant. undefined: there is a sample, and it is no number from 0: it counts as none, and ends its windows. */
  readonly samples: ReadonlyMap<Instant, number | undefined>;
};

type MetricAnswer =
  | { readonly kind: 'series'; readonly series: readonly MetricSeries[] }
  /** Incomplete, of another form, or more than is read. */
  | { readonly kind: 'unreadable'; readonly why: string }
  /** Histograms in the native form have no buckets. */
  | { readonly kind: 'native'; readonly name: string };

const SERIES_MOST = 2000;
const LABEL_LENGTH = 200;

/** The instants that were asked for: what is dated otherwise is not used. */
type AskedRange = { readonly start: Instant; readonly end: Instant; readonly step: number };

/** Warnings mean that data is missing, whatever the status says: nothing is judged by such an answer. */
export function parseMetricAnswer(body: unknown, asked: AskedRange): MetricAnswer {
  if (!isRecord(body)) return unreadable('it is no JSON object');
  if (body['status'] !== 'success') return unreadable('its status is not success');
  if (Array.isArray(body['warnings']) ? body['warnings'].length > 0 : body['warnings'] !== undefined)
    return unreadable('it has warnings, so it may lack data');
  if (body['isPartial'] === true) return unreadable('it says isPartial, so it lacks data');
  const { data } = body;
  if (!isRecord(data) || data['resultType'] !== 'matrix' || !Array.isArray(data['result']))
    return unreadable('it has no matrix of series');
  const result: readonly unknown[] = data['result'];
  if (result.length > SERIES_MOST) return unreadable(`it has ${result.length} series, at most ${SERIES_MOST} are read`);
  const series: MetricSeries[] = [];
  for (const item of result) {
    const one = readSeries(item, asked);
    if (typeof one === 'string') return unreadable(one);
    if ('native' in one) return { kind: 'native', name: one.native };
    series.push(one);
  }
  return { kind: 'series', series };
}

function unreadable(why: string): MetricAnswer {
  return { kind: 'unreadable', why };
}

function readSeries(item: unknown, asked: AskedRange): MetricSeries | { readonly native: string } | string {
  if (!isRecord(item) || !isRecord(item['metric'])) return 'a series has no labels';
  const labels: Record<string, string> = {};
  for (const [label, value] of Object.entries(item['metric'])) {
    if (typeof value !== 'string' || value.length > LABEL_LENGTH || printableLine(value) !== value.trim())
      return `a value of the label ${printableLine(label).slice(0, LABEL_LENGTH)} is not printable, or too long`;
    labels[label] = value;
  }
  const { __name__: name = '' } = labels;
  if (item['histograms'] !== undefined || item['histogram'] !== undefined) return { native: name };
  if (!Array.isArray(item['values'])) return 'a series has no values';
  const samples = new Map<Instant, number | undefined>();
  for (const value of item['values']) {
    const [at, text]: readonly unknown[] = Array.isArray(value) ? value : [];
    if (typeof at !== 'number' || typeof text !== 'string') return 'a sample is not a pair of time and text';
    if (at < asked.start || at > asked.end || (at - asked.start) % asked.step !== 0)
      return 'a sample has a time that was not asked for';
    samples.set(at, plainNumber(text));
  }
  return { name, labels, samples };
}

function plainNumber(text: string): number | undefined {
  const value = /^[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
  return value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
