/** The worlds of the exhaustive part: their size, how many reconcilers, and whether capacity is kept by a surge. */

import type { Hand } from './hands.ts';
import type { LawName } from './laws.ts';
import { type Fills, NO_FAULTS, type Setup, type StepSetup, type WorkloadSetup } from './setup.ts';
import type { Shares } from './setup-shared.ts';

export const pointFaults = ['crash before', 'crash after', 'reply lost'] as const;
export type PointFault = (typeof pointFaults)[number];

/** By the number of the call, from 0. */
export type StrictFaults = ReadonlyMap<number, PointFault>;

/** Where the faults of one run are, in the order of the calls. */
export type Place = readonly (readonly [call: number, fault: PointFault])[];

export type StorySetup = {
  readonly groups: number;
  readonly steps: readonly StepSetup[];
  readonly reconcilers: 1 | 2;
  /** Groups beyond N while the delivery goes on; 0: none. */
  readonly surge: number;
  /** A second workload is filled. */
  readonly fills?: Fills;
  /** Versions share the requests of one workload. */
  readonly shares?: Shares;
  /** What happens after which round, from 1; not there: nothing. */
  readonly acts?: readonly (readonly [round: number, act: Act])[];
  /** How long pods take to end; not there: no time. */
  readonly terminationSeconds?: number;
  /** How long groups take to load; not there: a few seconds. */
  readonly loadSeconds?: number;
  /** From one round to the next; not there: longer than most waits. */
  readonly roundSeconds?: number;
  /** An autoscaler of the primary is in Git, and has nothing to do. */
  readonly scaler?: true;
  /** Another workload with a Rollout of its own is next to it, and nothing is asked of that. */
  readonly neighbour?: true;
  /** The gate MaxUnavailableStatefulSet: several groups may be replaced at once. */
  readonly gate?: 'on';
};

/** What people do in a story, and what becomes of the groups of a side. */
export type Act =
  | 'abort'
  | 'undo'
  | 'a newer template'
  | 'the new version dies'
  | 'one group of it dies'
  | 'another share'
  | 'the partition by hand'
  | 're-created'
  | 'the agent rests'
  | 'its annotations are forged'
  | Hand;

export type StoryEnd = {
  readonly broken: { readonly law: LawName; readonly message: string } | undefined;
  /** How many calls there were. */
  readonly calls: number;
  /** How many there were when the new version was asked for. */
  readonly requestedAt: number;
  /** All that happened from this round on: equal for equal runs. */
  readonly from: (turn: number) => string;
  readonly timeline: () => string;
};

const STEPS: readonly StepSetup[] = [
  { replicas: '25%', pause: 0 },
  { replicas: '50%', pause: 'manual' },
  { replicas: '100%', pause: 0 },
];
const FEW_STEPS: readonly StepSetup[] = [
  { replicas: '50%', pause: 0 },
  { replicas: '100%', pause: 0 },
];

/** One share on all groups, so that the ladder is as short as one can be. */
const SHARED_STEPS: readonly StepSetup[] = [{ replicas: '100%', pause: 0, traffic: 50 }];

/** Every configuration of one workload: strategy × reconcilers. */
export const configurations = (['partition', 'partition with surge'] as const).flatMap((strategy) =>
  ([1, 2] as const).map((reconcilers) => ({ strategy, reconcilers })),
);
/** Those that fill a second one: every rung is a commit, and so these have the most calls. */
export const filledConfigurations = (['canary', 'blueGreen'] as const).map(
  (strategy) => ({ strategy, reconcilers: 1 }) as const,
);
export type Configuration = (typeof configurations)[number];
type FilledConfiguration = (typeof filledConfigurations)[number];

/** Four groups, three steps with a pause for someone. */
export function baseStory({ strategy, reconcilers }: Configuration): StorySetup {
  return { groups: 4, steps: STEPS, reconcilers, surge: strategy === 'partition' ? 0 : 1 };
}

/** Two groups, one step with half of the requests, and the promotion. */
export function filledStory({ strategy, reconcilers }: FilledConfiguration): StorySetup {
  const fills = { style: strategy, routed: true, requestSeconds: 30, graceSeconds: undefined };
  return { groups: 2, steps: SHARED_STEPS, reconcilers, surge: 0, fills };
}

/** Three groups, two of them with a share one after the other, and all: every rung that there is with one workload. */
export function sharedStory(): StorySetup {
  const steps: readonly StepSetup[] = [
    { replicas: '1', pause: 0, traffic: 20 },
    { replicas: '2', pause: 0, traffic: 50 },
    { replicas: '3', pause: 0 },
  ];
  return { groups: 3, steps, reconcilers: 1, surge: 0, shares: { requestSeconds: 30, graceSeconds: undefined } };
}

/** Two groups, two steps. */
export function smallStory(configuration: Configuration): StorySetup {
  return { ...baseStory(configuration), groups: 2, steps: FEW_STEPS };
}

const NEIGHBOUR: WorkloadSetup = {
  name: 'embed',
  replicas: 2,
  maxUnavailable: 1,
  size: 1,
  steps: FEW_STEPS,
  autoscaled: false,
  lineEnd: '\n',
  poison: 'none',
};

export function setupOfStory({
  groups,
  steps,
  reconcilers,
  surge,
  fills,
  shares,
  terminationSeconds,
  scaler,
  loadSeconds = 5,
  gate,
  neighbour,
}: StorySetup): Setup {
  return {
    seed: 'story',
    workloads: [
      {
        name: 'vllm',
        replicas: groups,
        maxUnavailable: 1,
        size: 1,
        steps,
        autoscaled: false,
        ...(scaler === true ? { scaler: 'idle' } : {}),
        ...(surge === 0 ? {} : { surge }),
        ...(fills === undefined ? {} : { fills }),
        ...(shares === undefined ? {} : { shares }),
        lineEnd: '\n',
        poison: 'none',
      },
      ...(neighbour === true ? [NEIGHBOUR] : []),
    ],
    lws: '0.10',
    gate: gate ?? 'off',
    terminationSeconds,
    loadSeconds,
    processes: reconcilers,
    busy: false,
    rates: NO_FAULTS,
    mischief: 0,
    trouble: 0,
    turns: 0,
    questions: 0,
  };
}
