/** What a delivery with traffic would do, but not as well as it could. */

import { at } from '../../../api/json.ts';
import { SERVICE_KIND } from '../../../api/kinds.ts';
import { parseService } from '../../../api/service.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import { onePerKind } from '../../../rollout/traffic/index.ts';
import type { Timeout } from '../../../rollout/traffic/provider.ts';
import { selectorRow } from '../../../rollout/traffic/selectors.ts';
import { openRoutes } from './lint-routes.ts';
import type { TrafficFacts } from './traffic-facts.ts';
import { ofFault, type TrafficFinding } from './traffic-finding.ts';

/** What a delivery would do, but not as well as it could: said, not refused. */
export function warnRoutes(facts: TrafficFacts): readonly TrafficFinding[] {
  return [
    ...openRoutes(facts).flatMap(({ provider, files }) =>
      provider
        .survey(files, facts.sides)
        .rules.flatMap(({ timeout }) => (timeout === undefined ? [] : timeouts(facts, files.route, timeout))),
    ),
    ...openRoutes(facts).flatMap(({ provider: { caution }, files }) =>
      caution === undefined ? [] : [ofFault(files.route, caution)],
    ),
    ...headless(facts),
    ...unlisted(facts),
    ...beside(facts),
  ];
}

const GRACE_PATH = ['spec', 'terminationGracePeriodSeconds'];
const DEFAULT_GRACE_SECONDS = 30;

function timeouts({ workload }: TrafficFacts, document: ManifestDocument, timeout: Timeout): readonly TrafficFinding[] {
  const { at: path, seconds } = timeout;
  if (seconds === 'unreadable') return [];
  if (seconds === 'unset' || seconds === 0)
    return [
      {
        document,
        path,
        reason: 'TimeoutUnset',
        what: 'nothing ends its requests, so a version that is left is given 600 s to answer its last ones',
        hint: `Write ${path.slice(-2).join('.')}, as long as the longest answer takes.`,
      },
    ];
  const template =
    at(workload.value, ['spec', 'leaderWorkerTemplate', 'leaderTemplate']) === undefined
      ? 'workerTemplate'
      : 'leaderTemplate';
  const grace = at(workload.value, ['spec', 'leaderWorkerTemplate', template, ...GRACE_PATH]);
  const graceSeconds = typeof grace === 'number' ? grace : DEFAULT_GRACE_SECONDS;
  if (seconds <= graceSeconds) return [];
  return [
    {
      document,
      path,
      reason: 'GraceTooShort',
      what: `a request may take ${seconds} s, and leaders are killed ${graceSeconds} s after they are told to stop: where groups restart, requests that take longer are cut off`,
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

/** Other Services that the groups of the new version answer: what comes through them is in no share. */
function beside({ index, namespace, sides, plan, pods, routes }: TrafficFacts): readonly TrafficFinding[] {
  if (routes.length === 0) return [];
  const isOne = plan.style === 'partition';
  const workload = isOne ? sides.workloads.stable : sides.workloads.canary;
  return index
    .inNamespace(SERVICE_KIND, namespace)
    .filter(({ object: { name } }) => name !== sides.stable && name !== sides.canary)
    .filter((document) => {
      const { selector, headless: isHeadless } = parseService(document.value);
      const row = selectorRow(selector, pods);
      return !isHeadless && (isOne ? row.stableLeader : row.canaryLeader) !== 'no';
    })
    .map((document) => ({
      document,
      path: ['spec', 'selector'],
      reason: 'ServiceBeside',
      what: `it takes in leaders of ${workload} as well: what comes through it reaches the new version in no share, and is not waited for before its groups go`,
      hint: `Let its clients ask ${sides.stable}, if they are to be shared out.`,
    }));
}

/** Other routes to the same Service: what comes through them is not shared out. Without any, the Service itself turns. */
function unlisted(facts: TrafficFacts): readonly TrafficFinding[] {
  const { index, namespace, sides, rollout, routes } = facts;
  if (routes.length === 0) return [];
  const listed = new Set(routes.map(({ ref }) => ref.kind + ref.name));
  return onePerKind.flatMap((provider) =>
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
