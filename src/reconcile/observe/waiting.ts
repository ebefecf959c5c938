/** In which order Rollouts are decided: who has waited for longest is asked first, where several want one place. */

import type { Instant } from '../../api/time.ts';
import type { HoldReason } from '../../rollout/hold.ts';
import type { RecordProof } from '../../rollout/record/trust.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { readWorkload } from '../documents/read-workload.ts';
import type { RequestReader } from '../history/arrival.ts';
import type { Delivery } from '../history/turn-taker.ts';
import { isOwn } from '../shard.ts';
import type { StoredRecord } from '../status/record-store.ts';
import type { Elsewhere } from './other-shards.ts';
import { turnsOf } from './turns.ts';

/** More requests than this are not looked up on main in one pass: those behind them, by name, wait as if they were new. */
const LOOKED_UP_MOST = 50;

/** Since when the requests have waited that are known to wait, by the printed key of their Rollout. */
type Requests = ReadonlyMap<string, Instant>;

type Asking = {
  readonly records: ReadonlyMap<string, StoredRecord>;
  readonly proofs?: ReadonlyMap<string, RecordProof> | undefined;
  readonly deliveries: readonly Delivery[];
  readonly requestedAt: RequestReader;
  readonly now: Instant;
};

/**
 * A record says it where it is signed, or where this process has written it. Else the place of the request on main's own line
 * does, for the template that the file has: anyone who can push to the status branch gains no place by what is there, and takes
 * none. Asked of main only where a limit is shared and has a place free. Throws PortError where Git fails.
 */
export async function requestsOf(rollouts: readonly DesiredRollout[], asking: Asking): Promise<Requests> {
  const requests = new Map<string, Instant>();
  const asked: { readonly key: string; readonly since: Promise<Instant | undefined> }[] = [];
  for (const entry of rollouts) {
    const key = printKey(entry.key);
    const isProven = (asking.proofs?.get(key) ?? 'unproven') !== 'unproven';
    const since = isProven ? requestedSince(asking.records.get(key)) : undefined;
    if (since !== undefined) requests.set(key, since);
    const digest = isProven ? undefined : requestedDigest(entry, asking.deliveries);
    if (digest === undefined || asked.length >= LOOKED_UP_MOST) continue;
    asked.push({ key, since: asking.requestedAt(entry, digest, asking.now) });
  }
  for (const { key, since } of await Promise.all(asked.map(async (one) => ({ ...one, since: await one.since }))))
    if (since !== undefined) requests.set(key, since);
  return requests;
}

/** The digest of a template in Git that no step delivers yet, where it could start by its limits; undefined: not such. */
function requestedDigest(entry: DesiredRollout, deliveries: readonly Delivery[]): string | undefined {
  const turns = turnsOf(entry, deliveries);
  if (entry.workload === undefined || turns.length === 0) return undefined;
  if (turns.some(({ underWay, most }) => underWay.length >= most)) return undefined;
  const file = readWorkload(entry.workload).workload;
  const marks = file?.workload.marks;
  return marks === undefined || marks.step !== undefined || marks.release.digest === file?.digest
    ? undefined
    : file?.digest;
}

/** Those whose request is known to wait come first, the oldest of them before the others, of the same age as they are. */
export function oldestFirst(rollouts: readonly DesiredRollout[], requests: Requests): readonly DesiredRollout[] {
  if (requests.size === 0) return rollouts;
  const sinceOf = ({ key }: DesiredRollout): Instant => requests.get(printKey(key)) ?? Number.POSITIVE_INFINITY;
  const isWaiting = ({ key }: DesiredRollout): boolean => requests.has(printKey(key));
  const first = rollouts.filter(isWaiting).sort((a, b) => sinceOf(a) - sinceOf(b));
  return [...first, ...rollouts.filter((entry) => !isWaiting(entry))];
}

/** A Rollout of another process that waits for its turn alone. */
type Waiting = {
  readonly entry: DesiredRollout;
  readonly since: Instant;
  /** The commit on main, or the pass that saw it, which is later. */
  readonly dated: 'by main' | 'by its record';
};

/**
 * Those, by what their processes have recorded. Where no signature bears that out, or a record is gone, each that is requested on
 * main counts as one that waits for nothing else: who pushes to the status branch takes no place so, and the wait for it ends.
 */
export function waitingElsewhere(
  rollouts: readonly DesiredRollout[],
  { shard, records, proofs }: Elsewhere,
  requests: Requests,
): readonly Waiting[] {
  if (shard === undefined) return [];
  return rollouts.flatMap((entry): readonly Waiting[] => {
    const key = printKey(entry.key);
    if (isOwn(entry.key, shard)) return [];
    const since = requests.get(key);
    if (since === undefined) return [];
    const stored = records.get(key);
    if ((proofs.get(key) ?? 'unproven') === 'unproven') return [{ entry, since, dated: 'by main' }];
    const holds = stored?.kind === 'read' ? stored.record.holds : [];
    const isItsTurn = holds.length > 0 && holds.every(({ reason }) => reason === TURN);
    return isItsTurn ? [{ entry, since, dated: 'by its record' }] : [];
  });
}

/** Those that have asked before this one, of the same age by name, and that a place is free for: theirs to take. */
export function earlierDeliveries(
  { key }: DesiredRollout,
  stored: StoredRecord | undefined,
  {
    waiting,
    deliveries,
    requests,
  }: { readonly waiting: readonly Waiting[]; readonly deliveries: readonly Delivery[]; readonly requests: Requests },
): readonly Delivery[] {
  const name = printKey(key);
  const [recorded, counted] = [requestedSince(stored), requests.get(name)];
  const later = recorded === undefined || counted === undefined ? undefined : Math.max(recorded, counted);
  // Next to a record, which a pass makes, the date of a commit alone would be too early.
  const own = { 'by main': counted, 'by its record': later };
  const isElder = ({ entry, since, dated }: Waiting): boolean => {
    const asked = own[dated];
    return asked === undefined || since < asked || (since === asked && printKey(entry.key) < name);
  };
  const isFree = ({ entry }: Waiting): boolean =>
    turnsOf(entry, deliveries).every(({ underWay, most }) => underWay.length < most);
  return waiting
    .filter((one) => isElder(one) && isFree(one))
    .map(({ entry }) => ({ key: entry.key, policy: entry.policy, step: 'requested' }));
}

const TURN: HoldReason = 'NotItsTurn';

function requestedSince(stored: StoredRecord | undefined): Instant | undefined {
  return stored?.kind === 'read' ? stored.record.requested?.since : undefined;
}
