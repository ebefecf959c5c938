/** The status branches of shards: each has its own. */

import type { Shard } from '../api/config.ts';

/** The status branch of a shard, whatever their number: what it has of Rollouts that are no longer its own it removes. */
export function shardBranch(statusBranch: string, shard: Shard | undefined): string {
  return shard === undefined ? statusBranch : `${statusBranch}-${shard.index}`;
}

/** The other shards with their status branches, as the own one is called. */
export function otherShards(own: string, shard: Shard): readonly { readonly index: number; readonly branch: string }[] {
  const base = own.slice(0, -`-${shard.index}`.length);
  const all = Array.from({ length: shard.of }, (_none, index) => ({
    index,
    branch: shardBranch(base, { ...shard, index }),
  }));
  return all.filter(({ branch }) => branch !== own);
}
