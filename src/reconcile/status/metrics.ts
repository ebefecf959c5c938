/** What a watch has to say in numbers: the metrics with their meaning, and their values after each pass. */

import type { Instant } from '../../api/time.ts';
import type { MetricFamily, Sample } from '../../ports/probes.ts';
import type { PassResult } from '../pass.ts';
import { recordNow } from './report.ts';

type Meaning = Pick<MetricFamily, 'type' | 'help'>;

/** Every metric once: also in REFERENCE.md, in the alert rules and in the dashboard, which tests hold to this table. */
export const METRICS = {
  tranche_build_info: { type: 'gauge', help: 'Always 1, with the version and the cluster as labels.' },
  tranche_passes_total: { type: 'counter', help: 'Passes since the process started, by result.' },
  tranche_last_pass_timestamp_seconds: { type: 'gauge', help: 'When the last pass ended, well or not.' },
  tranche_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last successful pass ended; before the first one, when the process started.',
  },
  tranche_pass_duration_seconds: { type: 'summary', help: 'How long passes took: their sum and their number.' },
  tranche_last_pass_duration_seconds: { type: 'gauge', help: 'How long the last pass took.' },
  tranche_build_duration_seconds: {
    type: 'summary',
    help: 'How long builds of kustomize folders took: their sum and their number.',
  },
  tranche_port_calls_total: { type: 'counter', help: 'Calls to the world, by port.' },
  tranche_port_failures_total: {
    type: 'counter',
    help: 'Calls that failed: no answer, a refusal, or nonsense, by port.',
  },
  tranche_commits_total: { type: 'counter', help: 'Commits pushed for Rollouts since the process started.' },
  tranche_rollouts: { type: 'gauge', help: 'Rollouts of this process.' },
  tranche_rollouts_failed: { type: 'gauge', help: 'Rollouts that the last pass could not look at or write for.' },
  tranche_deliveries: { type: 'gauge', help: 'Rollouts with a delivery in progress.' },
  tranche_requests: { type: 'gauge', help: 'Rollouts with a template in Git that nothing was started of yet.' },
  tranche_brakes: { type: 'gauge', help: 'Orders to stop or pause that are in force, by kind.' },
  tranche_holds: { type: 'gauge', help: 'Holds of all Rollouts, by reason.' },
  tranche_hold_oldest_timestamp_seconds: {
    type: 'gauge',
    help: 'Since when the oldest hold of a reason stands, as far as this process or the record of the Rollout knows.',
  },
  tranche_groups: { type: 'gauge', help: 'Groups by Rollout, version and readiness, as last read.' },
} as const satisfies Readonly<Record<string, Meaning>>;

type MetricName = keyof typeof METRICS;

/** Rollouts with series of their own; what is beyond, by name, is summed as `rollout="others"`. */
const ROLLOUTS_MOST = 500;
const OTHERS = 'others';

/** Values of one watch so far. Of a pass that looked at nothing, what the one before it saw still holds. */
export class WatchMetrics {
  private readonly startedAt: Instant;
  private readonly version: string;
  private readonly passes = { succeeded: 0, failed: 0 };
  private readonly calls = new Map<string, { made: number; failed: number }>();
  private readonly duration = { sum: 0, last: 0 };
  private readonly builds = { sum: 0, count: 0 };
  private lastPassAt: Instant | undefined;
  private lastSuccessAt: Instant | undefined;
  private commits = 0;
  private cluster = '';
  private seen: readonly MetricFamily[] = [];
  /** Since when each hold stands, by Rollout and reason. */
  private since = new Map<string, { readonly reason: string; readonly at: Instant }>();

  constructor(given: { readonly startedAt: Instant; readonly version: string }) {
    this.startedAt = given.startedAt;
    this.version = given.version;
  }

  /** One call to the world; of few ports only. */
  called(port: string, isFailure: boolean): void {
    const counts = this.calls.get(port) ?? { made: 0, failed: 0 };
    this.calls.set(port, { made: counts.made + 1, failed: counts.failed + (isFailure ? 1 : 0) });
  }

  /** A pass ended; `result` undefined: by an error. */
  passed(pass: { readonly result: PassResult | undefined; readonly at: Instant; readonly seconds: number }): void {
    const { result, at, seconds } = pass;
    this.passes[result === undefined ? 'failed' : 'succeeded'] += 1;
    this.duration.sum += seconds;
    this.duration.last = seconds;
    this.lastPassAt = at;
    if (result === undefined) return;
    this.lastSuccessAt = at;
    this.builds.sum += result.builds?.seconds ?? 0;
    this.builds.count += result.builds?.count ?? 0;
    this.commits += result.outcomes.filter(({ written }) => written !== undefined).length;
    if (result.quiet) return;
    this.cluster = result.outcomes[0]?.key.cluster ?? this.cluster;
    this.since = holdsSince(result, this.since, at);
    this.seen = seenFamilies(result, this.since);
  }

  /** Since when no pass has succeeded. */
  successAt(): Instant {
    return this.lastSuccessAt ?? this.startedAt;
  }

  hasSucceeded(): boolean {
    return this.lastSuccessAt !== undefined;
  }

