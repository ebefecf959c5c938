/** Whether main names the key of this process: what is signed by another, or by one that has ended, is nobody's own word. */

import type { Config, Overrides } from '../api/config.ts';
import { isInForce, keysOf } from '../api/status-keys.ts';
import type { Oid, Tree } from '../ports/git.ts';
import { CONFIG_REQUEST } from './documents/desired-branch.ts';
import type { Memory, Naming, Ports } from './pass.ts';
import { shardBranch } from './shard-branches.ts';
import { keysAt } from './status/keys-at.ts';

type Process = {
  readonly memory: Memory;
  readonly overrides: Overrides;
  /** Those that were read. */
  readonly branches: Pick<Config, 'branch' | 'statusBranch'>;
};

/**
 * The cluster for which main names the key that this process has, in force now; undefined: none, or its
 * configuration is wrong, or names other branches. The key alone proves nothing: somebody else may have it too, which is why it was taken out of main. `tree`: what
 * was read of main for its configuration. Throws PortError where main cannot be read at all.
 */
export async function namedCluster(
  ports: Pick<Ports, 'git' | 'clock' | 'signatures'>,
  main: Oid,
  { tree, ...process }: Process & { readonly tree?: Promise<Tree> | undefined },
): Promise<string | undefined> {
  const own = ports.signatures?.own;
  if (own === undefined) return undefined;
  const known = process.memory.naming;
  const naming =
    known?.main === main ? known.of : await namingOf(await (tree ?? ports.git.readAt(main, CONFIG_REQUEST)), process);
  if (naming === undefined) return undefined;
  process.memory.naming = { main, of: naming };
  const { branch, statusBranch } = process.branches;
  if (naming.branch !== branch || naming.statusBranch !== statusBranch) return undefined;
  const at = keysAt(ports.clock);
  const isNamed = keysOf(naming.statusKeys, naming.cluster).some((one) => one.key === own.key && isInForce(one, at));
  return isNamed ? naming.cluster : undefined;
}

/** undefined: it is wrong; then all is looked at, which says so. */
async function namingOf(tree: Tree, { memory, overrides }: Process): Promise<Naming | undefined> {
  const { configOf, ConfigError } = await import('./documents/read-config.ts');
  try {
    const config = configOf(tree, memory.trials?.known);
    return {
      statusKeys: config.statusKeys,
      cluster: overrides.cluster ?? config.cluster,
      branch: overrides.branch ?? config.branch,
      statusBranch: shardBranch(overrides.statusBranch ?? config.statusBranch, overrides.shard),
    };
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
