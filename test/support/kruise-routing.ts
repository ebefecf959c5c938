/** One call of Kruise's traffic routing or clean-up: the same state of Service and Ingress, and one pass of ours. */

import { FieldReader } from '../../src/api/field-reader.ts';
import { at } from '../../src/api/json.ts';
import { LWS_NAME } from '../../src/api/lws-labels.ts';
import { GRACE_SECONDS, readTrafficRoutings } from '../../src/api/rollout-traffic.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { ingressClasses } from '../../src/rollout/traffic/ingress-classes.ts';
import type { KruiseCase } from './kruise.ts';
import { until } from './kruise-finalise.ts';
import { ladderRollout } from './ladder.ts';
import { type Found, type Passed, passed, releaseIn, type Stand, settledOn } from './ladder-pass.ts';
import { asked } from './ladder-stands.ts';
import { INGRESS_FILE, INGRESS_TEXT, SERVICE_FILE, SERVICE_TEXT } from './traffic-files.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE } from './vllm.ts';

type State = {
  readonly stablePinned?: boolean;
  readonly canaryService?: boolean;
  /** null: there is no Ingress of the new version. */
  readonly canaryIngressWeight?: string | null;
};

type RoutingCase = State & {
  readonly op: 'route' | 'finalise' | 'routeAllToNew' | 'graceSeconds';
  readonly weight?: number;
  readonly secondsSinceUpdate?: number;
  readonly refs?: readonly number[];
  readonly default?: number;
};

const HOUR_SECONDS = 3600;
const PIN = `    ${LWS_NAME}: vllm\n`;

/** Kruise counts time since its last write; we since a pass has seen it in the cluster. */
function routingCase(of: RoutingCase): unknown {
  if (of.op === 'graceSeconds') return graceSeconds(of.refs ?? []);
  const { stand, found } = standOf(of);
  const before = stateOf(stand);
  const now = passedAt(stand, { now: stand.now - HOUR_SECONDS + (of.secondsSinceUpdate ?? HOUR_SECONDS), found });
  const after = stateOf(now.stand);
  const isChanged = JSON.stringify(before) !== JSON.stringify(after);
  if (of.op === 'routeAllToNew') return { canaryIngressWeight: after.canaryIngressWeight, retry: isChanged };
  return { ...after, done: isDone(of, now) };
}

/** One commit, or none: a step is found to be done by one pass, and a later one leaves its pause of 0 s. */
function passedAt(stand: Stand, { now, found }: { readonly now: number; readonly found: Found }): Passed {
  const made = passed({ ...stand, now }, found);
  return made.plan.commit === undefined ? passed({ ...made.stand, now: now + 2 }, found) : made;
}

/** Nothing is left to write for this call, and nothing of what was written is waited for. */
function isDone({ op, weight, canaryIngressWeight }: RoutingCase, { plan }: Passed): boolean {
  if (op === 'finalise') return plan.commit === undefined;
  return canaryIngressWeight === String(weight) && !plan.holds.some(({ reason }) => reason === 'GracePeriod');
}

/** The files and the record that a delivery has there, made by passes, and then as the case says as well. */
function standOf(of: RoutingCase): { readonly stand: Stand; readonly found: Found } {
  const { op, weight = 0, canaryIngressWeight: there = null } = of;
  const percent = Number(there);
  const style = op === 'routeAllToNew' ? 'blueGreen' : 'canary';
  const shares = [...(percent > 0 ? [percent] : []), ...(op === 'route' && weight !== percent ? [weight] : [])];
  const start = requested(style, shares.length === 0 ? [100] : shares);
  const isBegun = op === 'routeAllToNew' || (of.canaryService === true && op === 'route') || there !== null;
  const reached = isBegun ? climbedTo(start, percent) : start;
  const stand = asGiven(op === 'finalise' && !isBegun ? atRest() : reached, of);
  return { stand, found: op === 'finalise' && isBegun ? { intents: { abort: releaseIn(stand) } } : {} };
}

