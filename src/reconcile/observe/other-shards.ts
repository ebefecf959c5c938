/** What other processes of the same repository have recorded, where a limit is shared with them. */

import type { Shard } from '../../api/config.ts';
import { SHARED_LIMITS } from '../../api/policy-rules.ts';
import type { Git } from '../../ports/git.ts';
import type { RecordProof } from '../../rollout/record/trust.ts';
import type { Reading } from '../pass.ts';
import { isOwn } from '../shard.ts';
import { otherShards } from '../shard-branches.ts';
import { type Judging, proven } from '../status/proven.ts';
import type { StoredRecord } from '../status/record-store.ts';
import { nothingKnown } from '../status/seen-numbers.ts';
import { statusAt } from '../status/status-at.ts';

/** Records of other shards, and what bears each of them out. */
export type Elsewhere = {
  /** Ours; undefined: there are no others, or nothing is shared with them. */
  readonly shard: Shard | undefined;
  readonly records: ReadonlyMap<string, StoredRecord>;
  readonly proofs: ReadonlyMap<string, RecordProof>;
};

const NOBODY_ELSEWHERE: Elsewhere = { shard: undefined, records: new Map(), proofs: new Map() };

/** Of the Rollouts that are not ours; nothing is read where no policy counts them. */
export async function recordsElsewhere(
  git: Pick<Git, 'heads' | 'readAt'>,
  { desired }: Reading,
  { shard, judging }: { readonly shard: Shard | undefined; readonly judging: Judging },
): Promise<Elsewhere> {
  const isShared = desired.rollouts.some(({ policy }) =>
    SHARED_LIMITS.some((field) => policy.rules[field] !== undefined),
  );
  if (shard === undefined || !isShared) return NOBODY_ELSEWHERE;
  const others = otherShards(desired.config.statusBranch, shard);
  const heads = await git.heads(others.map(({ branch }) => branch));
  const found = await Promise.all(
    others.map(async ({ index }, at) => {
      const head = heads[at];
      if (head === undefined) return [];
      const read = await statusAt(git, head);
      const place = { ...judging.place, shard: index };
      // What is wrong there its own process says.
      const { status } = proven(read, { ...judging, place }, nothingKnown());
      // What a shard has left there of a Rollout that is ours by now tells nothing new.
      return [...status.records]
        .filter(([, stored]) => stored.kind === 'read' && !isOwn(stored.record, shard))
        .map(([key, stored]) => ({ key, stored, proof: status.proofs?.get(key) ?? ('unproven' as const) }));
    }),
  );
  return {
    shard,
    records: new Map(found.flat().map(({ key, stored }) => [key, stored])),
    proofs: new Map(found.flat().map(({ key, proof }) => [key, proof])),
  };
}
