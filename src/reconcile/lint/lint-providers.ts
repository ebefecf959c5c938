/** Analyses whose server of metrics the environment does not name. */

import type { Issue } from '../../api/issue.ts';
import { ANALYSIS_KIND } from '../../api/kinds.ts';
import { addressVariable, namesProviders } from '../../api/metrics-providers.ts';
import type { AnalysisFile } from '../analysis/read-analyses.ts';

/**
 * As warnings, on the line of the provider. Where the environment names no server at all, as in the check of a pull request that
 * has none of the runner's settings, nothing is known of the runner, and nothing is said.
 */
export function providerWarnings(
  analyses: readonly AnalysisFile[],
  env: Readonly<Record<string, string | undefined>>,
): readonly Issue[] {
  if (!namesProviders(env)) return [];
  return analyses.flatMap(({ name, provider, file, providerLine }) => {
    const variable = addressVariable(provider);
    if ((env[variable] ?? '') !== '') return [];
    return [
      {
        file,
        line: providerLine,
        path: 'spec.provider',
        reason: 'ProviderUnset',
        message: `${ANALYSIS_KIND} ${name} asks ${provider}, and ${variable} is not set here, though others are: a step would hold with MetricsUnreadable`,
        hint: `Correct the name, or set ${variable} to the address of its server.`,
      },
    ];
  });
}
