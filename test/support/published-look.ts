/** A look as `status` and `history` publish it, with names and texts as a test wants them. */

import { printInstant } from '../../src/api/time.ts';

/** 2026-11-27T09:00:00Z. */
const NOW = 1_795_770_000;
const MAIN = '9'.repeat(40);

type Names = {
  readonly cluster?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Stands in every place for free text. */
  readonly text?: string;
  readonly url?: string;
  readonly groups?: number;
};

const at = (seconds: number): string => printInstant(NOW + seconds);
const release = (serial: number): string => `${String(serial).padStart(32, 'a')}.${serial}`;
const commit = (place: number): string => String(place).padStart(40, 'c');

/** One Rollout in step 2 of 3 of a canary, with a share, a pause, a pull request and all that a page shows. */
function rolloutJson({ cluster, namespace, name, text, url, groups = 4 }: Names): object {
  const [called, said] = [`${namespace ?? 'llm'}/${name ?? 'vllm'}`, text ?? 'The grace period of the routes lasts'];
  return {
    cluster: cluster ?? 'default',
    namespace: namespace ?? 'llm',
    name: name ?? 'vllm',
    state: 'step',
    stateText: text ?? 'step 2/3, StepTrafficRouting',
    stalled: false,
    phase: 'Progressing',
    message: said,
    release: release(2),
    stable: { commit: commit(1), digest: 'a'.repeat(32) },
    aborted: [],
    images: { from: [text ?? 'vllm/vllm-openai:v0.10.0'], to: [text ?? 'vllm/vllm-openai:v0.10.1'] },
    changedFields: [text ?? 'spec.leaderWorkerTemplate.size'],
    step: {
      text: text ?? '2/3',
      index: 2,
      of: 3,
      state: 'StepTrafficRouting',
      groups: 2,
      ofGroups: groups,
      writtenAt: at(-900),
      doneSince: at(-60),
    },
    groups: {
      ready: groups - 1,
      total: groups,
      list: Array.from({ length: groups }, (_, index) => ({
        index,
        version: index < groups / 2 ? 'stable' : 'release',
        ready: index !== 1,
        since: at(-3600),
        extra: index === groups - 1,
      })),
    },
    secondWorkload: {
      rungs: ['template', 'pods', 'traffic'],
      rung: 'traffic',
      sides: [
        { side: 'stable', name: name ?? 'vllm', groups, ready: groups, serving: groups },
        { side: 'canary', name: text ?? 'vllm-canary', groups: 2, ready: 2, serving: 2 },
      ],
      share: { wanted: text ?? '20%', live: text ?? '20%', accepted: true },
    },
    holds: [
      { reason: text ?? 'GracePeriod', message: said, lines: [text ?? 'HTTPRoute vllm: not accepted'], until: at(300) },
    ],
    conditions: [],
    metrics: {
      step: text ?? '2/3 traffic',
      list: [
        {
          name: text ?? 'chat/vllm/errors',
          answer: 'passed',
          new: { requests: 4180, bad: 12 },
          stable: { requests: 0, bad: 0 },
          until: at(-120),
          ruledOut: 1.56,
          line: text ?? '▁▂▁',
        },
      ],
    },
    expected: {
      step: { groups: 0 },
      rest: { groups: 2, seconds: 1200 },
      pauses: { seconds: 600, manual: 1 },
      overdueGroups: [],
    },
    brakes: [
      {
        kind: 'pause',
        rollout: called,
        file: text ?? 'rollouts/vllm.yaml',
        since: at(-600),
        by: text ?? 'Ada',
        why: text ?? 'lunch',
        until: at(600),
        ends: text ?? `tranche resume ${called}`,
      },
    ],
    orderedNotSeen: [text ?? 'approve'],
    changedNotSeen: [text ?? 'apps/vllm/lws.yaml'],
    pullRequest: {
      state: 'open',
      number: 12,
      url: url ?? 'https://github.example/models/pull/12',
      step: 2,
      release: release(2),
    },
  };
}

