/** What is wrong with the files of a pass that belongs to no Rollout in particular, and what people may not have meant. */

import type { Config } from '../../api/config.ts';
import { dataWarning, isData, type Unreadable, unreadableIssue, withoutEchoes } from '../documents/desired-issues.ts';
import { misspeltRollouts, unknownKinds } from '../documents/kind-issues.ts';
import type { ManifestIndex } from '../documents/manifest-index.ts';
import { lockedAlone } from '../documents/unnamed.ts';
import { elsewherePolicies } from '../policies/policy-clusters.ts';
import {
  idlePolicies,
  outOfReachPolicies,
  outsidePolicies,
  requiredIssues,
  unmatchedPolicies,
} from '../policies/policy-issues.ts';
import type { PolicyReading } from '../policies/policy-scope.ts';
import { unsignedRollbacks } from '../policies/unsigned-rollbacks.ts';
import type { Desired } from './desired-rollout.ts';

type Manifests = { readonly index: ManifestIndex; readonly config: Config };

type Told = Pick<Desired, 'files' | 'rollouts' | 'texts' | 'issues'> & {
  readonly unreadable: readonly Unreadable[];
  readonly policies: readonly PolicyReading[];
};

/** `issues`: those that were found on the way. What is wrong with the files that belongs to no Rollout, and what people may not have meant. */
export function fileIssues(all: Manifests, read: Told): Pick<Desired, 'issues' | 'warnings'> {
  const { files, unreadable, policies, rollouts, texts } = read;
  const { config } = all;
  const scopes = rollouts.map(({ policy }) => policy);
  return {
    issues: [
      ...unreadable.filter((file) => !isData(file)).map(unreadableIssue),
      ...files.flatMap((file) => withoutEchoes(file.issues)),
      ...read.issues,
      ...unmatchedPolicies(policies, scopes),
      ...requiredIssues(rollouts),
      ...unknownKinds(texts),
    ],
    warnings: [
      ...unreadable.filter(isData).map(dataWarning),
      ...outsidePolicies(policies, config),
      ...outOfReachPolicies(rollouts),
      ...misspeltRollouts(texts),
      ...lockedAlone(all),
      ...elsewherePolicies(policies, config.cluster),
      ...unsignedRollbacks(policies, config),
      ...idlePolicies(policies, { scopes, keys: rollouts.map(({ key }) => key), cluster: config.cluster }),
    ],
  };
}
