/** Reads main and the status branch for one Rollout that somebody names. The cluster is not asked. */

import type { Config } from '../api/config.ts';
import type { Git } from '../ports/git.ts';
import type { RolloutKey } from '../rollout/snapshot.ts';
import type { Desired, DesiredRollout } from './desired/desired-rollout.ts';
import { readDesired } from './observe/read-main.ts';
import { desiredHead, readConfig } from './observe/read-settings.ts';
import { newMemory, type Overrides, type Ports } from './pass.ts';
import { isOwn, shardOf } from './shard.ts';
import { keysAt } from './status/keys-at.ts';
import { proven } from './status/proven.ts';
import type { StatusBranch } from './status/record-store.ts';
import { nothingKnown } from './status/seen-numbers.ts';
import { statusAt } from './status/status-at.ts';
import { pick, type Target } from './target.ts';

/** Where an order, or a look at one Rollout without its cluster, takes place. */
export type Scene = {
  readonly main: string;
  readonly desired: Desired;
  readonly entry: DesiredRollout;
  /** The branch that has the record of the target. */
  readonly status: StatusBranch;
};

type Asked = { readonly target: Target; readonly overrides: Overrides };

/** Everything that an order is planned on, or which Rollout it cannot be about. */
export async function readScene(ports: Ports, { target, overrides }: Asked): Promise<Scene | string> {
  const { git } = ports;
  const { main, config } = await desiredHead(git, overrides);
  const [ownHead] = await git.heads([config.statusBranch]);
  const desired = await readDesired(git, main, { config, memory: newMemory(), builder: ports.builder });
  const entry = pick(desired, target);
  if (typeof entry === 'string') return entry;
  const statusHead = isOwn(entry.key, overrides.shard) ? ownHead : await headOfShard(git, entry, { main, overrides });
  const status = believed(await statusAt(git, statusHead), ports, { key: entry.key, config, overrides });
  return { main, desired, entry, status };
}

/** The branch as far as the keys on main bear it out. */
function believed(
  read: StatusBranch,
  { clock, signatures }: Ports,
  of: { readonly key: RolloutKey; readonly config: Config; readonly overrides: Overrides },
): StatusBranch {
  const { shard } = of.overrides;
  const place = { cluster: of.config.cluster, shard: shard === undefined ? undefined : shardOf(of.key, shard.of) };
  const judging = { signatures, config: of.config, place, now: clock.now(), keysAt: keysAt(clock) };
  return proven(read, judging, nothingKnown()).status;
}

/** People need not know which shard their Rollout belongs to: the number of them tells. */
async function headOfShard(
  git: Git,
  { key }: DesiredRollout,
  { main, overrides }: { readonly main: string; readonly overrides: Overrides },
): Promise<string | undefined> {
  const { of } = overrides.shard ?? { of: 1 };
  const shard = { index: shardOf(key, of), of };
  const config = await readConfig(git, main, { ...overrides, shard });
  return (await git.heads([config.statusBranch]))[0];
}
