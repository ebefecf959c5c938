/** What a command line takes for each Rollout: its name, and in addition to it only what that leaves open. Asks nothing. */

import { type Config, DEFAULT_CONFIG, type Overrides } from '../../api/config.ts';
import { shellText } from '../../api/shell-word.ts';
import type { RolloutKey } from '../../rollout/snapshot.ts';

/**
 * The same with what people type for it: the namespace where another namespace has one of that name, and what this process
 * was told over `tranche.yaml`, which anyone who copies a command out of a message would not say by themselves.
 */
export function withCalled<T extends { readonly key: RolloutKey }>(
  rollouts: readonly T[],
  { flags }: Pick<Config, 'flags'>,
): readonly T[] {
  const namespaces = new Map<string, string>();
  const shared = new Set<string>();
  for (const { key } of rollouts) {
    const known = namespaces.get(key.name) ?? key.namespace;
    if (known !== key.namespace) shared.add(key.name);
    namespaces.set(key.name, known);
  }
  if (shared.size === 0 && flags === undefined) return rollouts;
  return rollouts.map((one) => {
    const { namespace, name } = one.key;
    const full = shared.has(name) ? `${namespace}/${name}` : name;
    const called = flags === undefined ? full : `${full} ${flags}`;
    return called === name ? one : { ...one, key: { ...one.key, called } };
  });
}

/**
 * What the command line says otherwise than the file does, to be typed again. A branch always, if it is not the one that
 * everybody starts with: the file was read from there. `=`, because a list of paths would take in what comes behind it.
 */
export function flagsOver(file: Config, given: Overrides): string | undefined {
  const { branch, statusBranch, cluster, paths, shard } = given;
  const isSame = paths === undefined || JSON.stringify(paths) === JSON.stringify(file.paths);
  const flags = [
    ...(cluster === undefined || cluster === file.cluster ? [] : [`--cluster=${cluster}`]),
    ...(isSame ? [] : paths.map((path) => `--path=${path}`)),
    ...(branch === undefined || branch === DEFAULT_CONFIG.branch ? [] : [`--branch=${branch}`]),
    ...(statusBranch === undefined || statusBranch === file.statusBranch ? [] : [`--status-branch=${statusBranch}`]),
    ...(shard === undefined || shard.of === 1 ? [] : [`--shard=${shard.index}/${shard.of}`]),
  ];
  return flags.length === 0 ? undefined : flags.map(shellText).join(' ');
}
