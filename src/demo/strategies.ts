/** The strategies that the demo can show: their Rollouts, and what the cluster and the log have when all is over. */

import type { FileWrite } from '../ports/git.ts';
import { NAME, NAMESPACE, ROUTE_FILE, SERVICE_NAME } from './files.ts';
import { KUSTOMIZE, type Layout, PLAIN } from './layouts.ts';

/**
 * `shared`: partition with a route, whose requests two versions of the one workload share. `built`: partition over what kustomize
 * builds.
 */
export type DemoStrategy = 'partition' | 'built' | 'shared' | 'canary' | 'blueGreen';

/** One strategy, as the demo plays it. */
export type StrategyPlan = {
  readonly title: string;
  readonly layout: Layout;
  /** The part of the Rollout below `strategy`. */
  readonly strategy: string;
  /** The workload next to the user's own; undefined: there is none. */
  readonly second: string | undefined;
  /** Whether clients come by a route that the Rollout names. */
  readonly routed: boolean;
  /** The workload that serves in the end of a release that goes well. */
  readonly serves: string;
  /** The trailers `Rollout-Step` in the end, oldest first. */
  readonly steps: readonly string[];
  /** The same where the new version breaks. */
  readonly stepsBack: readonly string[];
  /** What someone looked at before the last step. */
  readonly looked: string;
};

export const ROUTE = 'chat';

const ROUTING = `trafficRoutings:
        - service: ${SERVICE_NAME}
          gateway: {httpRouteName: ${ROUTE}}`;

const PARTITION = `canary:
      steps:
        - replicas: 25%
          pause: {duration: 60}           # a minute of real traffic on one group
        - replicas: 50%
          pause: {}                       # until someone approves
        - replicas: 100%
`;

const SHARED = `canary:
      ${ROUTING}
      steps:
        - replicas: 25%
          traffic: 5%                     # on one group of the four
          pause: {duration: 60}
        - replicas: 50%
          traffic: 50%
          pause: {}                       # until someone approves
        - replicas: 100%
`;

const CANARY = `canary:
      enableExtraWorkloadForCanary: true
      ${ROUTING}
      steps:
        - replicas: 1
          traffic: 5%                     # on one group next to the primary
          pause: {duration: 60}
        - replicas: 50%
          traffic: 50%
          pause: {}                       # until someone approves
`;

const BLUE_GREEN = `blueGreen:
      ${ROUTING}
      steps:
        - replicas: 1
          traffic: 5%
          pause: {duration: 60}
        - replicas: 100%
          traffic: 50%
          pause: {}                       # until someone approves
`;

const BOTH = ['settled', '1/2', '1/2', '1/2', '2/2', '2/2'] as const;
const WITHDRAWN = ['settled', '1/2', '1/2', '1/2', '1/2', 'rollback', 'settled'] as const;

const IN_PLACE: StrategyPlan = {
  title: 'tranche demo: 4 groups of 16 GPUs get a new vLLM image, in simulated time',
  layout: PLAIN,
  strategy: PARTITION,
  second: undefined,
  routed: false,
  serves: NAME,
  steps: ['settled', '1/3', '2/3', '3/3', '3/3', 'settled'],
  // The rollback, and maxUnavailable as it was, once the broken group is gone.
  stepsBack: ['settled', '1/3', '2/3', 'rollback', 'rollback', 'settled'],
  looked: 'two groups',
};

export const STRATEGIES: Readonly<Record<DemoStrategy, StrategyPlan>> = {
  partition: IN_PLACE,
  built: {
    ...IN_PLACE,
    title: 'tranche demo: a new vLLM tag in a shared component of kustomize reaches 4 groups, in simulated time',
    layout: KUSTOMIZE,
    stepsBack: [...IN_PLACE.stepsBack, 'settled'],
  },
  shared: {
    title: 'tranche demo: a new vLLM image meets 5 % of the requests on one of 4 groups, in simulated time',
    layout: PLAIN,
    strategy: SHARED,
    second: undefined,
    routed: true,
    serves: NAME,
    steps: ['settled', '1/3', '1/3', '1/3', '2/3', '2/3', '3/3', '3/3', '3/3', 'settled'],
    stepsBack: ['settled', '1/3', '1/3', '1/3', '1/3', 'rollback', 'settled'],
    looked: 'half of the requests on two groups',
  },
  canary: {
    title: 'tranche demo: a new vLLM image meets 5 % of the requests on a group of its own, in simulated time',
    layout: PLAIN,
    strategy: CANARY,
    second: `${NAME}-canary`,
    routed: true,
    serves: NAME,
    steps: [...BOTH, 'promote', 'promote', 'settled'],
    stepsBack: WITHDRAWN,
    looked: 'half of the requests on two groups',
  },
  blueGreen: {
    title: 'tranche demo: a new vLLM image takes over on a second LeaderWorkerSet of 4 groups, in simulated time',
    layout: PLAIN,
    strategy: BLUE_GREEN,
    second: `${NAME}-green`,
    routed: true,
    serves: `${NAME}-green`,
    steps: [...BOTH, 'promote', 'promote', 'promote', 'settled'],
    stepsBack: WITHDRAWN,
    looked: 'half of the requests on four green groups',
  },
};

/** The route of the clients. */
const ROUTE_TEXT = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: ${ROUTE}
  namespace: ${NAMESPACE}
spec:
  parentRefs: [{name: inference}]
  rules:
    - matches:
        - path: {type: PathPrefix, value: /v1}
      timeouts: {request: 30s}
      backendRefs:
        - name: ${SERVICE_NAME} # the primary
          port: 80
`;

/** The files of the first commit. */
export function filesOf({ strategy, routed, layout }: StrategyPlan): readonly FileWrite[] {
  return [...layout.files(strategy), ...(routed ? [{ path: ROUTE_FILE, text: ROUTE_TEXT }] : [])];
}
