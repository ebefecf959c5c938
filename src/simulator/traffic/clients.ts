/** Clients of the model's routes, by whom a demo or a test counts what a delivery costs them. */

import type { JsonObject } from '../../api/json.ts';
import { SERVICE_NAME } from '../../api/live-traffic.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { count, type KubeObject, labelsOf, objects, part, specOf, statusOf, text } from '../objects/objects.ts';
import { ENDPOINT_SLICES, HTTP_ROUTES, PODS } from '../objects/resource-table.ts';

type ClientHabits = {
  /** Requests that start in a second at each rule of a route, and at `service`. */
  readonly perSecond: number;
  /** How long each takes. It fails where its pod is gone, or not ready any more, before that. */
  readonly seconds: number;
  /** The gateway knows routes and endpoints as they are, or as they were this many seconds ago: half of the requests each. */
  readonly gatewayLags: number;
  /** A Service that is asked although no route names it. */
  readonly service?: { readonly namespace: string; readonly name: string };
};

/** Where the requests of one rule may go: the uids of the ready pods of each backend. */
type Rule = readonly { readonly weight: number; readonly pods: readonly string[] }[];

/** Of one second: requests that started, and those that turned out to have failed. */
type Second = { readonly at: number; readonly sent: number; readonly failed: number };

/** Requests since the beginning, those that failed, and when the last one did, in seconds since the epoch. */
type Total = { sent: number; failed: number; failedAt: number | undefined };

export class Clients {
  private readonly habits: ClientHabits;
  /** The newest last. */
  private seen: readonly (readonly Rule[])[] = [];
  private running: readonly { readonly pod: string; readonly endsAt: number }[] = [];
  private readonly totals: Total = { sent: 0, failed: 0, failedAt: undefined };

  constructor(habits: ClientHabits) {
    this.habits = habits;
  }

  total(): Readonly<Total> {
    return this.totals;
  }

  /** A second of requests. To be called after each second of the model. */
  second(store: ObjectStore): Second {
    const at = store.nowSeconds;
    this.seen = [...this.seen, rulesIn(store, this.habits.service)].slice(-1 - this.habits.gatewayLags);
    const alive = new Set(
      store
        .list(PODS)
        .filter(answers)
        .map(({ metadata }) => metadata.uid),
    );
    const [before, sentBefore] = [this.running.length, this.totals.sent];
    const kept = this.running.filter(({ pod, endsAt }) => endsAt < at || alive.has(pod));
    const begun = this.begin();
    const reached = begun.filter((pod) => pod !== undefined).filter((pod) => alive.has(pod));
    this.running = [
      ...kept.filter(({ endsAt }) => endsAt >= at),
      ...reached.map((pod) => ({ pod, endsAt: at + this.habits.seconds })),
    ];
    const failed = before - kept.length + begun.length - reached.length;
    this.totals.failed += failed;
    if (failed > 0) this.totals.failedAt = at;
    return { at, sent: this.totals.sent - sentBefore, failed };
  }

  /** The pod of each request that starts now; undefined: nobody was there. */
  private begin(): readonly (string | undefined)[] {
    const found: (string | undefined)[] = [];
    for (let index = 0; index < this.habits.perSecond; index++) {
      const rules = index % 2 === 0 ? this.seen.at(-1) : this.seen[0];
      for (const rule of rules ?? []) found.push(podOf(rule, this.totals.sent++));
    }
    return found;
  }
}

/** Spreads requests by their number: every part of a sequence is near to the weights. */
const GOLDEN = 0.618_033_988_749_895;

function podOf(rule: Rule, index: number): string | undefined {
  const total = rule.reduce((sum, { weight }) => sum + weight, 0);
  let left = ((index * GOLDEN) % 1) * total;
  const backend = rule.find(({ weight }) => (left -= weight) < 0);
  return backend?.pods[index % Math.max(1, backend.pods.length)];
}

/** Every rule of every HTTPRoute; those with matches of a release are for anyone who asks for it, who is a client too. */
function rulesIn(store: ObjectStore, service: ClientHabits['service']): readonly Rule[] {
  const direct =
    service === undefined ? [] : [[{ weight: 1, pods: readyPods(store, service.namespace, service.name) }]];
  const routed = store
    .list(HTTP_ROUTES)
    .flatMap((route) =>
      objects(specOf(route)['rules']).map((rule) =>
        objects(rule['backendRefs']).map((ref) => backendOf(store, route, ref)),
      ),
    );
  return [...direct, ...routed];
}

function backendOf(store: ObjectStore, { metadata }: KubeObject, backend: JsonObject): Rule[number] {
  return { weight: count(backend['weight'], 1), pods: readyPods(store, metadata.namespace, text(backend['name'])) };
}

function readyPods(store: ObjectStore, namespace: string, service: string): readonly string[] {
  return store
    .list(ENDPOINT_SLICES, namespace)
    .filter((slice) => labelsOf(slice)[SERVICE_NAME] === service)
    .flatMap((slice) => objects(slice['endpoints']))
    .filter((endpoint) => part(endpoint, 'conditions')['ready'] === true)
    .map((endpoint) => text(part(endpoint, 'targetRef')['uid']));
}

/** A pod that was asked to go stays Ready, and ends what it has started, until it is gone. */
function answers(pod: KubeObject): boolean {
  return objects(statusOf(pod)['conditions']).some(({ type, status }) => type === 'Ready' && status === 'True');
}
