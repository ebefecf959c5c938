/** What the routes of a Rollout must be, so that the shares that are written into them are those that requests get. */

import { SERVICE_KIND } from '../../../api/kinds.ts';
import type { RouteRef } from '../../../api/rollout-traffic.ts';
import { parseService, type ServicePort } from '../../../api/service.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import { canaryServiceName } from '../../../rollout/traffic/canary-service.ts';
import { ROUTE_KINDS } from '../../../rollout/traffic/index.ts';
import type {
  RouteFault,
  RouteReading,
  Sides,
  StableRule,
  Timeout,
  TrafficProvider,
} from '../../../rollout/traffic/provider.ts';
import type { LintedFiles, NamedRoute, TrafficFacts } from './traffic-facts.ts';
import { ofFault, type TrafficFinding } from './traffic-finding.ts';

/** A route that can be looked at. */
export type OpenRoute = {
  readonly provider: TrafficProvider;
  readonly files: LintedFiles;
  readonly ref: RouteRef;
};

/** The routes that are there once and of a kind that is known. */
export function openRoutes({ routes }: TrafficFacts): readonly OpenRoute[] {
  return routes.flatMap(({ provider, files, ref }) =>
    provider === undefined || files === undefined ? [] : [{ provider, files, ref }],
  );
}

/** Whether nothing of a route sends to the new version. */
export function isRestored({ percent, ours, mirrors }: RouteReading): boolean {
  return percent === 0 && ours.length + mirrors.length === 0;
}

/** Whether a route has the Service as a backend and sends to neither version: by weights that are both 0. */
export function sendsNothing({ provider, files }: OpenRoute, sides: Sides): boolean {
  const reading = provider.read(files, sides);
  return isRestored(reading) && !reading.stable && provider.survey(files, sides).rules.length > 0;
}

/** What keeps shares from being written, or from meaning what they say. */
export function lintRoutes(facts: TrafficFacts): readonly TrafficFinding[] {
  return [
    ...facts.routes.flatMap((route) => absent(facts, route)),
    ...openRoutes(facts).flatMap((route) => [
      ...faultsOf(facts, route),
      ...early(facts, route),
      ...silent(facts, route),
    ]),
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
        what: `no share can be written into the kind ${ref.kind} of ${ref.group}${ref.ingressClass === '' ? '' : ` with classType ${ref.ingressClass}`}`,
        hint: `Describe it by a RouteProvider, or name one of the kinds that are known: ${ROUTE_KINDS.join(', ')}.`,
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

function faultsOf(facts: TrafficFacts, { provider, files, ref }: OpenRoute): readonly TrafficFinding[] {
  const { rules, faults } = provider.survey(files, facts.sides);
  const [service] = facts.services;
  const ports = service === undefined ? undefined : parseService(service.value).ports;
  return [
    ...faults.map((fault) => withWay(facts, { provider, files, ref }, fault)),
    ...(ports === undefined ? [] : rules.flatMap((rule) => wrongPort(facts, { route: files.route, rule, ports }))),
    ...rules.flatMap(({ timeout }) => (timeout?.seconds === 'unreadable' ? [badTimeout(files.route, timeout)] : [])),
  ];
}

/**
 * A route that does not send to the Service: which does, and to which Services this one sends, as the files have it. The
 * only route that does is the one that was meant; else people choose, among lines to write.
 */
function withWay(facts: TrafficFacts, { provider, files, ref }: OpenRoute, fault: RouteFault): TrafficFinding {
  const { index, namespace, sides, rollout, routingPath } = facts;
  const found = ofFault(files.route, fault);
  if (fault.reason !== 'BackendMissing' || sides.backend !== 'Service') return found;
  const sends = (route: ManifestDocument, to: Sides): boolean =>
    provider.survey({ route, canary: undefined, displaced: [] }, to).rules.length > 0;
  const routes = index.inNamespace(provider.kind, namespace).filter((one) => provider.isOf(one) && sends(one, sides));
  const services = index
    .inNamespace(SERVICE_KIND, namespace)
    .filter(({ object: { name } }) => sends(files.route, { ...sides, stable: name, canary: canaryServiceName(name) }));
  const path = [...routingPath, ...ref.at];
  const lines = [
    ...routes.map(({ object }) => `${ref.at.join('.')}: ${object.name}, which sends to ${sides.stable}`),
    ...services.map(({ object }) => `service: ${object.name}, to which this one sends`),
  ].slice(0, CHOICES_MOST);
  if (lines.length === 0) return found;
  const where = `under ${routingPath.slice(0, -1).join('.')}[0] of ${rollout.file}`;
  const [only, ...others] = routes;
  return only === undefined || others.length + services.length > 0
    ? { ...found, hint: `Write ${where}: ${lines.join('; or ')}.` }
    : {
        ...found,
        hint: `${only.object.kind} ${only.object.name} sends to it: the patch names that one instead.`,
        mend: [{ kind: 'set', path, value: only.object.name }],
        mendIn: rollout,
      };
}

const CHOICES_MOST = 5;

type Porting = { readonly route: ManifestDocument; readonly rule: StableRule; readonly ports: readonly ServicePort[] };

function wrongPort({ sides }: TrafficFacts, { route, rule, ports }: Porting): readonly TrafficFinding[] {
  const { port, portAt, portInText, portOptional } = rule;
  if (port === undefined && portOptional && ports.length === 1) return [];
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
      ...(only === undefined || others.length > 0 || typeof port === 'string' || portInText
        ? {}
        : { mend: [{ kind: 'set', path: portAt, value: only.port }] as const }),
    },
  ];
}

function badTimeout(document: ManifestDocument, { at: path }: Timeout): TrafficFinding {
  return {
    document,
    path,
    reason: 'BadTimeout',
    what: 'the timeout is no duration, so it is not known for how long requests have to be waited for',
    hint: 'Write it as 30s, 5m or 1h30m.',
  };
}

/** A share of the new version before any delivery: nobody may be there to answer it. */
function early({ file, sides }: TrafficFacts, { provider, files }: OpenRoute): readonly TrafficFinding[] {
  if (file.workload.marks?.step !== undefined) return [];
  if (isRestored(provider.read(files, sides))) return [];
  const home = provider.write(files, sides, { kind: 'none' });
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

/** Neither version has a weight: what a delivery would do from there says nothing, because the route is what is wrong. */
function silent({ file, sides }: TrafficFacts, route: OpenRoute): readonly TrafficFinding[] {
  if (!sendsNothing(route, sides)) return [];
  const { provider, files } = route;
  const place = provider
    .survey(files, sides)
    .rules.find(({ portInText }) => !portInText)
    ?.portAt.slice(0, -1);
  const isUnderWay = file.workload.marks?.step !== undefined;
  return [
    {
      document: files.route,
      path: place ?? ['spec'],
      reason: 'SendsNothing',
      what: `neither ${sides.stable} nor ${sides.canary} has a weight above 0: no request reaches either version`,
      hint: isUnderWay
        ? 'Put the weights back as the last commit of tranche left them.'
        : `Give ${sides.stable} a weight above 0, or none.`,
    },
  ];
}
