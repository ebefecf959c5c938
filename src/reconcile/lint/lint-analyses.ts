/** What is wrong with Analyses, and with policies that ask for one that is not there: a pass looks at none that nobody waits for. */

import { CONFIG_FILE } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { ANALYSIS_KIND, POLICY_KIND } from '../../api/kinds.ts';
import { nearest } from '../../api/nearest.ts';
import type { Analyses } from '../analysis/read-analyses.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import type { PolicyReading } from '../policies/policy-scope.ts';

/** Each at its line: that of the Analysis, or of `analyses` in a policy that matches a Rollout. */
export function analysisIssues(
  { rollouts, config }: Pick<Desired, 'rollouts' | 'config'>,
  found: Analyses,
): readonly Issue[] {
  const { analyses, wrong, issues } = found;
  const there = [...analyses.map(({ name }) => name), ...wrong];
  const where =
    config.policyPaths === undefined ? 'no file has one' : `no file of the policyPaths of ${CONFIG_FILE} has one`;
  const asking = new Set(rollouts.flatMap(({ policy }) => policy.matching));
  return [...issues, ...[...asking].flatMap((policy) => missingIn(policy, { there, where }))];
}

function missingIn(
  { policy, name, file, line, lines }: PolicyReading,
  { there, where }: { readonly there: readonly string[]; readonly where: string },
): readonly Issue[] {
  const missing = (policy?.analyses ?? []).filter((one) => !there.includes(one));
  return missing.map((one) => {
    const meant = nearest(one, there);
    const guess = meant === undefined ? '' : `Did you mean ${meant}? `;
    return {
      file,
      line: lines.analyses ?? line,
      path: 'spec.analyses',
      reason: 'AnalysisMissing',
      message: `${POLICY_KIND} ${name} asks for the ${ANALYSIS_KIND} ${one} of every step, and ${where}: no step of its Rollouts goes forward`,
      hint: `${guess}Write one of that name, or take it out of analyses.`,
    };
  });
}
