/** What one seed is about: a small world, which faults there are, how often, and who is busy (swarm testing). */

import type { Gate, LwsVersion } from '../../src/simulator/modes.ts';
import { Chance } from './chance.ts';
import type { ClientName } from './client-routes.ts';
import type { RouteName } from './route-texts.ts';
import { filledSteps, fillsOf } from './setup-filled.ts';
import { type Shares, sharedSteps, sharesOf } from './setup-shared.ts';

/** Everything that goes wrong at a port or with a process. */
export const faultKinds = [
  'git read fails',
  'git reply lost',
  'stale heads',
  'push fails before',
  'push reply lost',
  'push refused',
  'push spuriously moved',
  'push late',
  'crash before read',
  'crash after read',
  'crash before push',
  'crash after push',
  'cluster unknown',
  'partial list',
  'cluster stale',
  'slow call',
  'clock jump',
  'clock back',
  'clock years off',
  'clock ahead once',
  'clock behind once',
  'agent lags',
  'agent stops',
  'agent skips a commit',
  'agent applies a part',
  'agent in another order',
  'agent prunes',
  'agent ignores a field',
  'group fails',
  'leader killed',
  'node lost',
  'autoscaler moves',
  'LWS controller down',
  'LWS controller upgraded',
  'StatefulSet deleted',
  'LWS deleted',
  'status deleted',
  'status rewound',
  'main force-pushed',
  'main squashed',
  'main moved under a pass',
  'controllers lag',
  'status forged',
  'folder of others',
  'build fails',
  'build stopped',
  'kustomize missing',
  'settings of others',
] as const;
export type FaultKind = (typeof faultKinds)[number];
export type Rates = Readonly<Record<FaultKind, number>>;

export type StepSetup = {
  readonly replicas: string;
  readonly pause: 'none' | 'manual' | number;
  /** Per cent of the requests; not there: none. */
  readonly traffic?: number;
  /** Those of these clients, in place of a part of all. */
  readonly matches?: readonly ClientName[];
};

/** A delivery fills a second workload, and routes send it a share. */
export type Fills = {
  readonly style: 'canary' | 'blueGreen';
  /** Whether clients ask at all; without them nothing of this is there. */
  readonly routed: boolean;
  /** Kinds of the routes by which they do; not there: an HTTPRoute, as before there were others. None: blueGreen by its Service alone. */
  readonly kinds?: readonly RouteName[];
  /** How long a route lets a request take; undefined: it does not say. */
  readonly requestSeconds: number | undefined;
  /** How long gateways may take to follow; undefined: Kruise's default. */
  readonly graceSeconds: number | undefined;
  /** People take documents of a delivery out of the files, and put them back. */
  readonly hands?: true;
};

export type WorkloadSetup = {
  readonly name: string;
  readonly replicas: number;
  readonly maxUnavailable: number;
  readonly size: number;
  /** Versions differ in the size of their groups as well, and a policy lets such a change go to all groups at once. */
  readonly resizes?: boolean;
  readonly steps: readonly StepSetup[];
  /** undefined: the user's own workload is stepped through. */
  readonly fills?: Fills;
  /** Routes share out the requests between the versions of the workload itself. */
  readonly shares?: Shares;
  /** An autoscaler writes replicas; the agent leaves the field alone. */
  readonly autoscaled: boolean;
  /** Where its autoscaler is written down: only in the cluster, in Git too, or in Git with nothing to do. */
  readonly scaler?: 'live' | 'git' | 'idle';
  /** Groups that a policy wants started in addition to while a delivery goes on. */
  readonly surge?: number;
  readonly lineEnd: '\n' | '\r\n';
  /** The kustomize folder that builds it; not there: it is a plain document. */
  readonly root?: string;
  /** People's kustomization has a transformer of its own. */
  readonly labels?: true;
  /** What is wrong with it from the start; the others must go on. */
  readonly poison: 'none' | 'broken yaml' | 'no workload' | 'steps down';
};

