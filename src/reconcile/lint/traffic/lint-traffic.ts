/** Reports before a delivery starts everything about Services and routes that it could not go with. */

import type { Issue } from '../../../api/issue.ts';
import { MAX_SYNTAX_ISSUES } from '../../../manifests/limits.ts';
import type { Trials } from '../../desired/trials.ts';
import { POOL_KIND } from '../../documents/of-group.ts';
import { twinIssues } from '../../documents/twin-issues.ts';
import { lintOwners } from './lint-owners.ts';
import { lintPlan, warnPlan } from './lint-plan.ts';
import { lintPools } from './lint-pools.ts';
import { lintRoutes, openRoutes } from './lint-routes.ts';
import { lintService } from './lint-service.ts';
import { type TrafficSources, trafficFacts } from './traffic-facts.ts';
import { trafficIssue } from './traffic-finding.ts';
import { tryRoutes } from './try-routes.ts';
import { warnRoutes } from './warn-routes.ts';

/** Issues stop every step forward, warnings nothing. None where the Rollout routes no traffic. */
export function lintTraffic(
  of: TrafficSources,
  trials: Trials,
): { readonly issues: readonly Issue[]; readonly warnings: readonly Issue[] } {
  const facts = trafficFacts(of);
  if (facts === undefined) return { issues: [], warnings: [] };
  const { texts, layoutOf } = of.index;
  const { index, namespace, routing } = facts;
  const documents = [...facts.services, ...openRoutes(facts).map(({ files }) => files.route)];
  const pools = Object.values(routing.pools ?? {}).flatMap((name) => index.called(POOL_KIND, { namespace, name }));
  const found = [
    ...lintPlan(facts),
    ...(routing.pools === undefined ? lintService(facts) : lintPools(facts, routing.pools)),
    ...lintRoutes(facts),
    ...lintOwners(facts),
  ];
  return {
    issues: [
      ...[...documents, ...pools].flatMap(({ twice }) => twice.slice(0, MAX_SYNTAX_ISSUES)),
      ...documents.flatMap(layoutOf),
      ...twinIssues(documents, of.index.losersTo),
      ...found.map((one) => trafficIssue(one, texts)),
      ...tryRoutes(facts, trials),
    ],
    warnings: [...warnPlan(facts), ...warnRoutes(facts)].map((one) => trafficIssue(one, texts)),
  };
}
