/** Lets every Rollout of a pass be decided, in one order, each on what those before it leave. */

import { isDelivered } from '../rollout/plan.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import { begins, begun } from './begins.ts';
import type { Observation, Readers } from './history/observation.ts';
import type { Elsewhere } from './observe/other-shards.ts';
import { deliveriesOf, withDelivery } from './observe/turns.ts';
import { earlierDeliveries, oldestFirst, requestsOf, waitingElsewhere } from './observe/waiting.ts';
import type { Reconciled } from './outcome.ts';
import type { Memory, PassOptions, Reading } from './pass.ts';
import { windowsAt } from './policies/windows.ts';
import { reconcileOne } from './reconcile.ts';
import { restedIn, stillAtRest } from './rested.ts';
import { isOwn } from './shard.ts';

/** Each rollout alone, on the texts that the steps before it leave: two may live in one file. */
export async function decideAll(
  readers: Readers & { readonly others: Elsewhere },
  reading: Reading,
  options: PassOptions,
  memory: Memory,
): Promise<readonly Reconciled[]> {
  const { desired, status, at, keyMissing } = reading;
  const texts = new Map(desired.texts);
  const rests: { readonly of: Observation; readonly one: Reconciled }[] = [];
  const windowsOf = windowsAt(at);
  const { others } = readers;
  const records = new Map([...status.records, ...others.records]);
  const proofs = new Map([...(status.proofs ?? []), ...others.proofs]);
  let deliveries = deliveriesOf(desired.rollouts, { records, proofs, now: at });
  const { requestedAt } = readers.git;
  const requests = await requestsOf(desired.rollouts, { records, proofs, deliveries, requestedAt, now: at });
  const waiting = waitingElsewhere(desired.rollouts, others, requests);
  for (const entry of oldestFirst(desired.rollouts, requests)) {
    if (!isChosen(options.only, entry.key)) continue;
    if (!isOwn(entry.key, options.overrides.shard)) continue;
    const stored = status.records.get(printKey(entry.key));
    const earlier = earlierDeliveries(entry, stored, { waiting, deliveries, requests });
    const proof = status.proofs?.get(printKey(entry.key));
    const of = { desired, entry, stored, proof, keyMissing, deliveries, earlier, windowsOf, now: at, ...readers };
    const still = stillAtRest(memory.rested, of);
    const one = still === undefined || (await readers.isMainLost?.()) ? await reconcileOne(of, texts) : still;
    rests.push({ of, one });
    if (begins(one)) deliveries = withDelivery(deliveries, begun(one, { entry, deliveries, now: at }));
    if (isDelivered(one.plan))
      for (const write of one.writes) if (write.text !== undefined) texts.set(write.path, write.text);
  }
  memory.rested = restedIn(rests);
  return rests.map(({ one }) => one);
}

/** By its name, or with its namespace in front; where nobody is named, all are. */
export function isChosen(
  only: readonly string[],
  { namespace, name }: { readonly namespace: string; readonly name: string },
): boolean {
  return only.length === 0 || only.includes(name) || only.includes(`${namespace}/${name}`);
}
