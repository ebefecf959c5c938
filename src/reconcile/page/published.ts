/** Reads the published JSON of `status` and `history`, version 1, for the pages: tolerantly, and never more than is shown. */

import { at, isRecord } from '../../api/json.ts';
import { list, number, text, texts } from './json-parts.ts';
import { type MetricsShown, metricsIn } from './published-metrics.ts';

/** Rollouts that are read. */
const ROLLOUTS_MOST = 10_000;

export type BrakeLine = {
  readonly kind: string;
  /** Empty: all Rollouts. */
  readonly rollout: string;
  readonly file: string;
  readonly since: string;
  readonly by: string;
  readonly why: string;
  readonly until: string;
  readonly ends: string;
};

export type GroupCell = {
  readonly index: number;
  readonly version: 'release' | 'stable' | 'other' | 'absent';
  readonly ready: boolean;
  readonly since: string;
  readonly extra: boolean;
};

export type HoldLine = {
  readonly reason: string;
  readonly message: string;
  readonly lines: readonly string[];
  readonly until: string;
};

type SideLine = {
  readonly side: string;
  readonly name: string;
  readonly groups: number;
  readonly ready: number | undefined;
  readonly serving: number | undefined;
};

/** One Rollout of `status`. Texts that are not there are empty. */
export type RolloutShown = {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly stateText: string;
  readonly stalled: boolean;
  readonly message: string;
  readonly release: string;
  readonly stableCommit: string;
  readonly images: { readonly from: readonly string[]; readonly to: readonly string[] };
  readonly changedFields: readonly string[];
  readonly step: StepShown | undefined;
  readonly unseen: { readonly why: string; readonly since: string } | undefined;
  readonly groups: readonly GroupCell[];
  readonly second: SecondShown | undefined;
  readonly holds: readonly HoldLine[];
  /** undefined: nothing was judged. */
  readonly metrics: MetricsShown | undefined;
  readonly brakes: readonly BrakeLine[];
  /** Seconds until all is loaded, without pauses that wait for someone; undefined: not known, or nothing is delivered. */
  readonly leftSeconds: number | undefined;
  readonly manualPauses: number;
  readonly orderedNotSeen: readonly string[];
  readonly changedNotSeen: readonly string[];
  readonly pull: { readonly state: string; readonly number: number | undefined; readonly url: string } | undefined;
};

type StepShown = {
  readonly text: string;
  readonly state: string;
  readonly groups: number | undefined;
  readonly ofGroups: number | undefined;
  readonly writtenAt: string;
  readonly doneSince: string;
};

type SecondShown = {
  readonly rungs: readonly string[];
  readonly rung: string;
  readonly sides: readonly SideLine[];
  readonly share: { readonly wanted: string; readonly live: string; readonly accepted: boolean } | undefined;
};

export type StatusShown = {
  /** undefined: no pass has written a status yet. */
  readonly asOf: { readonly at: string; readonly main: string; readonly overdueSince: string } | undefined;
  readonly brakes: readonly BrakeLine[];
  readonly rollouts: readonly RolloutShown[];
  readonly notLookedAt: readonly string[];
  readonly failed: readonly { readonly rollout: string; readonly why: string }[];
};

/** Undefined where this is no status of version 1. */
export function statusOf(value: unknown): StatusShown | undefined {
  if (at(value, ['version']) !== 1 || !Array.isArray(at(value, ['rollouts']))) return undefined;
  const asOf = at(value, ['asOf']);
  return {
    asOf: isRecord(asOf)
      ? { at: text(asOf, 'at'), main: text(asOf, 'main'), overdueSince: text(asOf, 'overdueSince') }
      : undefined,
    brakes: list(value, 'brakes').map(brakeOf),
    rollouts: list(value, 'rollouts', ROLLOUTS_MOST).map(rolloutOf),
    notLookedAt: texts(value, 'notLookedAt'),
    failed: list(value, 'failed').map((one) => ({
      rollout: `${text(one, 'namespace')}/${text(one, 'name')}`,
      why: text(one, 'why'),
    })),
  };
}