export type Setup = {
  readonly seed: string;
  readonly workloads: readonly WorkloadSetup[];
  /** People write a policy for all of them, edit it, break it and take it away. */
  readonly policies?: true;
  /** People go back in time: they undo, revert commits of ours, put files of before back, and exchange what Rollouts name. */
  readonly back?: true;
  /** They revert older commits of ours as well, and resolve the conflicts. */
  readonly conflicts?: true;
  /** main names a key of the status branch, and every process has it. */
  readonly keyed?: true;
  /**
   * Somebody pushes anything to the status branch; somebody has a folder of main, and writes anything there; somebody merges into
   * `tranche.yaml`, and copies what others have.
   */
  readonly hostile?: { readonly pusher: boolean; readonly folder: boolean; readonly config?: true };
  /** What the base of kustomize folders says of the partition; not there: there are none. */
  readonly base?: 'locked' | 'open' | 'silent';
  readonly lws: LwsVersion;
  readonly gate: Gate;
  readonly terminationSeconds: number | undefined;
  readonly loadSeconds: number;
  readonly processes: number;
  /** Time is spent on deliveries; false only in seeds that are older than this. */
  readonly busy: boolean;
  readonly rates: Rates;
  /** People give every order that there is; false, or not there, only in seeds that are older than this. */
  readonly eager?: boolean;
  /** Where the first turn finds the workloads. */
  readonly begins?: 'fresh' | 'requested' | 'delivering';
  /** Rounds of a pass, the agent and time that such a delivery has behind it; not there: one. */
  readonly rounds?: number;
  /** How often a pass goes through in one turn, and how often the world follows at once what someone says. */
  readonly swift?: number;
  /** How much of what people do is out of the ordinary: hand edits, jumps, edited steps, retries. */
  readonly mischief: number;
  /** How much the cluster misbehaves. */
  readonly trouble: number;
  readonly turns: number;
  /** Turns that are left out, for schedules that have been made smaller. */
  readonly left?: readonly number[];
  /** How often a copy of the world is asked what would follow. */
  readonly questions: number;
};

/** Schedules whose deliveries fill a second workload. */
const FILLED_SHARE = 0.4;

/** Of the others, those whose versions share the requests of one workload. */
const SHARED_SHARE = 0.25;

/** Small worlds have most of the interleavings that go wrong, and are looked at in half the time. */
const SMALL_SHARE = 0.9;

/** Of all workloads, those whose groups change their size. */
const RESIZES_SHARE = 0.1;

/** Schedules whose status branch is signed. */
const KEYED_SHARE = 0.3;

/** The same of those with somebody hostile: what the branch says is believed in other ways without one. */
const HOSTILE_KEYED_SHARE = 0.5;

/** Schedules in which there are policies. */
const POLICIES_SHARE = 0.15;

/** Schedules in which people go back in time. */
const BACK_SHARE = 0.12;

export function setupOf(seed: string): Setup {
  const chance = new Chance(seed).fork('policies');
  const setup = guardedSetupOf(plainSetupOf(seed));
  const held = chance.flip(POLICIES_SHARE) ? withPolicies(setup, chance) : setup;
  return new Chance(seed).fork('back').flip(BACK_SHARE) ? backSetupOf(held) : held;
}

/** The same world with people who go back in time. */
export function backSetupOf(setup: Setup): Setup {
  return { ...setup, back: true, conflicts: true };
}

/** The same world, in some seeds with a key. */
function guardedSetupOf(setup: Setup): Setup {
  return new Chance(setup.seed).fork('key').flip(KEYED_SHARE) ? { ...setup, keyed: true } : setup;
}

/** Worlds with somebody hostile in which one of them merges into `tranche.yaml`. */
const SETTINGS_SHARE = 0.5;

