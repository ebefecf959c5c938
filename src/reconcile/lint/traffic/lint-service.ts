/** What the Service of a Rollout must be, so that a share of its requests can go to the new version. */

import { LWS_NAME, REVISION_KEY, WORKER_INDEX } from '../../../api/lws-labels.ts';
import { parseService } from '../../../api/service.ts';
import { isOneWorkload, takesTurns } from '../../../api/styles.ts';
import { VERSION } from '../../../api/version-label.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import { isRouted } from '../../../rollout/state.ts';
import {
  isDynamic,
  keyMatch,
  LEADER_INDEX,
  type PodLabels,
  podLabels,
  type SelectorRow,
  selectorRow,
} from '../../../rollout/traffic/selectors.ts';
import { lintNames } from './lint-names.ts';
import { greenServesElsewhere, type TrafficFacts } from './traffic-facts.ts';
import type { TrafficFinding } from './traffic-finding.ts';

/** Everything that the Service must have; where it is not there once, only that is said. */
export function lintService(facts: TrafficFacts): readonly TrafficFinding[] {
  const [service] = facts.services;
  if (service === undefined || facts.services.length > 1) return [notOnce(facts)];
  return [...selector(facts, service), ...lintNames(facts, service)];
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
  if (facts.sides.canary === facts.sides.stable) return shared(facts, document);
  if (greenServesElsewhere(facts)) return [greenServes(facts, document)];
  const isPinned = servingNames(facts).includes(keys[LWS_NAME] ?? '') && keys[WORKER_INDEX] === LEADER_INDEX;
  if (!isPinned) return [notPinned(facts, document)];
  return Object.keys(keys).flatMap((key) => wrongKey(facts, document, key));
}

/** No patch: anyone who lets the Service name the workload of the Rollout sends all requests to no groups. */
function greenServes({ sides }: TrafficFacts, document: ManifestDocument): TrafficFinding {
  const { stable } = sides.workloads;
  return {
    document,
    path: SELECTOR,
    reason: 'GreenServes',
    what: `it reaches the second LeaderWorkerSet of ${stable}, which serves since a delivery by blueGreen, and the strategy of the Rollout is not blueGreen any more`,
    hint: `Leave the selector as it is: ${stable} has no groups. Deliver once more by blueGreen, which brings the requests back, and change the strategy then.`,
    mend: [],
  };
}

/** The workload that the Service may name: blueGreen switches it, and in a delivery it may name either. */
function servingNames({ plan, file, sides }: TrafficFacts): readonly string[] {
  const { stable, canary } = sides.workloads;
  const { marks } = file.workload;
  if (!takesTurns(plan.style) || marks === undefined) return [stable];
  if (marks.step !== undefined) return [stable, canary];
  return [marks.serves === 'green' ? canary : stable];
}

/** The workload that the Service is to name now: the colour that serves, and from the switch on the one that was filled. */
function servingName({ plan, file, sides }: TrafficFacts): string {
  const { stable, canary } = sides.workloads;
  const { marks } = file.workload;
  if (!takesTurns(plan.style) || marks === undefined) return stable;
  const isMoved = marks.step?.kind === 'promote' && (marks.at === 'switch' || marks.at === 'route-restored');
  return (marks.serves === 'green') !== isMoved ? canary : stable;
}

/** A Service whose subsets are the versions takes in the leaders of both, and no workers. */
function shared(facts: TrafficFacts, document: ManifestDocument): readonly TrafficFinding[] {
  const { selector: keys } = parseService(document.value);
  const row = selectorRow(keys, facts.pods);
  const both = row.stableLeader === 'yes' && (facts.pods.canary === undefined || row.canaryLeader === 'yes');
  if (both && row.stableWorker === 'no' && row.canaryWorker === 'no') return [];
  const others = Object.keys(keys).filter((key) => key !== LWS_NAME && key !== WORKER_INDEX);
  return [
    {
      document,
      path: SELECTOR,
      reason: 'SelectorNotShared',
      what: `subsets share out what this Service takes in: it must select by ${WORKER_INDEX}: "${LEADER_INDEX}" and labels that both versions have, and not by ${LWS_NAME}`,
      hint: 'Select by a label of the leader template; the subsets name the workloads.',
      mend:
        others.length === 0
          ? []
          : [
              { kind: 'set', path: [...SELECTOR, WORKER_INDEX], value: LEADER_INDEX },
              { kind: 'remove', path: [...SELECTOR, LWS_NAME] },
            ],
    },
  ];
}

function notPinned(facts: TrafficFacts, document: ManifestDocument): TrafficFinding {
  const { selector: keys } = parseService(document.value);
  const serving = servingName(facts);
  return {
    document,
    path: SELECTOR,
    reason: 'SelectorNotPinned',
    what: `the selector must have ${LWS_NAME}: ${serving} and ${WORKER_INDEX}: "${LEADER_INDEX}"; ${effect(facts, selectorRow(keys, facts.pods), keys)}`,
    hint: `With the patch it takes in the leaders of ${serving} and nothing else; whatever else it takes in now leaves it at once.`,
    mend: [
      { kind: 'set', path: [...SELECTOR, LWS_NAME], value: serving },
      { kind: 'set', path: [...SELECTOR, WORKER_INDEX], value: LEADER_INDEX },
      ...Object.keys(keys)
        .filter(isDynamic)
        .map((key) => ({ kind: 'remove', path: [...SELECTOR, key] }) as const),
    ],
  };
}

/** What the present selector does, in words. */
function effect(facts: TrafficFacts, row: SelectorRow, keys: Readonly<Record<string, string>>): string {
  if (Object.keys(keys).length === 0) return 'it has none, so it reaches nothing';
  const { sides, pods } = facts;
  const { stable, canary } = sides.workloads;
  if (servingName(facts) === canary)
    return row.canaryLeader === 'no'
      ? `it takes in no leader of ${canary}`
      : `it takes in more than the leaders of ${canary}`;
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

/** A delivery whose versions share the workload has put it there, and takes it away in the end. */
function isOwnPin({ file }: TrafficFacts, key: string): boolean {
  const { marks } = file.workload;
  return marks !== undefined && isRouted(marks) && (key === VERSION || key === REVISION_KEY);
}

/** Everybody whom the Service is to reach: of one workload the leaders of either text. */
function leadersOf({ pods, plan, file, sides }: TrafficFacts): readonly PodLabels[] {
  const { content, size } = file.workload;
  const own = isOneWorkload(plan.style) ? [podLabels(content, { name: sides.workloads.stable, size })] : [];
  return [pods.stable, ...(pods.canary === undefined ? [] : [pods.canary]), ...own];
}

function wrongKey(facts: TrafficFacts, document: ManifestDocument, key: string): readonly TrafficFinding[] {
  const { sides } = facts;
  const value = parseService(document.value).selector[key] ?? '';
  const path = [...SELECTOR, key];
  const mend = [{ kind: 'remove', path }] as const;
  if (isOwnPin(facts, key)) return [];
  // A release gives the label to its own leaders alone.
  if (isDynamic(key) || key === VERSION)
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
  const unlike = leadersOf(facts).find((side) => keyMatch(key, value, side.leader) === 'no');
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