function rolloutOf(one: unknown): RolloutShown {
  const [step, second, unseen, pull] = ['step', 'secondWorkload', 'unseen', 'pullRequest'].map((key) =>
    key === 'unseen' ? at(one, ['groups', key]) : at(one, [key]),
  );
  return {
    cluster: text(one, 'cluster'),
    namespace: text(one, 'namespace'),
    name: text(one, 'name'),
    state: text(one, 'state'),
    stateText: text(one, 'stateText'),
    stalled: at(one, ['stalled']) === true,
    message: text(one, 'message'),
    release: text(one, 'release'),
    stableCommit: text(one, 'stable', 'commit'),
    images: { from: texts(at(one, ['images']), 'from'), to: texts(at(one, ['images']), 'to') },
    changedFields: texts(one, 'changedFields'),
    step: isRecord(step) ? stepOf(step) : undefined,
    unseen: isRecord(unseen) ? { why: text(unseen, 'why'), since: text(unseen, 'since') } : undefined,
    groups: list(at(one, ['groups']), 'list').map(groupOf),
    second: isRecord(second) ? secondOf(second) : undefined,
    holds: list(one, 'holds').map((hold) => ({
      reason: text(hold, 'reason'),
      message: text(hold, 'message'),
      lines: texts(hold, 'lines'),
      until: text(hold, 'until'),
    })),
    metrics: metricsIn(one),
    brakes: list(one, 'brakes').map(brakeOf),
    leftSeconds: leftOf(at(one, ['expected'])),
    manualPauses: number(one, 'expected', 'pauses', 'manual') ?? 0,
    orderedNotSeen: texts(one, 'orderedNotSeen'),
    changedNotSeen: texts(one, 'changedNotSeen'),
    pull: isRecord(pull)
      ? { state: text(pull, 'state'), number: number(pull, 'number'), url: text(pull, 'url') }
      : undefined,
  };
}

function stepOf(step: unknown): StepShown {
  return {
    text: text(step, 'text'),
    state: text(step, 'state'),
    groups: number(step, 'groups'),
    ofGroups: number(step, 'ofGroups'),
    writtenAt: text(step, 'writtenAt'),
    doneSince: text(step, 'doneSince'),
  };
}

function secondOf(second: unknown): SecondShown {
  const share = at(second, ['share']);
  return {
    rungs: texts(second, 'rungs'),
    rung: text(second, 'rung'),
    sides: list(second, 'sides').map((side) => ({
      side: text(side, 'side'),
      name: text(side, 'name'),
      groups: number(side, 'groups') ?? 0,
      ready: number(side, 'ready'),
      serving: number(side, 'serving'),
    })),
    share: isRecord(share)
      ? { wanted: text(share, 'wanted'), live: text(share, 'live'), accepted: at(share, ['accepted']) === true }
      : undefined,
  };
}

const VERSIONS = ['release', 'stable', 'other', 'absent'] as const;

function groupOf(one: unknown): GroupCell {
  const version = VERSIONS.find((known) => known === text(one, 'version')) ?? 'other';
  const [ready, extra] = [at(one, ['ready']) === true, at(one, ['extra']) === true];
  return { index: number(one, 'index') ?? 0, version, ready, since: text(one, 'since'), extra };
}

const BRAKE_TEXTS = ['kind', 'rollout', 'file', 'since', 'by', 'why', 'until', 'ends'];

function brakeOf(one: unknown): BrakeLine {
  const [kind = '', rollout = '', file = '', since = '', by = '', why = '', until = '', ends = ''] = BRAKE_TEXTS.map(
    (key) => text(one, key),
  );
  return { kind, rollout, file, since, by, why, until, ends };
}

/** Loading and pauses that end by themselves; undefined where no group was seen loading yet. */
function leftOf(expected: unknown): number | undefined {
  const parts = ['step', 'rest', 'pauses'].map((part) => {
    const groups = number(expected, part, 'groups');
    return groups === 0 ? 0 : number(expected, part, 'seconds');
  });
  return parts.reduce<number | undefined>(
    (sum, part) => (sum === undefined || part === undefined ? undefined : sum + part),
    0,
  );
}
