/** What the providers make of Kruise's cases about traffic, in the words of their expectations. */

import { FieldReader } from '../../src/api/field-reader.ts';
import { at, isJsonObject, type Json, type JsonObject } from '../../src/api/json.ts';
import { LWS_NAME, WORKER_INDEX } from '../../src/api/lws-labels.ts';
import { readMatches, readModifier } from '../../src/api/step-traffic.ts';
import { canaryService, canaryServiceName } from '../../src/rollout/traffic/canary-service.ts';
import { httpRoute } from '../../src/rollout/traffic/http-route.ts';
import { trafficProviders } from '../../src/rollout/traffic/index.ts';
import type { Share, Sides, TrafficProvider } from '../../src/rollout/traffic/provider.ts';
import type { KruiseCase } from './kruise.ts';
import { documentsOf, prepared, routeIn, SIDES, spliced, type Texts, textOf, written } from './routes.ts';

type Step = { readonly weight: number | null; readonly matches: unknown; readonly requestHeaderModifier?: unknown };

/** A weight of -1 is the clean-up. */
function shareOf({ weight, matches, requestHeaderModifier }: Step): Share {
  if (weight === -1) return { kind: 'none' };
  const step = new FieldReader({ matches, requestHeaderModifier: requestHeaderModifier ?? undefined }, '');
  const share: Share =
    weight === null || (matches !== null && matches !== undefined)
      ? { kind: 'matches', matches: readMatches(step), modifier: readModifier(step) }
      : { kind: 'weight', percent: weight };
  if (step.faults.length > 0) throw new Error(step.faults.map(({ message }) => message).join('; '));
  return share;
}

function valueIn(texts: Texts, { kind }: TrafficProvider): JsonObject {
  return documentsOf(texts.files, [kind])[0]!.value;
}

/** The rules of a route after a step. */
function httpRouteCase({ rules, ...step }: Step & { readonly rules: JsonObject[] }): unknown {
  const sides: Sides = { ...SIDES, owner: 'demo', stable: 'store-svc', canary: 'store-svc-canary' };
  const route = textOf({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'route' },
    spec: { rules },
  });
  return at(valueIn(written(route, httpRoute, shareOf(step), sides), httpRoute), ['spec', 'rules']);
}

const CLASSES: Readonly<Record<string, TrafficProvider>> = {
  nginx: trafficProviders.NginxIngress,
  higress: trafficProviders.HigressIngress,
  'aliyun-alb': trafficProviders.AliyunIngress,
  mse: trafficProviders.MseIngress,
};

type IngressStep = Step & { readonly class: string; readonly annotations: JsonObject };

/** The annotations of a canary Ingress after a step. The scripts of Kruise's unit tests are those of the class mse. */
function ingressAnnotationsCase({ annotations, class: name, ...step }: IngressStep): unknown {
  const provider = CLASSES[name === '' ? 'mse' : name]!;
  const ingress = (metadata: JsonObject): string =>
    JSON.stringify({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec: { rules: [] } }, null, 2);
  const own = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.includes('/canary')));
  const text = [ingress({ name: 'demo', annotations: own }), ingress({ name: 'demo-canary', annotations })].join(
    '\n---\n',
  );
  const made = provider.write(
    routeIn({ files: { 'ingress.yaml': text }, displaced: [] }, provider),
    SIDES,
    shareOf(step),
  );
  if (made.kind === 'unwritable') return made.faults.map(({ reason }) => reason);
  const after = written({ files: { 'ingress.yaml': text }, displaced: [] }, provider, shareOf(step));
  return at(routeIn(after, provider).canary?.value, ['metadata', 'annotations']);
}

type IngressCase = {
  /** Not there: the clean-up of a second Ingress. */
  readonly stable?: JsonObject;
  readonly stableService: string;
  readonly canaryService: string;
};

