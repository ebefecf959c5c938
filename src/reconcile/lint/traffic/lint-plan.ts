/** What the plan of a Rollout with traffic must be, against the workload that it is for. */

import { floorOf, percentOf } from '../../../api/int-or-percent.ts';
import { at } from '../../../api/json.ts';
import type { RolloutStep } from '../../../api/rollout-steps.ts';
import { parseService } from '../../../api/service.ts';
import { isOneWorkload, STYLES, takesTurns, updatesPrimary } from '../../../api/styles.ts';
import { DEFAULT_MAX_UNAVAILABLE } from '../../../api/workload.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import type { Edit } from '../../../rollout/edits/edit.ts';
import { immutableChanges } from '../../../rollout/edits/recreate-change.ts';
import { changedSizes } from '../../../rollout/edits/size-change.ts';
import { SUBSET_KINDS } from '../../../rollout/traffic/subsets.ts';
import { greenServesElsewhere, type TrafficFacts } from './traffic-facts.ts';
import type { TrafficFinding } from './traffic-finding.ts';

/** Steps, policies and owners that a delivery with traffic could not go with. */
export function lintPlan(facts: TrafficFacts): readonly TrafficFinding[] {
  return [
    ...lastStep(facts),
    ...modifiers(facts),
    ...scalers(facts),
    ...refusedFields(facts),
    ...surge(facts),
    ...shapes(facts),
    ...jsonFiles(facts),
    ...targetPorts(facts),
  ];
}

function stepsPath({ plan }: TrafficFacts): readonly string[] {
  return ['spec', 'strategy', STYLES[plan.style].key, 'steps'];
}

/** B loses all its groups at once where N − U < 1, and T takes over all of it in blueGreen: the last step must be whole. */
function lastStep(facts: TrafficFacts): readonly TrafficFinding[] {
  const { plan, rollout, file } = facts;
  const { replicas: n, maxUnavailable = DEFAULT_MAX_UNAVAILABLE } = file.workload;
  const last = plan.steps.at(-1);
  if (last === undefined || isOneWorkload(plan.style) || greenServesElsewhere(facts)) return [];
  const isWhole = percentOf(last.replicas) === 100 || (n !== undefined && last.replicas === n);
  const path = [...stepsPath(facts), String(plan.steps.length - 1)];
  if (takesTurns(plan.style)) {
    if (isWhole) return [];
    const what = 'the last step does not start all groups, and blueGreen takes the old ones away after it';
    const mend: readonly Edit[] = [{ kind: 'set', path: [...path, 'replicas'], value: '100%' }];
    return [
      { document: rollout, path, reason: 'LastStepNotWhole', what, hint: 'Let the last step be replicas: 100%.', mend },
    ];
  }
  const uncovered = n !== undefined && n - floorOf(maxUnavailable, n) < 1;
  if (!uncovered || (isWhole && last.traffic === '100%')) return [];
  return [
    {
      document: rollout,
      path,
      reason: 'PrimaryNotCovered',
      what: `the workload has ${n} group${n === 1 ? '' : 's'}, of which ${maxUnavailable} may be down: after the last step nothing would serve while they restart`,
      hint: 'Let the last step be replicas: 100% and traffic: 100%.',
      mend: [
        { kind: 'set', path: [...path, 'replicas'], value: '100%' },
        { kind: 'set', path: [...path, 'traffic'], value: '100%' },
      ],
    },
  ];
}

/** A header is written for those requests that a rule of ours takes; a share has no rule. */
function modifiers(facts: TrafficFacts): readonly TrafficFinding[] {
  const isAlone = ({ requestHeaderModifier, matches }: RolloutStep) =>
    requestHeaderModifier !== undefined && matches.length === 0;
  return facts.plan.steps.flatMap((step, place) => {
    if (!isAlone(step)) return [];
    const path = [...stepsPath(facts), String(place), 'requestHeaderModifier'];
    return [
      {
        document: facts.rollout,
        path,
        reason: 'ModifierNotSupported',
        what: `step ${place + 1} has requestHeaderModifier without matches: a share of all requests cannot be given headers of its own`,
        hint: 'Remove it, or select the requests with matches.',
        mend: [{ kind: 'remove', path }],
      },
    ];
  });
}

/** An idle side that an autoscaler shrinks has nothing left when it gets the requests back. */
function scalers({ plan, rollout, scaler, routingPath }: TrafficFacts): readonly TrafficFinding[] {
  const inCluster = scaler === 'tranche.yaml, autoscaled';
  if (scaler === undefined || isOneWorkload(plan.style) || (updatesPrimary(plan.style) && !inCluster)) return [];
  return [
    {
      document: rollout,
      path: routingPath.slice(0, -2),
      reason: 'ScalerRefused',
      what: `${scaler} writes replicas: it would shrink the side that gets no requests, and that side is the rollback`,
      hint: inCluster
        ? 'Bring the autoscaler into Git, or take it away.'
        : 'Remove the autoscaler, or use the canary strategy.',
    },
  ];
}

/** Fields of Kruise that mean nothing here: ignoring them would be worse. */
function refusedFields(facts: TrafficFacts): readonly TrafficFinding[] {
  const { rollout, plan, sides } = facts;
  const body = ['spec', 'strategy', STYLES[plan.style].key];
  const refused = [
    ...(sides.canary === sides.stable
      ? []
      : [
          {
            key: 'disableGenerateCanaryService',
            why: whyAService(facts),
          },
        ]),
    { key: 'trafficRoutingRef', why: 'TrafficRouting objects are not read' },
    ...(isOneWorkload(plan.style)
      ? [{ key: 'patchPodTemplateMetadata', why: 'there is no second workload to patch' }]
      : []),
  ];
  return refused
    .filter(({ key }) => ![undefined, false].includes(readField(plan.strategy[key])))
    .map(({ key, why }) => ({
      document: rollout,
      path: [...body, key],
      reason: 'FieldRefused',
      what: `${key} is not supported: ${why}`,
      hint: 'Remove it.',
      mend: [{ kind: 'remove', path: [...body, key] }],
    }));
}

