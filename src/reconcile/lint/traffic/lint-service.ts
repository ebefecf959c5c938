/** What the Service of a Rollout must be, so that a share of its requests can go to the new version. */

import { at } from '../../../api/json.ts';
import { LWS_NAME, WORKER_INDEX } from '../../../api/lws-labels.ts';
import { OF } from '../../../api/marks.ts';
import { parseService } from '../../../api/service.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import {
  isDynamic,
  keyMatch,
  LEADER_INDEX,
  type SelectorRow,
  selectorRow,
} from '../../../rollout/traffic/selectors.ts';
import { SERVICE_KIND } from '../../observe/traffic-index.ts';
import type { TrafficFacts } from './traffic-facts.ts';
import type { TrafficFinding } from './traffic-finding.ts';

/** Everything that the Service must have; where it is not there once, only that is said. */
export function lintService(facts: TrafficFacts): readonly TrafficFinding[] {
  const [service] = facts.services;
  if (service === undefined || facts.services.length > 1) return [notOnce(facts)];
  return [
    ...selector(facts, service),
    ...claimedTwice(facts),
    ...likeWorkload(facts, service),
    ...takenNames(facts),
    ...longNames(facts),
  ];
}

function notOnce({ rollout, routing, routingPath, services, namespace }: TrafficFacts): TrafficFinding {
  const path = [...routingPath, 'service'];
  const [first, second] = services;
  if (first === undefined || second === undefined)
    return {
      document: rollout,
      path,
      reason: 'ServiceMissing',
      what: `there is no Service ${namespace}/${routing.service} in the files that were read: a share of its requests cannot be taken`,
      hint: 'Check the name, and paths in tranche.yaml. Each Service must be a document of its own, with its namespace.',
    };
  return {
    document: second,
    path: ['metadata', 'name'],
    reason: 'DuplicateObject',
    what: `the same Service is also in ${first.file}:${first.firstLine}; which of them the cluster gets is not clear`,
    hint: 'Remove one of them, or narrow paths in tranche.yaml.',
  };
}

const SELECTOR = ['spec', 'selector'];

function selector(facts: TrafficFacts, document: ManifestDocument): readonly TrafficFinding[] {
  const { selector: keys } = parseService(document.value);
  const name = facts.sides.workloads.stable;
  const isPinned = keys[LWS_NAME] === name && keys[WORKER_INDEX] === LEADER_INDEX;
  if (!isPinned) return [notPinned(facts, document)];
  return Object.keys(keys).flatMap((key) => wrongKey(facts, document, key));
}

function notPinned(facts: TrafficFacts, document: ManifestDocument): TrafficFinding {
  const { selector: keys } = parseService(document.value);
  const { stable } = facts.sides.workloads;
  return {
    document,
    path: SELECTOR,
    reason: 'SelectorNotPinned',
    what: `the selector must have ${LWS_NAME}: ${stable} and ${WORKER_INDEX}: "${LEADER_INDEX}"; ${effect(facts, selectorRow(keys, facts.pods), keys)}`,
    hint: `With the patch it takes in the leaders of ${stable} and nothing else; whatever else it takes in now leaves it at once.`,
    mend: [
      { kind: 'set', path: [...SELECTOR, LWS_NAME], value: stable },
      { kind: 'set', path: [...SELECTOR, WORKER_INDEX], value: LEADER_INDEX },
      ...Object.keys(keys)
        .filter(isDynamic)
        .map((key) => ({ kind: 'remove', path: [...SELECTOR, key] }) as const),
    ],
  };
}

/** What the present selector does, in words. */
function effect({ sides, pods }: TrafficFacts, row: SelectorRow, keys: Readonly<Record<string, string>>): string {
  if (Object.keys(keys).length === 0) return 'it has none, so it reaches nothing';
  const { stable, canary } = sides.workloads;
  const taken = [
    ...(row.stableWorker === 'no' ? [] : [`workers of ${stable}, which serve no requests`]),
    ...(row.canaryLeader === 'no'
      ? []
      : [`leaders of ${canary}, so that the new version would get requests before any step`]),
    ...(pods.canary === undefined || row.canaryWorker === 'no' ? [] : [`workers of ${canary}`]),
  ];
  if (row.stableLeader === 'no') return `it takes in no leader of ${stable}`;
  const some = row.stableLeader === 'some' ? ' some' : '';
  return taken.length === 0
    ? `it takes in${some} leaders of ${stable}, and any other pod with these labels`
    : `it takes in${some} leaders of ${stable} and also ${taken.join(', and ')}`;
}

