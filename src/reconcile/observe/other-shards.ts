/** What other processes of the same repository have recorded, where a limit is shared with them. */

import type { Shard } from '../../api/config.ts';
import { SHARED_LIMITS } from '../../api/policy-fields.ts';
import type { Git } from '../../ports/git.ts';
import type { Reading } from '../pass.ts';
import { isOwn } from '../shard.ts';
import { otherBranches } from '../shard-branches.ts';
import { readStatus, STATUS_REQUEST, type StoredRecord } from '../status/record-store.ts';

/** Of the Rollouts that are not ours; nothing is read where no policy counts them. */
export async function recordsElsewhere(
  git: Pick<Git, 'heads' | 'readAt'>,
  { desired }: Reading,
  shard: Shard | undefined,
): Promise<ReadonlyMap<string, StoredRecord>> {
  const isShared = desired.rollouts.some(({ policy }) =>
    SHARED_LIMITS.some((field) => policy.rules[field] !== undefined),
  );
  if (shard === undefined || !isShared) return new Map();
  const heads = await git.heads(otherBranches(desired.config.statusBranch, shard));
  const found = await Promise.all(
    heads.flatMap((head) => (head === undefined ? [] : [git.readAt(head, STATUS_REQUEST)])),
  );
  const records = found.flatMap((tree) => [...readStatus(tree).records]);
  // What a shard has left there of a Rollout that is ours by now tells nothing new.
  return new Map(records.filter(([, stored]) => stored.kind === 'read' && !isOwn(stored.record, shard)));
}
