/** What two InferencePools must be, so that shares between them are shares between the two workloads. */

import { at } from '../../../api/json.ts';
import { LWS_NAME, WORKER_INDEX } from '../../../api/lws-labels.ts';
import type { InferencePools } from '../../../api/policy-pools.ts';
import { stringsIn } from '../../../api/service.ts';
import { isOneWorkload } from '../../../api/styles.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import { LEADER_INDEX, selectorRow } from '../../../rollout/traffic/selectors.ts';
import { POOL_KIND } from '../../documents/of-group.ts';
import { lintNames } from './lint-names.ts';
import type { TrafficFacts } from './traffic-facts.ts';
import type { TrafficFinding } from './traffic-finding.ts';

/** Both pools are there once, and take in the leaders of their own workload and nothing else. */
export function lintPools(facts: TrafficFacts, pools: InferencePools): readonly TrafficFinding[] {
  return [
    ...unsupported(facts),
    ...side(facts, pools, 'stable'),
    ...side(facts, pools, 'canary'),
    ...lintNames(facts, undefined),
  ];
}

function unsupported({ rollout, routing, routingPath, plan }: TrafficFacts): readonly TrafficFinding[] {
  const other = routing.routes.find(({ kind }) => kind !== 'HTTPRoute');
  const why = isOneWorkload(plan.style)
    ? 'both versions are pods of one workload, which no pool can tell apart'
    : other === undefined
      ? undefined
      : `${other.kind} ${other.name} cannot send to an InferencePool`;
  if (why === undefined) return [];
  return [
    {
      document: rollout,
      path: [...routingPath, 'service'],
      reason: 'PoolNotSupported',
      what: `it shares between two InferencePools, and ${why}`,
      hint: 'Share between pools by HTTPRoutes, in the canary or the blueGreen strategy.',
    },
  ];
}

function side(facts: TrafficFacts, pools: InferencePools, which: keyof InferencePools): readonly TrafficFinding[] {
  const { index, namespace, rollout, routingPath, sides, pods } = facts;
  const name = pools[which];
  const [pool, ...others] = index.called(POOL_KIND, { namespace, name });
  if (pool === undefined || others.length > 0)
    return [
      {
        document: rollout,
        path: [...routingPath, 'service'],
        reason: 'PoolMissing',
        what: `InferencePool ${namespace}/${name} is in the files ${others.length + (pool === undefined ? 0 : 1)} times, wanted once: the policy names it in inferencePools`,
        hint: 'Both pools stay in Git with their pickers. Check the name, and paths in tranche.yaml.',
      },
    ];
  const { keys, path } = selectorOf(pool);
  const row = selectorRow(keys, pods);
  const isStable = which === 'stable';
  const own = isStable ? row.stableLeader : row.canaryLeader;
  const foreign = [row.stableWorker, row.canaryWorker, isStable ? row.canaryLeader : row.stableLeader];
  if (own === 'yes' && foreign.every((match) => match === 'no')) return [];
  const workload = sides.workloads[which];
  return [
    {
      document: pool,
      path,
      reason: 'SelectorNotPinned',
      what: `the selector must take in the leaders of ${workload} and nothing else of this Rollout: by ${LWS_NAME}: ${workload} and ${WORKER_INDEX}: "${LEADER_INDEX}"`,
      hint: 'With the patch it does; whatever else it takes in now leaves it at once.',
      mend: [
        { kind: 'set', path: [...path, LWS_NAME], value: workload },
        { kind: 'set', path: [...path, WORKER_INDEX], value: LEADER_INDEX },
      ],
    },
  ];
}

/** Pools of the API before v1 have their labels in the selector itself. */
function selectorOf({ value }: ManifestDocument): {
  readonly keys: Readonly<Record<string, string>>;
  readonly path: readonly string[];
} {
  const selector = at(value, ['spec', 'selector']);
  const path = ['spec', 'selector', 'matchLabels'];
  const labels = at(value, path);
  const isOld = labels === undefined && Object.keys(stringsIn(selector)).length > 0;
  return isOld ? { keys: stringsIn(selector), path: ['spec', 'selector'] } : { keys: stringsIn(labels), path };
}
