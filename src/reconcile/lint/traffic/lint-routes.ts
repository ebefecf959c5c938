/** What the routes of a Rollout must be, so that the shares that are written into them are those that requests get. */

import { at } from '../../../api/json.ts';
import { parseService, type ServicePort } from '../../../api/service.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import { ROUTE_KINDS, trafficProviders } from '../../../rollout/traffic/index.ts';
import type { RouteFiles, RouteReading, StableRule, TrafficProvider } from '../../../rollout/traffic/provider.ts';
import type { NamedRoute, TrafficFacts } from './traffic-facts.ts';
import { ofFault, type TrafficFinding } from './traffic-finding.ts';

/** A route that can be looked at. */
export type OpenRoute = {
  readonly provider: TrafficProvider;
  readonly files: RouteFiles & { readonly route: ManifestDocument };
};

/** The routes that are there once and of a kind that is known. */
export function openRoutes({ routes }: TrafficFacts): readonly OpenRoute[] {
  return routes.flatMap(({ provider, files }) =>
    provider === undefined || files === undefined ? [] : [{ provider, files }],
  );
}

/** Whether nothing of a route sends to the new version. */
export function isHome({ percent, ours, mirrors }: RouteReading): boolean {
  return percent === 0 && ours.length + mirrors.length === 0;
}

/** What keeps shares from being written, or from meaning what they say. */
export function lintRoutes(facts: TrafficFacts): readonly TrafficFinding[] {
  return [
    ...facts.routes.flatMap((route) => absent(facts, route)),
    ...openRoutes(facts).flatMap((route) => [...faultsOf(facts, route), ...early(facts, route)]),
  ];
}

function absent(
  { rollout, routingPath, namespace, sides }: TrafficFacts,
  { ref, provider, found }: NamedRoute,
): readonly TrafficFinding[] {
  const path = [...routingPath, ...ref.at];
  if (provider === undefined)
    return [
      {
        document: rollout,
        path,
        reason: 'RouteKindUnknown',
        what: `no share can be written into a ${ref.kind} of ${ref.group}${ref.ingressClass === '' ? '' : ` with classType ${ref.ingressClass}`}`,
        hint: `Kinds that are known: ${ROUTE_KINDS.join(', ')}.`,
      },
    ];
  if (found === 1) return [];
  const route = `${ref.kind} ${namespace}/${ref.name}`;
  const hint =
    'Check the name, and paths in tranche.yaml. Each route must be a document of its own, with its namespace.';
  if (found === 0)
    return [
      {
        document: rollout,
        path,
        reason: 'RouteMissing',
        what: `there is no ${route} in the files that were read: requests for ${sides.stable} cannot be shared out`,
        hint,
      },
    ];
  return [
    {
      document: rollout,
      path,
      reason: 'DuplicateObject',
      what: `${route} is in the files ${found} times; which of them the cluster gets is not clear`,
      hint,
    },
  ];
}

function faultsOf(facts: TrafficFacts, { provider, files }: OpenRoute): readonly TrafficFinding[] {
  const { rules, faults } = provider.survey(files, facts.sides);
  const [service] = facts.services;
  const ports = service === undefined ? undefined : parseService(service.value).ports;
  return [
    ...faults.map((fault) => withMend(ofFault(files.route, fault))),
    ...(ports === undefined ? [] : rules.flatMap((rule) => wrongPort(facts, { route: files.route, rule, ports }))),
    ...rules
      .filter(({ timeoutSeconds }) => timeoutSeconds === 'unreadable')
      .map((rule) => badTimeout(files.route, rule)),
  ];
}

/** A field that must go takes itself out. */
function withMend(finding: TrafficFinding): TrafficFinding {
  const { reason, path } = finding;
  return reason === 'SessionPersistence' ? { ...finding, mend: [{ kind: 'remove', path }] } : finding;
}

type Porting = { readonly route: ManifestDocument; readonly rule: StableRule; readonly ports: readonly ServicePort[] };

function wrongPort({ sides }: TrafficFacts, { route, rule, ports }: Porting): readonly TrafficFinding[] {
  const { port, portAt } = rule;
  const isThere = ports.some((one) => one.port === port || (one.name !== '' && one.name === port));
  if (isThere) return [];
  const [only, ...others] = ports;
  const known = ports.map((one) => one.port).join(', ');
  return [
    {
      document: route,
      path: portAt,
      reason: 'PortUnknown',
      what: `the rule sends to ${port === undefined ? 'no port' : `port ${port}`} of ${sides.stable}, which has ${known === '' ? 'none' : known}: its requests fail`,
      hint: 'Name a port of the Service (not of the container).',
      ...(only === undefined || others.length > 0 || typeof port === 'string'
        ? {}
        : { mend: [{ kind: 'set', path: portAt, value: only.port }] as const }),
    },
  ];
}