  families(): readonly MetricFamily[] {
    const { passes, duration, builds, lastPassAt } = this;
    const ports = [...this.calls].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      family('tranche_build_info', [{ labels: { version: this.version, cluster: this.cluster }, value: 1 }]),
      family('tranche_passes_total', [
        { labels: { result: 'succeeded' }, value: passes.succeeded },
        { labels: { result: 'failed' }, value: passes.failed },
      ]),
      family('tranche_last_pass_timestamp_seconds', lastPassAt === undefined ? [] : [plain(lastPassAt)]),
      family('tranche_last_success_timestamp_seconds', [plain(this.successAt())]),
      family('tranche_pass_duration_seconds', [
        { ...plain(duration.sum), suffix: '_sum' },
        { ...plain(passes.succeeded + passes.failed), suffix: '_count' },
      ]),
      family('tranche_last_pass_duration_seconds', lastPassAt === undefined ? [] : [plain(duration.last)]),
      family('tranche_build_duration_seconds', [
        { ...plain(builds.sum), suffix: '_sum' },
        { ...plain(builds.count), suffix: '_count' },
      ]),
      family(
        'tranche_port_calls_total',
        ports.map(([port, { made }]) => ({ labels: { port }, value: made })),
      ),
      family(
        'tranche_port_failures_total',
        ports.map(([port, { failed }]) => ({ labels: { port }, value: failed })),
      ),
      family('tranche_commits_total', [plain(this.commits)]),
      ...this.seen,
    ];
  }
}

/** What one pass has seen of its Rollouts. */
function seenFamilies(
  result: PassResult,
  since: ReadonlyMap<string, { readonly reason: string; readonly at: Instant }>,
): readonly MetricFamily[] {
  const { outcomes, brakes = [] } = result;
  const records = outcomes.flatMap((outcome) => (outcome.plan === undefined ? [] : [recordNow(outcome.plan, outcome)]));
  const holds = outcomes.flatMap(({ plan }) => plan?.holds ?? []);
  const oldest = new Map<string, Instant>();
  for (const { reason, at } of since.values()) oldest.set(reason, Math.min(at, oldest.get(reason) ?? at));
  const kinds = (['stop', 'pause'] as const).map((kind) => ({
    labels: { kind },
    value: brakes.filter((brake) => brake.kind === kind).length,
  }));
  return [
    family('tranche_rollouts', [plain(outcomes.length)]),
    family('tranche_rollouts_failed', [plain(outcomes.filter(({ error }) => error !== undefined).length)]),
    family('tranche_deliveries', [plain(records.filter(({ phase }) => phase === 'Progressing').length)]),
    family('tranche_requests', [plain(records.filter(({ requested }) => requested !== undefined).length)]),
    family('tranche_brakes', kinds),
    family('tranche_holds', counted(holds.map(({ reason }) => ({ reason })))),
    family(
      'tranche_hold_oldest_timestamp_seconds',
      [...oldest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([reason, at]) => ({ labels: { reason }, value: at })),
    ),
    family('tranche_groups', groupSamples(result)),
  ];
}

function groupSamples({ outcomes }: PassResult): readonly Sample[] {
  const names = outcomes.map(({ key }) => `${key.namespace}/${key.name}`);
  const own = new Set(names.length <= ROLLOUTS_MOST ? names : [...names].sort().slice(0, ROLLOUTS_MOST));
  return counted(
    outcomes.flatMap((outcome) => {
      const name = `${outcome.key.namespace}/${outcome.key.name}`;
      const rollout = own.has(name) ? name : OTHERS;
      const groups = outcome.plan === undefined ? [] : recordNow(outcome.plan, outcome).groups;
      return groups.map(({ version, ready }) => ({ rollout, version, ready: String(ready) }));
    }),
  );
}

/** How often each combination of labels is there, in the order of their text. */
function counted(all: readonly Readonly<Record<string, string>>[]): readonly Sample[] {
  const counts = new Map<string, { labels: Sample['labels']; value: number }>();
  for (const labels of all) {
    const key = JSON.stringify(labels);
    counts.set(key, { labels, value: (counts.get(key)?.value ?? 0) + 1 });
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sample]) => sample);
}

/** A hold that stands keeps its time; a new one starts now, or when the record says that its reason came up. */
function holdsSince(
  { outcomes }: PassResult,
  before: ReadonlyMap<string, { readonly reason: string; readonly at: Instant }>,
  now: Instant,
): Map<string, { readonly reason: string; readonly at: Instant }> {
  const since = new Map<string, { readonly reason: string; readonly at: Instant }>();
  for (const { key, plan } of outcomes)
    for (const { reason } of plan?.holds ?? []) {
      const name = `${key.namespace}/${key.name} ${reason}`;
      const recorded = plan?.record.conditions.find((condition) => condition.reason === reason)?.since;
      since.set(name, before.get(name) ?? { reason, at: Math.min(now, recorded ?? now) });
    }
  return since;
}

function plain(value: number): Sample {
  return { labels: {}, value };
}

function family(name: MetricName, samples: readonly Sample[]): MetricFamily {
  return { name, ...METRICS[name], samples };
}