function requested(style: 'canary' | 'blueGreen', shares: readonly number[]): Stand {
  return asked(passed(settledOn(filesWith(style, shares))).stand, OLD, NEW);
}

function atRest(): Stand {
  return passed(settledOn(filesWith('canary', [5]))).stand;
}

function filesWith(style: 'canary' | 'blueGreen', shares: readonly number[]): Stand['texts'] {
  const steps = shares.map((percent) => `replicas: 100%, traffic: ${percent}%, pause: {duration: 0}`);
  const rollout = ladderRollout(style, steps).replace('gateway: {httpRouteName: chat}', 'ingress: {name: chat}');
  return new Map([
    [LWS_FILE, LWS_TEXT.replace('partition: 0', 'partition: 1000000')],
    [ROLLOUT_FILE, rollout],
    [SERVICE_FILE, SERVICE_TEXT],
    [INGRESS_FILE, INGRESS_TEXT],
  ]);
}

/** With this share seen in the cluster for the first time, or with the groups that have none yet. */
function climbedTo(start: Stand, percent: number): Stand {
  if (percent === 0) return until(start, ({ plan }) => plan.commit?.subject.includes(', pods: ') === true);
  const shared = until(start, ({ plan }) => plan.commit?.subject.endsWith(`→ ${percent}%`) === true);
  return passed(shared).stand;
}

/** What a delivery of ours cannot have left: a Service that is not pinned, or an Ingress or a Service that somebody took away. */
function asGiven(stand: Stand, { stablePinned, canaryService, canaryIngressWeight }: RoutingCase): Stand {
  const texts = new Map(stand.texts);
  const change = (file: string, to: (text: string) => string) => texts.set(file, to(texts.get(file) ?? ''));
  const copy = SERVICE_TEXT.replace('name: vllm-svc', 'name: vllm-svc-canary').replace(
    PIN,
    `    ${LWS_NAME}: vllm-canary\n`,
  );
  if (canaryIngressWeight === null) change(INGRESS_FILE, (text) => text.split('---\n')[0] ?? '');
  if (canaryService === false) change(SERVICE_FILE, (text) => text.split('---\n')[0] ?? '');
  if (canaryService === true && !(texts.get(SERVICE_FILE) ?? '').includes('---'))
    change(SERVICE_FILE, (text) => `${text}---\n${copy}`);
  if (stablePinned === false) change(SERVICE_FILE, (text) => text.replace(PIN, ''));
  return { ...stand, texts };
}

function stateOf({ texts }: Stand): Required<State> {
  const documents = (file: string, kind: string) => parseManifestFile(file, texts.get(file) ?? '', [kind]).documents;
  const services = documents(SERVICE_FILE, 'Service');
  const canary = documents(INGRESS_FILE, 'Ingress').find(({ object }) => object.name === 'chat-canary');
  const weight = at(canary?.value, ['metadata', 'annotations', `${ingressClasses.nginx.prefix}canary-weight`]);
  return {
    stablePinned: at(services[0]?.value, ['spec', 'selector', LWS_NAME]) !== undefined,
    canaryService: services.length > 1,
    canaryIngressWeight: typeof weight === 'string' ? weight : null,
  };
}

/** The longest of all that are named; where none is, as the API server writes it. */
function graceSeconds(refs: readonly number[]): number {
  const trafficRoutings = refs.map((gracePeriodSeconds) => ({
    service: 'a',
    gateway: { httpRouteName: 'a' },
    gracePeriodSeconds,
  }));
  const routings = readTrafficRoutings(new FieldReader({ trafficRoutings }, ''), 'canary');
  return Math.max(...(routings.length === 0 ? [GRACE_SECONDS] : routings.map((one) => one.gracePeriodSeconds)));
}

/** Cases have shapes of their own, so their inputs are read as what their group says. */
export const routingAnswers: Readonly<Record<string, (of: KruiseCase) => unknown>> = {
  'routing-sequence': (of) => routingCase(of.input as RoutingCase),
};
