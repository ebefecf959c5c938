/** What the policies of a commit asked of a Rollout. */

import type { PolicyRules } from '../../api/policy-rules.ts';
import type { Oid } from '../../ports/git.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import { desiredOf } from '../desired/desired.ts';
import type { Observation } from './observation.ts';

/** undefined: that commit has no such Rollout. Throws PortError. */
export async function rulesAt(
  { git, entry, desired }: Pick<Observation, 'git' | 'entry' | 'desired'>,
  commit: Oid,
): Promise<PolicyRules | undefined> {
  const then = desiredOf(await git.treeAt(commit), desired.config, new Map(), { known: desired.trials.known });
  return then.rollouts.find(({ key }) => printKey(key) === printKey(entry.key))?.policy.rules;
}