/** With a key or without one, with one of those who want harm, or several, and with nobody who goes back in time. */
export function hostileSetupOf({ keyed: _keyed, back: _back, conflicts: _conflicts, ...setup }: Setup): Setup {
  const chance = new Chance(setup.seed).fork('hostile');
  const [pusher, folder] = chance.pick([
    [true, false],
    [false, true],
    [true, true],
  ] as const);
  const key = chance.flip(HOSTILE_KEYED_SHARE) ? ({ keyed: true } as const) : {};
  const config = chance.fork('settings').flip(SETTINGS_SHARE) ? ({ config: true } as const) : {};
  return { ...setup, ...key, workloads: setup.workloads.map(withoutHands), hostile: { pusher, folder, ...config } };
}

/** Nobody knows of a route that is taken out of the files in the drain, once the record is gone as well. */
function withoutHands(of: WorkloadSetup): WorkloadSetup {
  const { fills, shares } = of;
  if (fills !== undefined) {
    const { hands: _hands, ...plain } = fills;
    return { ...of, fills: plain };
  }
  if (shares === undefined) return of;
  const { hands: _hands, ...plain } = shares;
  return { ...of, shares: plain };
}

/** The same world with policies, and mostly with another workload next to it, so that there is somebody to share a limit with. */
function withPolicies(setup: Setup, chance: Chance): Setup {
  const { workloads } = setup;
  const beside = workloads.length === 1 && chance.flip(0.7) ? [workload(chance.fork('beside'), 'embed', 'none')] : [];
  return { ...setup, policies: true, workloads: [...workloads, ...beside] };
}

function plainSetupOf(seed: string): Setup {
  if (new Chance(seed).fork('style').flip(FILLED_SHARE)) return filledSetupOf(seed);
  if (new Chance(seed).fork('shares').flip(SHARED_SHARE)) return sharedSetupOf(seed);
  return worldOf(seed, new Chance(seed).fork('scale').flip(SMALL_SHARE));
}

/** How many of these worlds have people who take documents out of the files. */
const HANDS_SHARE = 0.25;

/** A world whose deliveries fill a second workload. */
export function filledSetupOf(seed: string): Setup {
  const chance = new Chance(seed).fork('filled');
  const setup = worldOf(seed, true);
  const [first] = setup.workloads;
  const hands = new Chance(seed).fork('hands').flip(HANDS_SHARE) ? ({ hands: true } as const) : {};
  const fills = { ...fillsOf(chance), ...hands };
  const { resizes: _resizes, surge: _surge, ...plain } = first!;
  return {
    ...setup,
    workloads: [{ ...plain, autoscaled: false, fills, steps: filledSteps(chance, { ...plain, fills }) }],
    rounds: chance.between(1, 16),
    turns: chance.between(15, 60),
    questions: 1 / 60,
  };
}

/** A world whose versions share the requests of one workload. */
export function sharedSetupOf(seed: string): Setup {
  const chance = new Chance(seed).fork('shared');
  const setup = worldOf(seed, true);
  const { resizes: _resizes, surge: _surge, ...first } = setup.workloads[0]!;
  // One group has no other version next to it.
  const replicas = chance.flip(0.1) ? 1 : Math.max(2, first.replicas);
  const plain = { ...first, replicas, autoscaled: first.autoscaled && chance.fork('scaler').flip(0.5) };
  const shares = sharesOf(chance);
  return {
    ...setup,
    workloads: [{ ...plain, shares, steps: sharedSteps(chance, { ...plain, shares }) }],
    rounds: chance.between(1, 12),
    turns: chance.between(15, 60),
    questions: 1 / 60,
  };
}

/** A world in which much is there to go wrong: for the bugs that need it. */
export function largeSetupOf(seed: string): Setup {
  return worldOf(seed, false);
}

