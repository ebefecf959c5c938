/** Names that a delivery with traffic must be free to use, and that nobody else may use with it. */

import { at } from '../../../api/json.ts';
import { SERVICE_KIND } from '../../../api/kinds.ts';
import { MADE_FOR } from '../../../api/marks.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import type { TrafficFacts } from './traffic-facts.ts';
import type { TrafficFinding } from './traffic-finding.ts';

/** What names of the Service, and of what is made next to it, meet with; undefined: there are pools in its place. */
export function lintNames(facts: TrafficFacts, service: ManifestDocument | undefined): readonly TrafficFinding[] {
  const own = service === undefined ? [] : likeWorkload(facts, service);
  return [...claimedTwice(facts), ...own, ...takenNames(facts), ...longNames(facts)];
}

function claimedTwice({
  sides,
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
      what: `${sides.backend} ${routing.service} is also named by Rollout ${other.object.name} (${other.file}:${other.firstLine}): both would write its shares`,
      hint: `Give each Rollout a ${sides.backend} of its own.`,
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
  return [...new Set([sides.stable, sides.canary])].flatMap((service) => {
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
    ...(sides.canary === sides.stable || sides.backend !== 'Service'
      ? []
      : index.called(SERVICE_KIND, { namespace, name: sides.canary })),
    ...routes.flatMap(({ files, provider }) =>
      provider?.copies === true && files?.canary !== undefined ? [files.canary] : [],
    ),
  ];
  return documents
    .filter(({ value }) => at(value, ['metadata', 'annotations', MADE_FOR]) !== stable)
    .map((document) => ({
      document,
      path: ['metadata', 'name'],
      reason: 'NameTaken',
      what: `a delivery of ${stable} makes the ${document.object.kind} of this name, and this one was not made by it: it lacks ${MADE_FOR}: ${stable}`,
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
    ...(sides.backend === 'Service' ? [{ name: sides.canary, limit: LABEL_LIMIT, what: 'Service' }] : []),
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