function badTimeout(document: ManifestDocument, { at: path }: StableRule): TrafficFinding {
  return {
    document,
    path: [...path, 'timeouts', 'request'],
    reason: 'BadTimeout',
    what: 'the timeout is no duration, so it is not known for how long requests have to be waited for',
    hint: 'Write it as 30s, 5m or 1h30m.',
  };
}

/** A share of the new version before any delivery: nobody may be there to answer it. */
function early({ file, sides }: TrafficFacts, { provider, files }: OpenRoute): readonly TrafficFinding[] {
  if (file.workload.marks?.step !== undefined) return [];
  if (isHome(provider.read(files, sides))) return [];
  const home = provider.write(files, sides, { kind: 'home' });
  const mend =
    home.kind === 'ok' ? home.edits.flatMap(({ object, edits }) => (object === files.route.object ? edits : [])) : [];
  return [
    {
      document: files.route,
      path: ['spec'],
      reason: 'CanaryReferenced',
      what: `it sends requests to ${sides.canary}, though nothing is being delivered: they would go to groups that are not there`,
      hint: 'Take them out. Commits of a delivery write shares, and take them back.',
      mend,
    },
  ];
}

/** What a delivery would do, but not as well as it could: said, not refused. */
export function warnRoutes(facts: TrafficFacts): readonly TrafficFinding[] {
  return [
    ...openRoutes(facts).flatMap(({ provider, files }) =>
      provider.survey(files, facts.sides).rules.flatMap((rule) => timeouts(facts, files.route, rule)),
    ),
    ...headless(facts),
    ...unlisted(facts),
  ];
}

const GRACE_PATH = ['spec', 'terminationGracePeriodSeconds'];
const DEFAULT_GRACE_SECONDS = 30;

function timeouts(
  { workload }: TrafficFacts,
  document: ManifestDocument,
  { at: rule, timeoutSeconds }: StableRule,
): readonly TrafficFinding[] {
  const path = [...rule, 'timeouts', 'request'];
  if (timeoutSeconds === 'unreadable') return [];
  if (timeoutSeconds === 'unset' || timeoutSeconds === 0)
    return [
      {
        document,
        path,
        reason: 'TimeoutUnset',
        what: 'nothing ends its requests, so a version that is left is given 600 s to answer its last ones',
        hint: 'Write timeouts.request, as long as the longest answer takes.',
      },
    ];
  const template =
    at(workload.value, ['spec', 'leaderWorkerTemplate', 'leaderTemplate']) === undefined
      ? 'workerTemplate'
      : 'leaderTemplate';
  const grace = at(workload.value, ['spec', 'leaderWorkerTemplate', template, ...GRACE_PATH]);
  const graceSeconds = typeof grace === 'number' ? grace : DEFAULT_GRACE_SECONDS;
  if (timeoutSeconds <= graceSeconds) return [];
  return [
    {
      document,
      path,
      reason: 'GraceTooShort',
      what: `a request may take ${timeoutSeconds} s, and leaders are killed ${graceSeconds} s after they are told to stop: where groups restart, requests that take longer are cut off`,
      hint: `Raise terminationGracePeriodSeconds of the ${template} with the next version, and let the server drain for as long; or lower the timeout.`,
    },
  ];
}

function headless({ services: [service], routing }: TrafficFacts): readonly TrafficFinding[] {
  if (service === undefined || routing.routes.length === 0 || !parseService(service.value).headless) return [];
  return [
    {
      document: service,
      path: ['spec', 'clusterIP'],
      reason: 'HeadlessInRoute',
      what: 'it is headless and stands in a route: clients that ask DNS reach its pods past every share, and some gateways send nothing to it',
      hint: 'Let routes send to a Service with a cluster IP; keep this one for those who need the addresses of pods.',
    },
  ];
}

/** Other routes to the same Service: what comes through them is not shared out. */
function unlisted(facts: TrafficFacts): readonly TrafficFinding[] {
  const { index, namespace, sides, rollout, routes } = facts;
  const listed = new Set(routes.map(({ ref }) => ref.kind + ref.name));
  return Object.values(trafficProviders).flatMap((provider) =>
    index
      .inNamespace(provider.kind, namespace)
      .filter((route) => provider.isOf(route) && !listed.has(route.object.kind + route.object.name))
      .filter((route) => provider.survey({ route, canary: undefined, displaced: [] }, sides).rules.length > 0)
      .map((document) => ({
        document,
        path: ['metadata', 'name'],
        reason: 'RouteNotNamed',
        what: `it sends to ${sides.stable} too, and Rollout ${rollout.object.name} does not name it: what comes through it stays on the stable version`,
        hint: 'Name it in trafficRoutings, if its requests are to be shared out.',
      })),
  );
}
