/** The steps of a first Rollout, and its file: what fits the number of groups, so that nobody has to count. */

import { LWS_API_VERSION } from '../../api/rollout.ts';

type FirstStep = { readonly replicas: number | string; readonly pause: 'approval' | number | undefined };

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

/** The manifest of a Rollout with these steps, for the LeaderWorkerSet of that name. */
export function rolloutText(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  steps: readonly FirstStep[],
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
    '    canary:',
    '      steps:',
  ];
  return [...head, ...steps.flatMap(stepLines), ''].join('\n');
}

function stepLines({ replicas, pause }: FirstStep): readonly string[] {
  const first = `        - replicas: ${replicas}`;
  if (pause === undefined) return [first];
  if (pause === 'approval') return [first, '          pause: {} # until somebody says: tranche approve'];
  return [first, `          pause: {duration: ${pause}} # seconds after its groups are ready`];
}

/** A name of Kubernetes as YAML reads it back as a text: `1e3`, `12` and `on` are quoted. */
export function yamlWord(text: string): string {
  return /^[a-z][a-z0-9./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/.test(text)
    ? text
    : JSON.stringify(text);
}