/** Without a Service of its own the new version must be a subset of the only one, which Istio alone knows. */
function whyAService({ plan, routes, routing }: TrafficFacts): string {
  if (!updatesPrimary(plan.style))
    return 'without a Service of its own the new version is distinguished by subsets, in the canary strategy alone';
  if (routing.pools !== undefined) return 'the new version has an InferencePool, and no Service is made';
  const others = routes.map(({ ref }) => ref.kind).filter((kind) => !SUBSET_KINDS.includes(kind));
  return others.length === 0
    ? 'the versions are subsets of the Service then, and no DestinationRule under customNetworkRefs says which'
    : `${[...new Set(others)].join(', ')} can tell the versions apart by their Services alone; only a VirtualService with a DestinationRule knows subsets of one`;
}

function readField(value: unknown): boolean | undefined {
  return value === undefined ? undefined : value !== false;
}

function surge({ plan, policy, rollout, routingPath }: TrafficFacts): readonly TrafficFinding[] {
  if (isOneWorkload(plan.style) || policy.surge === 0) return [];
  return [
    {
      document: rollout,
      path: routingPath.slice(0, -2),
      reason: 'SurgeRefused',
      what: `a policy asks for ${policy.surge} extra groups, and the ${plan.style} strategy brings its own`,
      hint: 'Write surge: 0 in a RolloutPolicy for this Rollout.',
    },
  ];
}

/** The user's workload holds the new text, locked, for the whole delivery: a group that dies must come back as it was. */
function shapes({ plan, stable, file, workload, policy }: TrafficFacts): readonly TrafficFinding[] {
  const { content, marks } = file.workload;
  if (isOneWorkload(plan.style) || stable === undefined || marks?.step !== undefined) return [];
  const size = policy.sizeChange === 'Whole' && changedSizes(stable, content) !== undefined ? ['size'] : [];
  const others = policy.recreate === 'Allow' ? immutableChanges(stable, content) : [];
  return [...size, ...others].map((field) => ({
    document: workload,
    path: ['spec', 'leaderWorkerTemplate', ...(field === 'subGroupSize' ? ['subGroupPolicy'] : []), field],
    reason: 'ShapeChangeRefused',
    what: `the edit changes ${field}, and this workload holds the new text while the other one is tried: a group of it that dies would come back half-way`,
    hint: 'Put the old value back, and make this change in a delivery of the partition strategy.',
  }));
}

/** A file that gets a second document must be able to hold two. */
function jsonFiles({ plan, workload, services, routes }: TrafficFacts): readonly TrafficFinding[] {
  const copied = routes.flatMap(({ provider, files }) =>
    provider?.copies === true && files !== undefined ? [files.route] : [],
  );
  const documents = [...(isOneWorkload(plan.style) ? [] : [workload]), ...services, ...copied];
  return documents
    .filter(({ file }) => file.endsWith('.json'))
    .map((document) => ({
      document,
      path: [],
      reason: 'JsonFile',
      what: 'a delivery writes a copy of it into its file, and a JSON file holds one document only',
      hint: `Rename it to ${document.file.slice(document.file.lastIndexOf('/') + 1).replace(/json$/, 'yaml')}, as JSON is YAML too, and name it so in a kustomization.yaml that lists it.`,
    }));
}

/** A port of the Service that no container has by that name reaches nothing. */
function targetPorts({ services: [service], workload }: TrafficFacts): readonly TrafficFinding[] {
  if (service === undefined) return [];
  const names = portNames(workload);
  return parseService(service.value).ports.flatMap(({ targetPort }, place) => {
    if (typeof targetPort !== 'string' || names.includes(targetPort)) return [];
    return [
      {
        document: service,
        path: ['spec', 'ports', String(place), 'targetPort'],
        reason: 'TargetPortUnknown',
        what: `targetPort ${targetPort} is the name of no port of the leaders' containers: requests find nobody`,
        hint: names.length === 0 ? 'Write the number of the port.' : `Use one of: ${names.join(', ')}; or a number.`,
      },
    ];
  });
}

function portNames({ value }: ManifestDocument): readonly string[] {
  const templates = at(value, ['spec', 'leaderWorkerTemplate']);
  const leader = at(templates, ['leaderTemplate']) ?? at(templates, ['workerTemplate']);
  const containers = at(leader, ['spec', 'containers']);
  const ports = (Array.isArray(containers) ? containers : []).flatMap((container) => {
    const list = at(container, ['ports']);
    return Array.isArray(list) ? list.map((port) => at(port, ['name'])) : [];
  });
  return ports.filter((name) => typeof name === 'string');
}

/** What is served before it can: said, because only the people know what their leaders wait for. */
export function warnPlan({ workload }: TrafficFacts): readonly TrafficFinding[] {
  const path = ['spec', 'startupPolicy'];
  if (at(workload.value, path) !== 'LeaderReady') return [];
  return [
    {
      document: workload,
      path,
      reason: 'LeaderReadyWithTraffic',
      what: 'startupPolicy is LeaderReady: workers start once the leader is ready, so it is given requests before its group can answer',
      hint: 'Use LeaderCreated, which restarts nothing, and let the readiness of the leader say that the model is loaded.',
      mend: [{ kind: 'set', path, value: 'LeaderCreated' }],
    },
  ];
}