export function worldOf(seed: string, small: boolean): Setup {
  const chance = new Chance(seed).fork('setup');
  const first = workload(chance.fork('first'), 'vllm', 'none');
  const poison = chance.weighted([
    [70, undefined],
    [15, 'none'],
    [5, 'broken yaml'],
    [5, 'no workload'],
    [5, 'steps down'],
  ] as const);
  return {
    seed,
    workloads: small || poison === undefined ? [first] : [first, workload(chance.fork('second'), 'embed', poison)],
    lws: chance.flip(0.35) ? '0.8' : '0.10',
    gate: chance.flip(0.3) ? 'on' : 'off',
    terminationSeconds: chance.flip(0.3) ? chance.between(1, 10) : undefined,
    loadSeconds: chance.pick([5, 20, 60]),
    processes: chance.weighted([
      [6, 1],
      [3, 2],
      [1, 3],
    ] as const),
    busy: true,
    eager: true,
    begins: chance.fork('begins').weighted([
      [1, 'fresh'],
      [3, 'requested'],
      [6, 'delivering'],
    ] as const),
    swift: chance.fork('swift').pick([0, 0.7, 0.9]),
    rates: ratesOf(chance.fork('rates')),
    mischief: chance.pick([0, 0, 0.1, 0.3]),
    trouble: chance.pick([0, 0.3, 1]),
    turns: small ? chance.between(15, 40) : turnsOf(chance),
    questions: 1 / 250,
  };
}

/** Most schedules are short: chance is spent better on another world than on a long life of the same one. */
function turnsOf(chance: Chance): number {
  return chance.weighted([
    [6, chance.between(50, 120)],
    [3, chance.between(120, 240)],
    [1, chance.between(240, 420)],
  ]);
}

export function workload(chance: Chance, name: string, poison: WorkloadSetup['poison']): WorkloadSetup {
  const replicas = chance.between(1, 6);
  return {
    name,
    replicas,
    maxUnavailable: chance.between(1, 2),
    size: chance.between(1, 2),
    ...(chance.fork('resizes').flip(RESIZES_SHARE) ? { resizes: true } : {}),
    steps: stepsOf(chance, replicas),
    autoscaled: chance.flip(0.2),
    scaler: chance.pick(['live', 'live', 'git']),
    ...(chance.flip(0.25) ? { surge: chance.between(1, 3) } : {}),
    lineEnd: chance.flip(0.15) ? '\r\n' : '\n',
    poison,
  };
}

/** Rising steps of one style; nine of ten plans end with everything. */
export function stepsOf(chance: Chance, replicas: number, count = chance.between(1, 4)): readonly StepSetup[] {
  const percent = chance.flip(0.6);
  const amounts = new Set<number>();
  for (let i = 1; i < count; i++) amounts.add(percent ? chance.between(1, 99) : chance.between(1, replicas));
  const rising = [...amounts].sort((a, b) => a - b).map((amount) => (percent ? `${amount}%` : `${amount}`));
  const last = percent ? '100%' : `${replicas}`;
  const all = chance.flip(0.9) && rising.at(-1) !== last ? [...rising, last] : rising;
  return (all.length === 0 ? [last] : all).map((step) => ({
    replicas: step,
    pause: chance.weighted<StepSetup['pause']>([
      [4, 'none'],
      [3, 'manual'],
      [3, 0],
      [3, 30],
      [2, 120],
    ]),
  }));
}

/** The most that a seed gives a kind that has more calls to hit than others, or fewer, or that ends a story. */
const RARE: Partial<Rates> = {
  'git read fails': 0.03,
  'git reply lost': 0.03,
  'crash before read': 0.03,
  'crash after read': 0.03,
  'slow call': 0.03,
  'partial list': 0.06,
  'clock years off': 0.01,
  'clock ahead once': 0.03,
  'clock behind once': 0.03,
  'status rewound': 0.3,
  'cluster unknown': 0.2,
  'main force-pushed': 0.05,
  'main squashed': 0.05,
};

/** In this many worlds controllers other than LWS stand still now and then. */
const LAG_SHARE = 0.25;

function ratesOf(chance: Chance): Rates {
  const rates = Object.fromEntries(
    faultKinds.map((kind) => {
      return [kind, chance.flip(0.5) ? 0 : chance.next() * (RARE[kind] ?? 0.12)];
    }),
  ) as Rates;
  return { ...rates, 'controllers lag': chance.fork('lag').flip(LAG_SHARE) ? 1 : 0 };
}

export const NO_FAULTS = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Rates;
