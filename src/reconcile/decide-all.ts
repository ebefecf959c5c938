/** Lets every Rollout of a pass be decided, in one order, each on what those before it leave. */

import { isDelivered } from '../rollout/plan.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import { begins, begun } from './begins.ts';
import { type DesiredRollout, isStepped } from './desired/desired-rollout.ts';
import type { Observation, Readers } from './history/observation.ts';
import type { Delivery } from './history/turn-taker.ts';
import type { Elsewhere } from './observe/other-shards.ts';
import { deliveriesOf, withDelivery } from './observe/turns.ts';
import { earlierDeliveries, oldestFirst, requestsOf, waitingElsewhere } from './observe/waiting.ts';
import type { Reconciled } from './outcome.ts';
import type { Memory, PassOptions, Reading } from './pass.ts';
import { windowsAt } from './policies/windows.ts';
import { reconcileOne } from './reconcile.ts';
import { stoodAside } from './refused-brakes.ts';
import { restedIn, stillAtRest } from './rested.ts';
import { isOwn } from './shard.ts';
import { decidedEarly, isStill } from './together.ts';

/**
 * Each rollout alone, on the texts that the steps before it leave: two may live in one file. Those in progress are looked at
 * together first; what was decided of one then stands, unless one before it has changed what that hangs on.
 */
export async function decideAll(
  readers: Readers & { readonly others: Elsewhere },
  reading: Reading,
  options: PassOptions,
  memory: Memory,
): Promise<readonly Reconciled[]> {
  const { desired, status, at } = reading;
  const texts = new Map(desired.texts);
  const changed = new Set<string>();
  const rests: { readonly of: Observation; readonly one: Reconciled }[] = [];
  const { chosen, observe, started } = await turnsTaken(readers, reading, options);
  let deliveries = started;
  const underWay = chosen.filter((entry) => isUnderWay(entry, status));
  const early = await decidedEarly(
    underWay.map((entry) => observe(entry, deliveries)),
    texts,
  );
  const before = new Map(early.map((one) => [one.of.entry, one]));
  for (const entry of chosen) {
    const of = observe(entry, deliveries);
    const done = before.get(entry);
    const still = done === undefined ? stillAtRest(memory.rested, of) : undefined;
    const isRested = still !== undefined && !(await readers.isMainLost?.());
    const isDone = done !== undefined && isStill(done, of, changed);
    const decided = isRested ? still : isDone ? done.one : await reconcileOne(of, texts);
    const one = stoodAside(decided, options.refused);
    rests.push({ of, one });
    if (begins(one)) deliveries = withDelivery(deliveries, begun(one, { entry, deliveries, now: at }));
    if (!isDelivered(one.plan)) continue;
    for (const { path, text } of one.writes) {
      if (text === undefined) continue;
      changed.add(path);
      texts.set(path, text);
    }
  }
  memory.rested = restedIn(rests);
  return rests.map(({ one }) => one);
}

type Turns = {
  /** Those that this pass decides, who has waited for longest first. */
  readonly chosen: readonly DesiredRollout[];
  /** What one is observed from while these are in progress. */
  readonly observe: (entry: DesiredRollout, deliveries: readonly Delivery[]) => Observation;
  /** Those in progress before this pass starts any. */
  readonly started: readonly Delivery[];
};

async function turnsTaken(
  readers: Readers & { readonly others: Elsewhere },
  { desired, status, at, keyMissing }: Reading,
  options: PassOptions,
): Promise<Turns> {
  const windowsOf = windowsAt(at);
  const { others } = readers;
  const records = new Map([...status.records, ...others.records]);
  const proofs = new Map([...(status.proofs ?? []), ...others.proofs]);
  const started = deliveriesOf(desired.rollouts, { records, proofs, now: at });
  const { requestedAt } = readers.git;
  const requests = await requestsOf(desired.rollouts, { records, proofs, deliveries: started, requestedAt, now: at });
  const waiting = waitingElsewhere(desired.rollouts, others, requests);
  return {
    chosen: oldestFirst(desired.rollouts, requests).filter(
      ({ key }) => isChosen(options.only, key) && isOwn(key, options.overrides.shard),
    ),
    observe: (entry, deliveries) => {
      const stored = status.records.get(printKey(entry.key));
      const earlier = earlierDeliveries(entry, stored, { waiting, deliveries, requests });
      const proof = status.proofs?.get(printKey(entry.key));
      return { desired, entry, stored, proof, keyMissing, deliveries, earlier, windowsOf, now: at, ...readers };
    },
    started,
  };
}

/**
 * By its file or by its record, so that no list of the cluster is asked for early that the pass would not have asked for at
 * once: what is at rest, or only asks for something, has its turn.
 */
function isUnderWay(entry: DesiredRollout, { records }: Reading['status']): boolean {
  const stored = records.get(printKey(entry.key));
  return isStepped(entry) || (stored?.kind === 'read' && !stored.record.settled);
}

/** By its name, or with its namespace in front; where nobody is named, all are. */
export function isChosen(
  only: readonly string[],
  { namespace, name }: { readonly namespace: string; readonly name: string },
): boolean {
  return only.length === 0 || only.includes(name) || only.includes(`${namespace}/${name}`);
}
