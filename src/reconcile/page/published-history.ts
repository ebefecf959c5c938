/** Reads the published JSON of `history`, version 1, for the pages. */

import { at, isRecord } from '../../api/json.ts';
import { list, number, text, texts } from './json-parts.ts';

/** Deliveries of all Rollouts that are read, the newest. */
const DELIVERIES_MOST = 20_000;
/** Changed fields of one release: `history` has no more. */
const CHANGES_MOST = 100;

export type StepLine = {
  readonly step: string;
  readonly reason: string;
  readonly at: string;
  readonly seconds: number | undefined;
  readonly commit: string;
  readonly approvedBy: string;
  readonly policies: readonly string[];
  readonly exceptions: readonly string[];
  /** Groups that the files of this commit release for update; undefined: they do not tell. */
  readonly groups: { readonly updated: number; readonly of: number } | undefined;
  /** Percent of the requests that they send to the new version, and whether those with certain headers as well; undefined: they do not tell. */
  readonly share: { readonly percent: number; readonly matches: boolean } | undefined;
};

export type OrderLine = { readonly what: string; readonly at: string; readonly by: string; readonly commit: string };

export type DeliveryShown = {
  /** Cluster, namespace and name. */
  readonly rollout: string;
  readonly release: string;
  readonly outcome: string;
  readonly begunAt: string;
  /** Empty: it goes on. */
  readonly endedAt: string;
  /** Newest first. */
  readonly steps: readonly StepLine[];
  readonly orders: readonly OrderLine[];
  readonly why: string;
  readonly images: readonly string[];
  readonly requested: { readonly by: string; readonly commit: string; readonly at: string } | undefined;
  readonly isBorneOut: boolean | undefined;
  /** Of its release against the stable version, a line each, `-` or `+` first; undefined: not known. */
  readonly changes: readonly string[] | undefined;
};

/** By Rollout, newest first each; undefined where this is no history of version 1. */
export function historyOf(value: unknown): ReadonlyMap<string, readonly DeliveryShown[]> | undefined {
  if (at(value, ['version']) !== 1 || !Array.isArray(at(value, ['deliveries']))) return undefined;
  const found = new Map<string, DeliveryShown[]>();
  for (const one of list(value, 'deliveries', DELIVERIES_MOST)) {
    const delivery = deliveryOf(one);
    const before = found.get(delivery.rollout);
    if (before === undefined) found.set(delivery.rollout, [delivery]);
    else before.push(delivery);
  }
  return found;
}

function deliveryOf(one: unknown): DeliveryShown {
  const requested = at(one, ['requested']);
  const borneOut = at(one, ['isBorneOut']);
  return {
    rollout: text(one, 'rollout'),
    release: text(one, 'release'),
    outcome: text(one, 'outcome'),
    begunAt: text(one, 'begunAt'),
    endedAt: text(one, 'endedAt'),
    steps: list(one, 'steps').map(stepOf),
    orders: list(one, 'orders').map((order) => ({
      what: text(order, 'what'),
      at: text(order, 'at'),
      by: text(order, 'by'),
      commit: text(order, 'commit'),
    })),
    why: text(one, 'why'),
    images: texts(one, 'images'),
    requested: isRecord(requested)
      ? { by: text(requested, 'by'), commit: text(requested, 'commit'), at: text(requested, 'at') }
      : undefined,
    isBorneOut: typeof borneOut === 'boolean' ? borneOut : undefined,
    changes: Array.isArray(at(one, ['changes'])) ? texts(one, 'changes').slice(0, CHANGES_MOST) : undefined,
  };
}

function stepOf(step: unknown): StepLine {
  const [updated, of] = [number(step, 'groups', 'updated'), number(step, 'groups', 'of')];
  return {
    step: text(step, 'step'),
    reason: text(step, 'reason'),
    at: text(step, 'at'),
    seconds: number(step, 'seconds'),
    commit: text(step, 'commit'),
    approvedBy: text(step, 'approvedBy'),
    policies: texts(step, 'policies'),
    exceptions: texts(step, 'exceptions'),
    groups: updated === undefined || of === undefined || updated > of ? undefined : { updated, of },
    share: shareOf(step),
  };
}

function shareOf(step: unknown): StepLine['share'] {
  const percent = at(step, ['share', 'percent']);
  if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) return undefined;
  return { percent, matches: at(step, ['share', 'matches']) === true };
}
