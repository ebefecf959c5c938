/** The strategy of a first Rollout: its steps, and the Service and the routes whose requests it shares out. */

import type { Issue } from '../../api/issue.ts';
import { SERVICE_KIND } from '../../api/kinds.ts';
import { yamlWord } from '../../api/yaml-word.ts';
import { ingressClasses } from '../../rollout/traffic/ingress-classes.ts';
import { type FirstStep, firstSteps, sharedSteps } from './steps.ts';
import type { FoundWorkload, Place } from './survey.ts';

/** What `--strategy` takes. */
export const FIRST_STRATEGIES = ['partition', 'canary', 'blueGreen'] as const;

export type FirstStrategy = (typeof FIRST_STRATEGIES)[number];

export type Drawn = {
  readonly kind: 'drawn';
  /** What stands below `strategy:`, without the steps. */
  readonly head: readonly string[];
  readonly steps: readonly FirstStep[];
};

/** The strategy for this workload, or why what is in front of it cannot share its requests out. */
export function strategyFor(
  found: FoundWorkload,
  strategy: FirstStrategy,
): Drawn | { readonly kind: 'wrong'; readonly issue: Issue } {
  if (strategy === 'partition') return { kind: 'drawn', head: ['canary:'], steps: firstSteps(found.groups) };
  const wrong = (message: string, hint: string) =>
    ({ kind: 'wrong', issue: frontIssue(found, { strategy, message, hint }) }) as const;
  const [service, ...others] = found.front.filter(({ kind }) => kind === SERVICE_KIND);
  const routes = found.front.filter(({ kind }) => kind !== SERVICE_KIND);
  if (service === undefined)
    return wrong(
      'no Service in these files selects its leaders',
      'Commit the Service, or deliver with --strategy partition.',
    );
  if (others.length > 0)
    return wrong(
      `${found.front
        .filter(({ kind }) => kind === SERVICE_KIND)
        .map(placeText)
        .join(' and ')} all select its leaders`,
      'A Rollout shares out the requests of one Service: write this Rollout by hand, with the one that clients use.',
    );
  if (routes.length === 0 && strategy === 'canary')
    return wrong(
      `no route in these files sends requests to ${placeText(service)}`,
      'Commit the route, or deliver with --strategy partition, or with blueGreen, which can switch a Service alone.',
    );
  const providers = providersOf(routes);
  if (typeof providers === 'string')
    return wrong(providers, 'Write this Rollout by hand, with the route that clients use under trafficRoutings.');
  const routing = [
    '  trafficRoutings:',
    `    - service: ${yamlWord(service.object)}`,
    ...providers.map((line) => `      ${line}`),
  ];
  const head = strategy === 'canary' ? ['canary:', '  enableExtraWorkloadForCanary: true'] : ['blueGreen:'];
  return { kind: 'drawn', head: [...head, ...routing], steps: sharedSteps(found.groups, strategy) };
}

/** The fields of Kruise's `trafficRoutings` that name the routes; a text: why they cannot. */
function providersOf(routes: readonly Place[]): readonly string[] | string {
  const [gateways, ingresses] = ['HTTPRoute', 'Ingress'].map((kind) => routes.filter((route) => route.kind === kind));
  const customs = routes.filter(({ kind }) => kind !== 'HTTPRoute' && kind !== 'Ingress');
  for (const same of [gateways, ingresses])
    if ((same ?? []).length > 1) return `${(same ?? []).map(placeText).join(' and ')}: a Rollout takes one of the kind`;
  const [gateway] = gateways ?? [];
  const [ingress] = ingresses ?? [];
  const known = Object.values(ingressClasses).map(({ name }) => name);
  if (ingress !== undefined && !known.includes(ingress.ingressClass))
    return `${placeText(ingress)} is of the class ${JSON.stringify(ingress.ingressClass)}, and classType knows ${known.join(', ')} and aws-alb`;
  return [
    ...(gateway === undefined ? [] : [`gateway: {httpRouteName: ${yamlWord(gateway.object)}}`]),
    ...(ingress === undefined
      ? []
      : [`ingress: {name: ${yamlWord(ingress.object)}, classType: ${ingress.ingressClass}}`]),
    ...(customs.length === 0 ? [] : ['customNetworkRefs:']),
    ...customs.map(
      ({ apiVersion, kind, object }) =>
        `  - {apiVersion: ${yamlWord(apiVersion)}, kind: ${kind}, name: ${yamlWord(object)}}`,
    ),
  ];
}

function placeText({ name, file, line }: Place): string {
  return `${name} (${file}:${line})`;
}

function frontIssue(
  { document, name }: FoundWorkload,
  { strategy, message, hint }: { readonly strategy: FirstStrategy; readonly message: string; readonly hint: string },
): Issue {
  return {
    file: document.file,
    line: document.firstLine,
    path: '',
    reason: 'FrontUnclear',
    message: `LeaderWorkerSet ${name}: ${strategy} sends a share of its requests to the new version, and ${message}`,
    hint,
  };
}