/** A settled one. */
function restingJson(names: Names): object {
  const {
    holds: _,
    brakes: __,
    step: ___,
    secondWorkload: ____,
    expected: _____,
    pullRequest: ______,
    metrics: _______,
    ...rest
  } = rolloutJson(names) as Record<string, object>;
  const groups = Array.from({ length: names.groups ?? 4 }, (_none, index) => ({
    index,
    version: 'release',
    ready: true,
    since: at(-86_400),
    extra: false,
  }));
  return {
    ...rest,
    state: 'settled',
    stateText: 'settled',
    phase: 'Healthy',
    holds: [],
    brakes: [],
    orderedNotSeen: [],
    changedNotSeen: [],
    groups: { ready: groups.length, total: groups.length, list: groups },
  };
}

const shown = (kind: 'moving' | 'resting', names: Names): object =>
  kind === 'moving' ? rolloutJson(names) : restingJson(names);

type Look = { readonly status: unknown; readonly history: unknown };

/** The look, as JSON that was read. */
export function lookOf(rollouts: readonly (Names & { readonly kind: 'moving' | 'resting' })[], text?: string): Look {
  const status = {
    version: 1,
    asOf: { kind: 'recorded', at: at(0), main: MAIN, commitsAhead: 0, moreAhead: false },
    brakes: [
      {
        kind: 'stop',
        file: text ?? 'policies/stop.yaml',
        since: at(-60),
        by: text ?? 'Ada',
        why: text ?? 'maintenance',
        ends: text ?? 'tranche go',
      },
    ],
    rollouts: rollouts.map(({ kind, ...names }) => shown(kind, { ...names, ...(text === undefined ? {} : { text }) })),
    notLookedAt: [text ?? 'llm/new'],
    failed: [{ namespace: text ?? 'llm', name: text ?? 'broken', why: text ?? 'its file is wrong' }],
  };
  const history = {
    version: 1,
    main: MAIN,
    read: { commits: 10, end: 'first' },
    deliveries: rollouts.flatMap(({ cluster = 'default', namespace = 'llm', name = 'vllm' }) =>
      [3, 2, 1].map((serial) => deliveryJson(`${cluster}/${namespace}/${name}`, serial, text)),
    ),
    orders: [],
    holds: [],
  };
  return { status, history };
}

function deliveryJson(rollout: string, serial: number, text: string | undefined): object {
  const start = -86_400 * (4 - serial);
  const isOver = serial < 3;
  const step = (name: string, after: number, groups?: object, percent = 0): object => ({
    ...(groups === undefined ? {} : { groups }),
    ...(isOver ? {} : { share: { percent, matches: percent === 20 } }),
    step: text ?? name,
    reason: text ?? 'StepReady',
    at: at(start + after),
    seconds: 600,
    commit: commit(serial),
    approvedBy: text ?? (name === '2/3' ? '#12' : ''),
    policies: [text ?? 'production@4f1c4f1c4f1c'],
    exceptions: [text ?? 'freeze by Ada until 2026-12-27T00:00:00Z'],
  });
  return {
    rollout,
    release: release(serial),
    outcome: isOver ? (serial === 1 ? 'rolled back' : 'settled') : 'in progress',
    begunAt: at(start),
    ...(isOver ? { endedAt: at(start + 7200) } : {}),
    steps: [
      ...(isOver ? [step('settled', 7200)] : []),
      step('3/3', 5400, { updated: 4, of: 4 }, 66.7),
      step('2/3', 2400, { updated: 2, of: 4 }, 20),
      step('1/3', 0, { updated: 1, of: 4 }),
    ],
    orders: [
      {
        rollout,
        release: release(serial),
        what: text ?? 'approve step 1',
        at: at(start + 2000),
        by: text ?? 'Ada',
        commit: commit(serial),
      },
    ],
    why: text ?? (serial === 1 ? 'it was aborted' : ''),
    firstStep: commit(serial),
    plannedFrom: commit(serial),
    images: [text ?? 'vllm/vllm-openai:v0.10.1'],
    requested: { by: text ?? 'Ada', commit: commit(serial), at: at(start - 600) },
    isBorneOut: true,
    ...(isOver
      ? {}
      : {
          changes: [
            `- leaderWorkerTemplate.size: ${text ?? '2'}`,
            `+ leaderWorkerTemplate.size: ${text ?? '4'}`,
            text ?? '… and 3 more',
          ],
        }),
  };
}
