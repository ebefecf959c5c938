/** What a Prometheus has scraped of the leaders of a world: from when each was ready until it was another, as samples with their times. */

import { at, isRecord } from '../../src/api/json.ts';
import { WORKER_INDEX } from '../../src/api/lws-labels.ts';
import { parseInstant } from '../../src/api/time.ts';
import { PODS } from '../../src/simulator/objects/resource-table.ts';
import type { Series } from './series-store.ts';
import { NEW } from './vllm.ts';
import type { World } from './world.ts';

/** Between two samples, and how long a server gives the last one. */
const SCRAPE_SECONDS = 60;
const LOOKBACK_SECONDS = 300;
/** No sample is taken at an instant that anybody asks for: whether a server gives one that is as old as it may be depends on its version. */
const SCRAPE_OFFSET = 7;

/** One process: ready since `from`, seen last at `to`. */
type Life = {
  readonly pod: string;
  readonly instance: string;
  readonly isNew: boolean;
  readonly from: number;
  to: number;
};

export type Engine = 'vllm' | 'sglang';
type Counter = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly perThousand: number;
};

/** Ten requests a second, of which `bad` of a thousand end with an error. */
function countersOf(engine: Engine, bad: number): readonly Counter[] {
  const rows = [
    [false, 1000 - bad],
    [true, bad],
  ] as const;
  return rows.map(([isBad, perThousand]) =>
    engine === 'vllm'
      ? {
          name: 'vllm:request_success_total',
          labels: { finished_reason: isBad ? 'error' : 'stop', engine: '0', model_name: 'm' },
          perThousand,
        }
      : {
          name: 'sglang:http_responses_total',
          labels: { endpoint: '/v1/chat/completions', method: 'POST', status_code: isBad ? '500' : '200' },
          perThousand,
        },
  );
}

type How = { readonly engine: Engine; readonly badOfNew: number; readonly run: string };

const BAD_OF_STABLE = 10;

/** The processes of a world, as far as they were looked at, and the series that a server has of them. */
export class ScrapedEngines {
  readonly series: Series[] = [];
  /** By their labels: what is restarted in place goes on in the series that it had. */
  private readonly parts = new Map<string, Series['at'][]>();
  private readonly how: How;
  private readonly world: World;
  private readonly lives = new Map<string, Life>();
  /** Since when two scrapers write each series; undefined: one does. */
  private twiceFrom: number | undefined;

  constructor(world: World, how: How) {
    this.world = world;
    this.how = how;
  }

  /** Whatever is ready now, and since when. */
  look(): void {
    const { now, cluster } = this.world;
    for (const pod of cluster.objects.list(PODS, 'llm')) {
      if (at(pod, ['metadata', 'labels', WORKER_INDEX]) !== '0') continue;
      const [name, uid] = [at(pod, ['metadata', 'name']), at(pod, ['metadata', 'uid'])];
      const ready = readySince(at(pod, ['status', 'conditions']));
      if (ready === undefined || typeof name !== 'string' || typeof uid !== 'string') continue;
      const key = `${name} ${uid} ${ready}`;
      const life =
        this.lives.get(key) ?? this.begun(key, { name, uid, ready, isNew: JSON.stringify(pod).includes(NEW) });
      life.to = now;
    }
  }

  private begun(
    key: string,
    {
      name,
      uid,
      ready,
      isNew,
    }: { readonly name: string; readonly uid: string; readonly ready: number; readonly isNew: boolean },
  ): Life {
    const instances = new Set([...this.lives.keys()].map((one) => one.split(' ')[1]).concat(uid));
    const instance = `10.0.0.${[...instances].indexOf(uid) + 1}:8000`;
    const life: Life = { pod: name, instance, isNew, from: ready, to: ready };
    this.lives.set(key, life);
    for (const one of ['a', 'b'].flatMap((replica) => this.seriesOf(life, replica))) this.add(one);
    return life;
  }

  private add({ labels, at: valueAt }: Series): void {
    const name = JSON.stringify(labels);
    const known = this.parts.get(name);
    if (known !== undefined) return void known.push(valueAt);
    const parts = [valueAt];
    this.parts.set(name, parts);
    this.series.push({
      labels,
      at: (second) => parts.map((part) => part(second)).findLast((value) => value !== undefined),
    });
  }

  /** A second scraper starts now. */
  scrapeTwice(): void {
    this.twiceFrom = this.world.now;
  }

  private seriesOf(life: Life, replica: string): readonly Series[] {
    const { engine, badOfNew, run } = this.how;
    const { pod, instance, isNew, from } = life;
    const own = { run, namespace: 'llm', pod, instance, replica };
    const isThere = (second: number): boolean =>
      replica === 'a' || (this.twiceFrom !== undefined && second >= this.twiceFrom);
    const scraped = (value: (seconds: number) => number | undefined) => (second: number) => {
      const sampled = sampleBefore(Math.min(second, life.to));
      const isSeen = sampled >= from && second - sampled < LOOKBACK_SECONDS && isThere(sampled);
      return isSeen ? value(sampled - from) : undefined;
    };
    const counters = countersOf(engine, isNew ? badOfNew : BAD_OF_STABLE).map(({ name, labels, perThousand }) => ({
      labels: { __name__: name, ...own, ...labels },
      at: scraped((seconds) => {
        const value = Math.floor((seconds * 10 * perThousand) / 1000);
        // SGLang makes a series with its first event.
        return engine === 'sglang' && value === 0 ? undefined : value;
      }),
    }));
    const up = { labels: { __name__: 'up', ...own }, at: scraped(() => 1) };
    const active = { labels: { __name__: 'sglang:num_running_reqs', ...own }, at: scraped(() => 3) };
    return [...counters, up, ...(engine === 'sglang' ? [active] : [])];
  }

  /** All samples in the form of OpenMetrics, which `promtool` makes blocks of. */
  samples(): string {
    const first = Math.min(...[...this.lives.values()].map(({ from }) => from));
    const lines: string[] = [];
    for (const { labels, at: valueAt } of this.series) {
      const { __name__: name = '', ...others } = labels;
      const said = Object.entries(others).map(([label, value]) => `${label}="${value}"`);
      for (let second = sampleBefore(first); second <= this.world.now; second += SCRAPE_SECONDS) {
        const value = this.isScraped(labels, second) ? valueAt(second) : undefined;
        if (value !== undefined) lines.push(`${name}{${said.join(',')}} ${value} ${second}`);
      }
    }
    return lines.map((line) => `${line}\n`).join('');
  }

  /** Not what a server goes on to give of one that has ended. */
  private isScraped({ pod, instance }: Series['labels'], second: number): boolean {
    return [...this.lives.values()].some(
      (life) => life.pod === pod && life.instance === instance && life.from <= second && second <= life.to,
    );
  }
}

function sampleBefore(second: number): number {
  return Math.floor((second - SCRAPE_OFFSET) / SCRAPE_SECONDS) * SCRAPE_SECONDS + SCRAPE_OFFSET;
}

function readySince(conditions: unknown): number | undefined {
  const ready = Array.isArray(conditions)
    ? conditions.find((one) => isRecord(one) && one['type'] === 'Ready')
    : undefined;
  if (!isRecord(ready) || ready['status'] !== 'True') return undefined;
  const { lastTransitionTime: since } = ready;
  return typeof since === 'string' ? parseInstant(since) : undefined;
}
