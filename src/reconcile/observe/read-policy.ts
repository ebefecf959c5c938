/** From documents to the policies of a Rollout: which of them match it, what they ask for together, what is wrong. */

import type { Issue } from '../../api/issue.ts';
import {
  NO_RULES,
  POLICY_API_VERSION,
  POLICY_KIND,
  type PolicyRules,
  parseRolloutPolicy,
  type RolloutPolicy,
} from '../../api/rollout-policy.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import { withoutEchoes } from './desired-issues.ts';
import { ambiguousFields, fieldIssue, nameOf } from './read-rollout.ts';

export type PolicyReading = {
  /** `lost`: a file that may hold policies and cannot be read; its issues are told with the file. */
  readonly kind: 'read' | 'wrong' | 'lost';
  readonly file: string;
  /** Patterns of the Rollouts that it means; undefined: every one, also where that cannot be read. */
  readonly rollouts: readonly string[] | undefined;
  /** undefined: `issues` say why. */
  readonly policy: RolloutPolicy | undefined;
  readonly issues: readonly Issue[];
};

/** What the policies say of one Rollout, and the files that say it. */
export type PolicyScope = {
  readonly rules: PolicyRules;
  readonly files: readonly string[];
  readonly issues: readonly Issue[];
};

/** For what no Rollout names. */
export const NO_SCOPE: PolicyScope = { rules: NO_RULES, files: [], issues: [] };

/** Every policy of the files. A file that may hold one and cannot be read is one that means every Rollout. */
export function readPolicies(files: readonly ManifestFile[]): readonly PolicyReading[] {
  return files.flatMap((file) => {
    const policies = file.documents.filter((document) => document.object.kind === POLICY_KIND).map(readPolicy);
    if (file.issues.length === 0 || [...file.text.matchAll(POLICY_LINE)].length <= policies.length) return policies;
    const issues = withoutEchoes(file.issues);
    return [...policies, { kind: 'lost', file: file.file, rollouts: undefined, policy: undefined, issues }];
  });
}

const POLICY_LINE = new RegExp(`\\bkind["']?[ \\t]*:[ \\t]*["']?${POLICY_KIND}\\b`, 'g');

function readPolicy(document: ManifestDocument): PolicyReading {
  const { file } = document;
  if (document.object.apiVersion !== POLICY_API_VERSION)
    return { kind: 'wrong', file, rollouts: undefined, policy: undefined, issues: [versionIssue(document)] };
  const { policy, rollouts, faults } = parseRolloutPolicy(document.value);
  const issues = [...faults.map((fault) => fieldIssue(document, fault)), ...ambiguousFields(document)];
  const read = issues.length === 0 ? policy : undefined;
  return { kind: read === undefined ? 'wrong' : 'read', file, rollouts, policy: read, issues };
}

function versionIssue(document: ManifestDocument): Issue {
  return {
    file: document.file,
    line: document.lineOf(['apiVersion']),
    path: 'apiVersion',
    reason: 'NotSupportedYet',
    message: `${nameOf(document)}: apiVersion is ${document.object.apiVersion}, wanted ${POLICY_API_VERSION}`,
    hint: `Write the policy in ${POLICY_API_VERSION}.`,
  };
}
