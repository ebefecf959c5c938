/** The steps of a first Rollout, and its file: what fits the number of groups, so that nobody has to count. */

import { LWS_API_VERSION } from '../../api/rollout.ts';
import { yamlWord } from '../../api/yaml-word.ts';

export type FirstStep = {
  readonly replicas: number | string;
  /** Percent of the requests; not there: the step shares none out. */
  readonly traffic?: number;
  readonly pause: 'approval' | number | undefined;
};

/** How long the groups of a first step are looked at, before somebody is asked. */
const FIRST_PAUSE_SECONDS = 600;
/** From here on a quarter of the groups is more than one group, and a step of its own. */
const QUARTER_FROM = 8;

/**
 * One group, then a quarter where that is more than one, then half, then all: each step is larger than the one before, as
 * Kruise wants it, and no step takes more than half of the groups. The one before the last waits for an approval.
 */
export function firstSteps(groups: number): readonly FirstStep[] {
  const last: FirstStep = { replicas: '100%', pause: undefined };
  if (groups <= 1) return [last];
  if (groups === 2) return [{ replicas: 1, pause: 'approval' }, last];
  const one: FirstStep = { replicas: 1, pause: FIRST_PAUSE_SECONDS };
  const quarter: FirstStep = { replicas: '25%', pause: FIRST_PAUSE_SECONDS };
  return [one, ...(groups >= QUARTER_FROM ? [quarter] : []), { replicas: '50%', pause: 'approval' }, last];
}

/** The share that a first group of a new version gets. */
const FIRST_PERCENT = 5;
const QUARTER_PERCENT = 25;
const HALF_PERCENT = 50;
const ALL_PERCENT = 100;

/**
 * Of a second workload: one group with a small share, then half of the requests to half of the groups (canary) or to all of
 * them (blueGreen, whose last step is all groups; no step starts more than half of them). The only group of a canary's workload serves nobody while it restarts, so
 * that the canary takes all requests first.
 */
export function sharedSteps(groups: number, strategy: 'canary' | 'blueGreen'): readonly FirstStep[] {
  const first: FirstStep = { replicas: 1, traffic: FIRST_PERCENT, pause: FIRST_PAUSE_SECONDS };
  const rest: FirstStep = { replicas: '100%', traffic: HALF_PERCENT, pause: 'approval' };
  const middle: FirstStep = { replicas: '50%', traffic: QUARTER_PERCENT, pause: FIRST_PAUSE_SECONDS };
  if (strategy === 'blueGreen') return [first, ...(groups > 2 ? [middle] : []), rest];
  return [first, groups <= 1 ? { ...rest, traffic: ALL_PERCENT } : { ...rest, replicas: '50%' }];
}

/** The manifest of a Rollout with this strategy, for the LeaderWorkerSet of that name. `head`: below `strategy`, without steps. */
export function rolloutText(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { head: body, steps }: { readonly head: readonly string[]; readonly steps: readonly FirstStep[] },
): string {
  const head = [
    'apiVersion: rollouts.kruise.io/v1beta1',
    'kind: Rollout',
    'metadata:',
    `  name: ${yamlWord(name)}`,
    `  namespace: ${yamlWord(namespace)}`,
    'spec:',
    '  workloadRef:',
    `    apiVersion: ${LWS_API_VERSION}`,
    '    kind: LeaderWorkerSet',
    `    name: ${yamlWord(name)}`,
    '  strategy:',
    ...body.map((line) => `    ${line}`),
    '      steps:',
  ];
  return [...head, ...steps.flatMap(stepLines), ''].join('\n');
}

function stepLines({ replicas, traffic, pause }: FirstStep): readonly string[] {
  const share = traffic === undefined ? [] : [`          traffic: ${traffic}%`];
  const first = [`        - replicas: ${replicas}`, ...share];
  if (pause === undefined) return first;
  if (pause === 'approval') return [...first, '          pause: {} # until somebody says: tranche approve'];
  return [...first, `          pause: {duration: ${pause}} # seconds after its groups are ready`];
}