/** The second Ingress as it is made. */
function canaryIngressCase({ stable, stableService, canaryService: canaryName }: IngressCase): unknown {
  const provider = trafficProviders.NginxIngress;
  if (stable === undefined) return cleanedUp(provider);
  const sides: Sides = { ...SIDES, stable: stableService, canary: canaryName };
  const text = JSON.stringify({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', ...stable }, null, 2);
  const texts = prepared({ files: { 'ingress.yaml': text }, displaced: [] }, provider, sides);
  const canary = routeIn(texts, provider).canary?.value;
  return { metadata: at(canary, ['metadata']), spec: at(canary, ['spec']) };
}

function cleanedUp(provider: TrafficProvider): unknown {
  const metadata = { name: 'demo', annotations: { 'nginx.ingress.kubernetes.io/canary': 'true' } };
  const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', spec: {} };
  const text = [metadata, { ...metadata, name: 'demo-canary' }].map((one) =>
    JSON.stringify({ ...ingress, metadata: one }),
  );
  const before: Texts = { files: { 'ingress.yaml': text.join('\n---\n') }, displaced: [] };
  const shared = written(before, provider, { kind: 'weight', percent: 5 });
  const home = written(shared, provider, { kind: 'none' });
  return { deleted: routeIn(home, provider).canary === undefined, modified: home.files !== shared.files };
}

type IstioStep = Step & {
  readonly kind: string;
  readonly originalSpec: JsonObject;
  readonly namespace?: string;
  readonly stableService: string;
  readonly canaryService: string;
};

/** The spec of an object of Istio after a step. */
function istioCase({
  kind,
  originalSpec,
  namespace,
  stableService,
  canaryService: canaryName,
  ...step
}: IstioStep): unknown {
  const provider = kind === 'VirtualService' ? trafficProviders.VirtualService : trafficProviders.DestinationRule;
  const sides: Sides = { ...SIDES, stable: stableService, canary: canaryName };
  const texts = textOf({
    apiVersion: 'networking.istio.io/v1',
    kind,
    metadata: { name: 'demo', ...(namespace === undefined ? {} : { namespace }) },
    spec: originalSpec,
  });
  const made = provider.write(routeIn(texts, provider), sides, shareOf(step));
  if (made.kind === 'unwritable') return made.faults.map(({ reason }) => reason);
  const spec = at(valueIn(written(prepared(texts, provider, sides), provider, shareOf(step), sides), provider), [
    'spec',
  ]);
  return isJsonObject(spec) && Array.isArray(spec['http']) ? { ...spec, http: spec['http'].flatMap(ruleAMatch) } : spec;
}

/** Kruise writes a rule for each match, the last one first; ours says the same in one. */
function ruleAMatch(rule: Json): readonly Json[] {
  const [name, match] = [at(rule, ['name']), at(rule, ['match'])];
  const isOurs = typeof name === 'string' && name.startsWith('tranche-');
  if (!isOurs || !isJsonObject(rule) || !Array.isArray(match)) return [rule];
  return match.toReversed().map((one: Json) => ({ ...rule, match: [one] }));
}

type ServiceCase = {
  readonly stable: JsonObject;
  readonly key: string;
  readonly canaryRevision: string;
  readonly patchLabels?: Readonly<Record<string, string>>;
};

/**
 * The Service of the new version. Kruise tells versions apart by a label of the revision, we by the name of the
 * workload: that label stands in for it.
 */
function serviceCase({ stable, key, canaryRevision, patchLabels = {} }: ServiceCase): unknown {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'Service', ...stable }, null, 2);
  const [service] = documentsOf({ 'service.yaml': text }, ['Service']);
  const name = canaryServiceName(service!.object.name);
  const edits = canaryService(service!, { name, workload: canaryRevision, of: 'w', labels: patchLabels });
  const made = documentsOf(spliced({ 'service.yaml': text }, [edits]), ['Service']).find(
    (one) => one.object.name === name,
  );
  const spec = at(made?.value, ['spec']) as JsonObject & { readonly selector: JsonObject };
  const { [LWS_NAME]: workload, [WORKER_INDEX]: _, ...selector } = spec.selector;
  return {
    canary: { metadata: at(made?.value, ['metadata']), spec: { ...spec, selector: { ...selector, [key]: workload } } },
  };
}

/** Cases have shapes of their own, so their inputs are read as what their group says. */
export const trafficAnswers: Readonly<Record<string, (of: KruiseCase) => unknown>> = {
  httproute: (of) => httpRouteCase(of.input as Parameters<typeof httpRouteCase>[0]),
  'ingress-annotations': (of) => ingressAnnotationsCase(of.input as IngressStep),
  'ingress-annotations-tests': (of) => ingressAnnotationsCase(of.input as IngressStep),
  istio: (of) => istioCase(of.input as IstioStep),
  services: (of) => serviceCase(of.input as ServiceCase),
  'canary-ingress': (of) => canaryIngressCase(of.input as IngressCase),
};
