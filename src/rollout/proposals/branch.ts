/** The branch of a pull request: a function of what it approves, so that anyone who proposes the same finds it there. */

import { OWN } from '../../api/own-branches.ts';
import { DIGEST_PATTERN, parseRelease, printRelease, type Release } from '../../api/release.ts';
import type { RolloutKey } from '../snapshot.ts';

/** What a branch is called after. */
type Named = {
  readonly index: number;
  readonly release: Release;
  readonly digest: string;
  /** There: it holds the step itself, and not the word for it. */
  readonly form?: 'Guarded' | undefined;
};

/** All branches of one Rollout start with this. */
export function branchesOf({ cluster, namespace, name }: RolloutKey): string {
  return `${branchesIn(cluster)}${namespace}/${name}/`;
}

/** And all of a cluster. */
export function branchesIn(cluster: string): string {
  return `${OWN.proposals}${cluster}/`;
}

/** What holds the step itself is another branch than what holds the approval of the same commit. */
const FIELDS = '-fields';

const BRANCH = new RegExp(`^([0-9a-f.]+)-(0|[1-9][0-9]?)-(${DIGEST_PATTERN})(${FIELDS})?$`);

/** `tranche/prod-eu/llm/vllm/<release>-1-<digest of the commit>`, each digest in full: a branch is found by its name. */
export function branchOf(key: RolloutKey, { index, release, digest, form }: Named): string {
  return `${branchesOf(key)}${printRelease(release)}-${index}-${digest}${form === undefined ? '' : FIELDS}`;
}

/** What this branch of the Rollout is called after; undefined: it is none of its. */
export function namedBy(key: RolloutKey, branch: string): Named | undefined {
  const prefix = branchesOf(key);
  const match = BRANCH.exec(branch.startsWith(prefix) ? branch.slice(prefix.length) : '');
  const release = match?.[1] === undefined ? undefined : parseRelease(match[1]);
  return release === undefined || match?.[3] === undefined
    ? undefined
    : {
        index: Number(match[2]),
        release,
        digest: match[3],
        ...(match[4] === undefined ? {} : { form: 'Guarded' }),
      };
}
