/** From what commits tell, newest first, to deliveries: one small value a release, whatever lies between. */

import type { Instant } from '../../api/time.ts';
import type { Oid } from '../../ports/git.ts';
import type { LogEntry } from './log-entry.ts';

type Outcome =
  | 'undone'
  | 'adopted'
  | 'settled'
  | 'rolled back'
  | 'rolling back'
  | 'in progress'
  | 'superseded'
  | 'ended';

export type StepTold = {
  readonly step: string;
  readonly reason: string;
  readonly at: Instant;
  /** Until the next commit of this delivery; undefined: it is the last one. */
  readonly seconds: number | undefined;
  readonly commit: Oid;
  readonly approvedBy: string;
  readonly policies: readonly string[];
  /** That it passed shut windows by. */
  readonly exceptions: readonly string[];
};

export type OrderShown = {
  readonly rollout: string;
  /** Empty: it names none. */
  readonly release: string;
  readonly what: string;
  readonly at: Instant;
  readonly by: string;
  readonly commit: Oid;
};

export type Delivery = {
  readonly rollout: string;
  readonly release: string;
  readonly outcome: Outcome;
  /** The first step that was read of it. */
  readonly begunAt: Instant;
  /** Its last commit; undefined: it goes on. */
  readonly endedAt: Instant | undefined;
  /** Newest first. */
  readonly steps: readonly StepTold[];
  /** Newest first. */
  readonly orders: readonly OrderShown[];
  /** Why it went back, or that it was taken over; empty: it did not go back. */
  readonly why: string;
  readonly firstStep: Oid;
  readonly plannedFrom: string;
};

type Open = { -readonly [K in keyof Delivery]: Delivery[K] } & { steps: StepTold[]; orders: OrderShown[] };

/** What is known of the end of a delivery whose steps are yet to be read. */
type Ending = { outcome: Outcome; endedAt: Instant | undefined; why: string; steps: StepTold[] };

type Lane = { open: Open | undefined; ending: Ending | undefined; orders: OrderShown[]; nextAt: Instant | undefined };

/** These end a delivery where they settle; what else settles only mends a file. */
const ENDS: Readonly<Record<string, Outcome | undefined>> = {
  Settled: 'settled',
  NoNewRevision: 'settled',
  RolledBack: 'rolled back',
  Adopted: 'adopted',
};
/** Why a delivery goes back. */
const BACK = ['Aborted', 'Reverted', 'Failed', 'Undone'];

/** Collects; what there is so far is there newest first. */
type Collector = {
  readonly add: (told: LogEntry) => void;
  readonly deliveries: () => readonly Delivery[];
  /** All of them, whether or not they belong to a delivery; a stop of all Rollouts is about none. */
  readonly orders: () => readonly OrderShown[];
};

/** Of `isMeant` Rollouts alone. */
export function deliveryCollector(isMeant: (rollout: string) => boolean): Collector {
  const lanes = new Map<string, Lane>();
  const found: Open[] = [];
  const orders: OrderShown[] = [];
  const laneOf = (rollout: string): Lane => {
    const lane = lanes.get(rollout) ?? { open: undefined, ending: undefined, orders: [], nextAt: undefined };
    lanes.set(rollout, lane);
    return lane;
  };
  return {
    add: (told) => {
      if (told.kind !== 'line' && !isMeant(told.rollout)) return;
      const { rollout, release, what, at, by, commit } = told;
      const order: OrderShown = { rollout, release, what, at, by, commit };
      if (told.kind !== 'step') orders.push(order);
      if (told.kind === 'order') addOrder(laneOf(rollout), order);
      else if (told.kind === 'step') addStep(laneOf(rollout), told, found);
    },
    deliveries: () => found,
    orders: () => orders,
  };
}

function addOrder(lane: Lane, order: OrderShown): void {
  // Before its first step it is meant for the release that was asked for.
  if (lane.open !== undefined && lane.open.release === order.release) lane.open.orders.push(order);
  else lane.orders.push(order);
}

function addStep(lane: Lane, told: LogEntry, found: Open[]): void {
  const { step, reason, at, commit, approvedBy, policies, exceptions } = told;
  const seconds = lane.nextAt === undefined ? undefined : Math.max(0, lane.nextAt - at);
  const shown: StepTold = { step, reason, at, seconds, commit, approvedBy, policies, exceptions };
  const end = step === 'settled' ? ENDS[reason] : undefined;
  if (step === 'rollback') {
    if (lane.open !== undefined) close(lane);
    const ending = (lane.ending ??= { outcome: 'rolling back', endedAt: undefined, why: '', steps: [] });
    ending.steps.push(shown);
    if (BACK.includes(reason)) ending.why = told.why === '' ? reason : told.why;
  } else if (end !== undefined && isBack(lane.ending)) {
    // It had settled, and was taken back afterwards.
    lane.ending = { ...lane.ending, outcome: 'undone', steps: [...lane.ending.steps, shown] };
  } else if (end !== undefined) {
    close(lane);
    lane.nextAt = undefined;
    lane.ending = { outcome: end, endedAt: at, why: '', steps: [{ ...shown, seconds: undefined }] };
    if (end === 'adopted') begin(lane, told, found);
    if (end === 'adopted') close(lane);
  } else if (step !== 'settled') {
    const isSame = lane.open?.release === told.release && lane.ending === undefined;
    if (!isSame) begin(lane, told, found);
    extend(lane, told, shown);
  }
  lane.nextAt = at;
}

function isBack(ending: Ending | undefined): ending is Ending {
  return ending?.outcome === 'rolled back' || ending?.outcome === 'rolling back';
}

function close(lane: Lane): void {
  lane.open = undefined;
}

/** A delivery whose last commit this is, or whose end was read before. */
function begin(lane: Lane, { rollout, release, at, commit, plannedFrom }: LogEntry, found: Open[]): void {
  const before = lane.open;
  const ending = lane.ending;
  lane.ending = undefined;
  lane.open = {
    rollout,
    release,
    outcome: ending?.outcome ?? (before === undefined ? 'in progress' : 'superseded'),
    begunAt: at,
    endedAt: ending === undefined ? before?.begunAt : ending.endedAt,
    steps: ending?.steps ?? [],
    orders: lane.orders.filter((order) => order.release === '' || order.release === release),
    why: ending?.why ?? '',
    firstStep: commit,
    plannedFrom,
  };
  lane.orders = [];
  found.push(lane.open);
}

function extend(lane: Lane, told: LogEntry, shown: StepTold): void {
  const { open } = lane;
  if (open === undefined) return;
  open.steps.push(shown);
  open.begunAt = told.at;
  open.firstStep = told.commit;
  open.plannedFrom = told.plannedFrom;
}
