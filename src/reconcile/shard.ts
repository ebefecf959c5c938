/** Divides the Rollouts of a repository between processes: each has its own ones, and a status branch of its own (`shard-branches.ts`). */

import { createHash } from 'node:crypto';
import type { Shard } from '../api/config.ts';
import type { RolloutKey } from '../rollout/snapshot.ts';
import { printKey } from '../rollout/texts/key-text.ts';

/** Which of this many shards a Rollout belongs to: the same for everybody, wherever its files are. */
export function shardOf(key: RolloutKey, of: number): number {
  return createHash('sha256').update(printKey(key)).digest().readUInt32BE(0) % of;
}

/** True for every Rollout where there are no shards. */
export function isOwn(key: RolloutKey, shard: Shard | undefined): boolean {
  return shard === undefined || shardOf(key, shard.of) === shard.index;
}
