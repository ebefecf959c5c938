/** What a delivery with traffic would do, but not as well as it could. */

import { at } from '../../../api/json.ts';
import { SERVICE_KIND } from '../../../api/kinds.ts';
import { parseService } from '../../../api/service.ts';
import { isOneWorkload } from '../../../api/styles.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import { DRAIN_ENDLESS_SECONDS } from '../../../rollout/ladders/routing.ts';
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
    ...wordless(facts),
    ...headless(facts),
    ...unlisted(facts),
    ...beside(facts),
  ];
}

const GRACE_PATH = ['spec', 'terminationGracePeriodSeconds'];
const DEFAULT_GRACE_SECONDS = 30;

function timeouts(
  { workload, policy }: TrafficFacts,
  document: ManifestDocument,
  timeout: Timeout,
): readonly TrafficFinding[] {
  const { at: path, seconds } = timeout;
  if (seconds === 'unreadable' || (seconds === 'unset' && policy.drainSeconds !== undefined)) return [];
  if (seconds === 'unset' || seconds === 0)
    return [
      {
        document,
        path,
        reason: 'TimeoutUnset',
        what: `nothing ends its requests, so a version that is left is given ${DRAIN_ENDLESS_SECONDS} s to answer its last ones`,
        hint: `Write the time that the longest answer takes: ${lineOf(path)}${document.object.kind === 'HTTPRoute' ? SINCE : ' there'}${seconds === 0 ? '' : `, or ${POLICY_LINE}`}.`,
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
      what: `a request may take ${seconds} s, and leaders are killed ${graceSeconds} s after they are asked to stop: where groups restart, requests that take longer are cut off`,
      hint: `The patch gives leaders as long as a request. It is an edit of the template: take it along with the next version, and let the server go on answering for as long after SIGTERM. Or lower the timeout.`,
      mend: [
        {
          kind: 'set',
          path: ['spec', 'leaderWorkerTemplate', template, ...GRACE_PATH],
          value: Math.ceil(seconds),
        },
      ],
      mendIn: workload,
    },
  ];
}

const POLICY_LINE = 'drainSeconds: 300 under spec of a RolloutPolicy that matches the Rollout';
const SINCE = ' there (from Gateway API 1.2 on; the standard CRDs before that refuse the field)';

/** The line that says it, from its list item on: `timeouts: {request: 300s}`. */
function lineOf(path: readonly string[]): string {
  const keys = path.slice(path.findLastIndex((key) => /^[0-9]+$/.test(key)) + 1);
  return keys.reduceRight((value, key, place) => `${key}: ${place === keys.length - 1 ? value : `{${value}}`}`, '300s');
}

/** Kinds that have no field for how long a request takes, where no policy says it: each change of sides lasts as long. */
function wordless(facts: TrafficFacts): readonly TrafficFinding[] {
  if (facts.policy.drainSeconds !== undefined) return [];
  const open = openRoutes(facts).map(({ provider, files }) => ({ files, ...provider.survey(files, facts.sides) }));
  const isSaid = open.some(({ rules }) => rules.length > 0);
  const silent = open.filter(({ rules, faults }) =>
    rules.length === 0 ? !isSaid && faults.length === 0 : rules.some(({ timeout }) => timeout === undefined),
  );
  return silent.slice(0, 1).map(({ files: { route } }) => ({
    document: route,
    path: ['metadata', 'name'],
    reason: 'TimeoutUnset',
    what: `its kind cannot say how long a request may take, so a version that is left is given ${DRAIN_ENDLESS_SECONDS} s to answer its last ones`,
    hint: `Write the time that the longest answer takes: ${POLICY_LINE}.`,
  }));
}

function headless({ services: [service], routing }: TrafficFacts): readonly TrafficFinding[] {
  if (service === undefined || routing.routes.length === 0 || !parseService(service.value).headless) return [];
  return [
    {
      document: service,
      path: ['spec', 'clusterIP'],
      reason: 'HeadlessInRoute',
      what: 'it is headless and stands in a route: clients that ask DNS reach its pods past every share, and some gateways send nothing to it',
      hint: `clusterIP cannot be changed in a Service that is there. Write a second one without clusterIP: None, with the same selector and ports (metadata: {name: ${service.object.name}-http}), send the routes to it, and name it in the Rollout (trafficRoutings: [{service: ${service.object.name}-http}]); keep this one for those who need the addresses of pods.`,
    },
  ];
}

/** Other Services that the groups of the new version answer: what comes through them is in no share. */
function beside({ index, namespace, sides, plan, pods, routes }: TrafficFacts): readonly TrafficFinding[] {
  if (routes.length === 0) return [];
  const isOne = isOneWorkload(plan.style);
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
      reason: 'OtherService',
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