function wrongKey({ pods, sides }: TrafficFacts, document: ManifestDocument, key: string): readonly TrafficFinding[] {
  const value = parseService(document.value).selector[key] ?? '';
  const path = [...SELECTOR, key];
  const mend = [{ kind: 'remove', path }] as const;
  if (isDynamic(key))
    return [
      {
        document,
        path,
        reason: 'SelectorDynamic',
        what: `the selector has ${key}: ${value}, which only some of the groups have: the others get no requests`,
        hint: 'Remove it; the name of the workload and worker-index "0" name its leaders.',
        mend,
      },
    ];
  const unlike = [pods.stable, pods.canary].find(
    (side) => side !== undefined && keyMatch(key, value, side.leader) === 'no',
  );
  if (unlike === undefined || key === LWS_NAME) return [];
  const seen = unlike.leader[key];
  return [
    {
      document,
      path,
      reason: 'SelectorMismatch',
      what: `the selector has ${key}: ${value}, and the leaders of ${unlike.leader[LWS_NAME] ?? sides.workloads.stable} ${seen === undefined ? 'have no such label' : `have ${seen}`}: they would get no requests`,
      hint: 'Remove the key, or give the leader template the label: that is a new version, and goes in steps.',
      mend,
    },
  ];
}

function claimedTwice({
  rollout,
  routing,
  routingPath,
  namespace,
  manifests,
}: TrafficFacts): readonly TrafficFinding[] {
  const others = manifests.rollouts.filter(
    (other) =>
      other !== rollout &&
      (other.object.namespace || namespace) === namespace &&
      servicesOf(other).includes(routing.service),
  );
  const [other] = others;
  if (other === undefined) return [];
  return [
    {
      document: rollout,
      path: [...routingPath, 'service'],
      reason: 'ServiceClaimedTwice',
      what: `Service ${routing.service} is also named by Rollout ${other.object.name} (${other.file}:${other.firstLine}): both would write its shares`,
      hint: 'Give each Rollout a Service of its own.',
    },
  ];
}

function servicesOf({ value }: ManifestDocument): readonly unknown[] {
  return ['canary', 'blueGreen'].flatMap((style) => {
    const routings = at(value, ['spec', 'strategy', style, 'trafficRoutings']);
    return Array.isArray(routings) ? routings.map((routing) => at(routing, ['service'])) : [];
  });
}

/** LWS makes a headless Service with the name of each workload, and one for each group where subdomains are unique. */
function likeWorkload(
  { sides, manifests, namespace }: TrafficFacts,
  document: ManifestDocument,
): readonly TrafficFinding[] {
  const there = manifests.workloads
    .filter(({ object }) => (object.namespace || namespace) === namespace)
    .map(({ object }) => object.name);
  const workloads = [...new Set([...there, sides.workloads.canary])];
  return [sides.stable, sides.canary].flatMap((service) => {
    const twin = workloads.find(
      (name) => service === name || (service.startsWith(`${name}-`) && /^[0-9]+$/.test(service.slice(name.length + 1))),
    );
    if (twin === undefined) return [];
    return [
      {
        document,
        path: ['metadata', 'name'],
        reason: 'ServiceNamedLikeWorkload',
        what: `Service ${service} takes the name of the headless Service that LWS makes for LeaderWorkerSet ${twin}: either the groups find no leader, or requests find no port`,
        hint: 'Rename the Service, in its routes and in the Rollout too.',
      },
    ];
  });
}

/** Documents of other people under the names that a delivery gives its own. */
function takenNames({ sides, manifests, index, namespace, routes }: TrafficFacts): readonly TrafficFinding[] {
  const { stable, canary } = sides.workloads;
  const documents = [
    ...(canary === stable ? [] : manifests.workloadsCalled({ namespace, name: canary })),
    ...index.called(SERVICE_KIND, { namespace, name: sides.canary }),
    ...routes.flatMap(({ files, provider }) =>
      provider?.copies === true && files?.canary !== undefined ? [files.canary] : [],
    ),
  ];
  return documents
    .filter(({ value }) => at(value, ['metadata', 'annotations', OF]) !== stable)
    .map((document) => ({
      document,
      path: ['metadata', 'name'],
      reason: 'NameTaken',
      what: `a delivery of ${stable} makes the ${document.object.kind} of this name, and this one was not made by it: it lacks ${OF}: ${stable}`,
      hint: 'Rename it.',
    }));
}

const LABEL_LIMIT = 63;
/** In the longest label that LWS writes, behind the name: a group's number and the hash of a revision, each with its dash. */
const BEHIND_NAME = 12;

function longNames({ sides, rollout, routingPath, file }: TrafficFacts): readonly TrafficFinding[] {
  const ordinals = String(Math.max(0, (file.workload.replicas ?? 1) - 1)).length;
  const names = [
    { name: sides.workloads.canary, limit: LABEL_LIMIT - BEHIND_NAME - ordinals, what: 'LeaderWorkerSet' },
    { name: sides.canary, limit: LABEL_LIMIT, what: 'Service' },
  ];
  return names
    .filter(({ name, limit }) => name.length > limit)
    .map(({ name, limit, what }) => ({
      document: rollout,
      path: what === 'Service' ? [...routingPath, 'service'] : ['spec', 'workloadRef', 'name'],
      reason: 'NameTooLong',
      what: `a delivery makes the ${what} ${name}, which has ${name.length} characters; Kubernetes takes ${limit}`,
      hint: 'Give it a shorter name.',
    }));
}
