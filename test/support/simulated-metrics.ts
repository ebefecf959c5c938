/** A provider of metrics in memory: ten requests a second and leader, of which as many are bad as a test says. */

import type { Metrics, RangeQuestion } from '../../src/ports/metrics.ts';

/** Of a thousand requests of this pod at this second, so many are bad. */
type BadOf = (pod: string, at: number) => number;

/** How it answers; `partial`: without the last leader; `missing`: no series at all; `twice`: by two scrapers; `native`: histograms without buckets. */
type Mood = 'well' | 'dead' | 'warns' | 'partial' | 'missing' | 'hostile' | 'twice' | 'native';

export class SimulatedMetrics {
  readonly asked: RangeQuestion[] = [];
  mood: Mood = 'well';
  bad: BadOf = () => 10;
  /** A second from which on there are no samples; undefined: none is missing. */
  silentFrom: number | undefined;
  /** The pods without those samples; undefined: all. */
  silentPods: readonly string[] | undefined;
  requestsPerSecond = 10;
  /** Alerts that fire now. */
  readonly firing = new Set<string>();

  port(): Metrics {
    const range: ReturnType<Metrics['round']>['range'] = async (question) => {
      this.asked.push(question);
      if (this.mood === 'dead') return { kind: 'failed', why: 'it answered 503' };
      return { kind: 'answered', body: this.answer(question) };
    };
    return { round: () => ({ range }) };
  }

  private answer({ query, start, end, step }: RangeQuestion): unknown {
    if (this.mood === 'hostile')
      return {
        status: 'success',
        data: { resultType: 'matrix', result: [{ metric: { __name__: 'up' }, values: [[start, 'NaN"} or 1']] }] },
      };
    if (query.startsWith('ALERTS{')) return this.alerts(query, end);
    const pods = /pod=~"([^"]*)"/.exec(query)?.[1]?.split('|') ?? [];
    const seen = this.mood === 'missing' ? [] : this.mood === 'partial' ? pods.slice(0, -1) : pods;
    const result = seen.flatMap((pod) =>
      ['stop', 'error'].flatMap((reason) => this.scraped(this.series(pod, reason, { start, end, step }))),
    );
    const warnings = this.mood === 'warns' ? { warnings: ['a store is down'] } : {};
    return { status: 'success', data: { resultType: 'matrix', result }, ...warnings };
  }

  private scraped(one: ReturnType<SimulatedMetrics['series']>): readonly object[] {
    const { metric, values } = one;
    if (this.mood === 'native') return [{ metric, histograms: values.map(([at]) => [at, { count: '0', sum: '0' }]) }];
    return this.mood === 'twice' ? ['a', 'b'].map((replica) => ({ metric: { ...metric, replica }, values })) : [one];
  }

  /** Of plain names alone. */
  private alerts(query: string, at: number): unknown {
    const names = /alertname=~"([^"]*)"/.exec(query)?.[1]?.split('|') ?? [];
    const result = names.flatMap((alertname) =>
      this.firing.has(alertname)
        ? [{ metric: { __name__: 'ALERTS', alertname, alertstate: 'firing' }, values: [[at, '1']] }]
        : [],
    );
    return { status: 'success', data: { resultType: 'matrix', result } };
  }

  /** Counted from a whole day, so that every question sees the same counters. */
  private series(pod: string, reason: string, { start, end, step }: Omit<RangeQuestion, 'provider' | 'query'>) {
    const values: [number, string][] = [];
    for (let at = start; at <= end; at += step) {
      const isMeant = this.silentPods?.includes(pod) ?? true;
      if (isMeant && this.silentFrom !== undefined && at > this.silentFrom) continue;
      const all = (at % 10_000_000) * this.requestsPerSecond;
      const bad = Math.floor((all * this.bad(pod, at)) / 1000);
      values.push([at, String(reason === 'error' ? bad : all - bad)]);
    }
    return {
      metric: { __name__: 'vllm:request_success_total', namespace: 'llm', pod, finished_reason: reason, engine: '0' },
      values,
    };
  }
}
