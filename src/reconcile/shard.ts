/** Divides the Rollouts of a repository between processes: each has its own ones, and a status branch of its own. */

import { createHash } from 'node:crypto';
import type { Shard } from '../api/config.ts';
import { printKey } from '../rollout/key-text.ts';
import type { RolloutKey } from '../rollout/snapshot.ts';

/** Which of so many shards a Rollout belongs to: the same for everybody, wherever its files are. */
export function shardOf(key: RolloutKey, of: number): number {
  return createHash('sha256').update(printKey(key)).digest().readUInt32BE(0) % of;
}

/** True for every Rollout where there are no shards. */
export function isOwn(key: RolloutKey, shard: Shard | undefined): boolean {
  return shard === undefined || shardOf(key, shard.of) === shard.index;
}

/** The status branch of a shard, whatever their number: what it has of Rollouts that are no longer its own it removes. */
export function shardBranch(statusBranch: string, shard: Shard | undefined): string {
  return shard === undefined ? statusBranch : `${statusBranch}-${shard.index}`;
}

/** The status branches of all other shards, as the own one is called. */
export function otherBranches(own: string, shard: Shard): readonly string[] {
  const base = own.slice(0, -`-${shard.index}`.length);
  const all = Array.from({ length: shard.of }, (_none, index) => shardBranch(base, { ...shard, index }));
  return all.filter((branch) => branch !== own);
}
