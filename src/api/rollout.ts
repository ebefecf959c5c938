/** The Rollout of Kruise (rollouts.kruise.io/v1beta1), as people write it: parsed strictly, meaning unchanged. */

import { type FieldFault, FieldReader } from './field-reader.ts';
import { type IntOrPercent, isIntOrPercent, percentOf } from './int-or-percent.ts';
import { at, isRecord, type JsonObject } from './json.ts';
import { LWS_KIND } from './kinds.ts';
import { nearest } from './nearest.ts';
import { type RolloutStep, readSteps } from './rollout-steps.ts';
import { readTrafficRoutings, type TrafficRouting } from './rollout-traffic.ts';
import type { RollingStyle } from './styles.ts';

export const ROLLOUT_API_VERSION = 'rollouts.kruise.io/v1beta1';
export const LWS_API_VERSION = 'leaderworkerset.x-k8s.io/v1';
/** The API group that the Kruise proposal for LWS writes; LWS never had it. Accepted with a warning. */
export const LWS_API_VERSION_ALIAS = 'workload.kubernetes.io/v1alpha1';

const OUR_GROUPS = [LWS_API_VERSION, LWS_API_VERSION_ALIAS].map((version) => version.split('/')[0] ?? '');

/** Makes LeaderWorkerSets of its own; people who write it into a Rollout mean those (LWS 0.9, KEP-766). */
export const DISAGGREGATED_SET = 'DisaggregatedSet';

/**
 * Whether a Rollout is for a workload of another kind or API group, such as a Deployment: Kruise's, not ours, whatever
 * else is in it. One that names no kind, or ours but for a few letters, is ours and wrong: passed over, nothing would step it.
 */
export function isOfOtherWorkload(rollout: JsonObject): boolean {
  const places = [
    ['spec', 'workloadRef'],
    ['spec', 'objectRef', 'workloadRef'],
  ];
  return places.some((place) => {
    const [apiVersion, kind] = ['apiVersion', 'kind'].map((key) => at(rollout, [...place, key]));
    if (typeof apiVersion !== 'string' || typeof kind !== 'string' || kind === DISAGGREGATED_SET) return false;
    return !isLike(kind, [LWS_KIND]) || !isLike(apiVersion.split('/')[0] ?? '', OUR_GROUPS);
  });
}

function isLike(seen: string, ours: readonly string[]): boolean {
  return ours.includes(seen) || nearest(seen, ours) !== undefined;
}

/** Names a TrafficRouting that moves traffic for this Rollout (reference: Kruise api/v1alpha1). */
const TRAFFIC_ROUTING = 'rollouts.kruise.io/trafficrouting';

export type Rollout = {
  readonly name: string;
  /** Empty where the manifest names none. */
  readonly namespace: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly workload: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  readonly disabled: boolean;
  readonly paused: boolean;
  readonly style: RollingStyle;
  readonly steps: readonly RolloutStep[];
  readonly failureThreshold: IntOrPercent | undefined;
  /** True where it asks for traffic to be moved: routings, a TrafficRouting, or a step with traffic or matches. */
  readonly asksForTraffic: boolean;
  /** Where requests go; undefined: nowhere that is named here. */
  readonly routing: TrafficRouting | undefined;
  /** `strategy.canary` or `strategy.blueGreen` as written: what Kruise hashes to see an edited plan. */
  readonly strategy: JsonObject;
};

type RolloutParsing = {
  /** undefined where a fault leaves nothing to work with. */
  readonly rollout: Rollout | undefined;
  readonly faults: readonly FieldFault[];
};

type RolloutRules = {
  /** Kruise's `--partition-percent-limit`: the largest percentage a partition step with traffic may have. */
  readonly partitionPercentLimit: number;
};

/** Kruise's default. */
export const PARTITION_PERCENT_LIMIT = 50;
const DEFAULT_RULES: RolloutRules = { partitionPercentLimit: PARTITION_PERCENT_LIMIT };

/**
 * Reads and validates a Rollout. The rules of a valid strategy are Kruise's own (reference:
 * rollout_create_update_handler.go); unknown fields are faults, because a typo must not silently lose a pause.
 * Which workload kinds can be delivered is not decided here.
 */
export function parseRollout(value: unknown, rules: RolloutRules = DEFAULT_RULES): RolloutParsing {
  const root = new FieldReader(value, '');
  root.allow(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
  const metadata = root.object('metadata');
  const spec = root.object('spec');
  spec.allow(['workloadRef', 'disabled', 'strategy']);
  const strategy = spec.object('strategy');
  strategy.allow(['paused', 'canary', 'blueGreen']);
  const body = isRecord(spec.value('strategy')) ? strategyBody(strategy) : undefined;
  if (body === undefined) return { rollout: undefined, faults: root.faults };
  checkSecond(body);
  const style = rollingStyle(strategy.has('blueGreen'), body.boolean('enableExtraWorkloadForCanary', false));
  const steps = readSteps(body, { style, percentLimit: rules.partitionPercentLimit });
  const routings = readTrafficRoutings(body, style);
  const annotations = metadata.stringMap('annotations');
  // Policies choose by them: one that cannot be read would take their limits away.
  metadata.stringMap('labels');
  const workload = spec.object('workloadRef');
  workload.allow(['apiVersion', 'kind', 'name']);
  const rollout: Rollout = {
    name: metadata.text('name'),
    namespace: metadata.optionalText('namespace', ''),
    annotations,
    workload: { apiVersion: workload.text('apiVersion'), kind: workload.text('kind'), name: workload.text('name') },
    disabled: spec.boolean('disabled', false),
    paused: strategy.boolean('paused', false),
    style,
    steps,
    failureThreshold: readThreshold(body),
    asksForTraffic: routings.length > 0 || asksForTraffic({ body, annotations, steps }),
    routing: routings[0],
    strategy: body.asJson(),
  };
  return { rollout: root.faults.length === 0 ? rollout : undefined, faults: root.faults };
}

/** `canary` or `blueGreen`, whichever is there; undefined and a fault where it is not exactly one. */
function strategyBody(strategy: FieldReader): FieldReader | undefined {
  const hasCanary = strategy.has('canary');
  if (hasCanary === strategy.has('blueGreen')) {
    const [seen, hint] = hasCanary
      ? ['both canary and blueGreen', 'Keep the one that you mean.']
      : ['neither canary nor blueGreen', 'Write the one that you mean.'];
    strategy.fault('', 'StrategyNotOne', `has ${seen}, wanted exactly one`, hint);
    return undefined;
  }
  const body = strategy.object(hasCanary ? 'canary' : 'blueGreen');
  const common = ['steps', 'trafficRoutings', 'failureThreshold', 'trafficRoutingRef', 'disableGenerateCanaryService'];
  body.allow(hasCanary ? [...common, 'patchPodTemplateMetadata', 'enableExtraWorkloadForCanary'] : common);
  return body;
}

/** Fields that are taken from the strategy as it is written: one of another type would be passed over silently. */
function checkSecond(body: FieldReader): void {
  body.boolean('disableGenerateCanaryService', false);
  if (!body.has('patchPodTemplateMetadata')) return;
  const patch = body.object('patchPodTemplateMetadata');
  patch.allow(['labels', 'annotations']);
  patch.stringMap('labels');
  patch.stringMap('annotations');
}

function readThreshold(body: FieldReader): IntOrPercent | undefined {
  const threshold = body.value('failureThreshold');
  if (threshold === undefined) return undefined;
  if (isIntOrPercent(threshold)) {
    const percent = percentOf(threshold);
    // Below zero no step would ever be done, and with more than all of them each would.
    if (percent === undefined ? Number(threshold) >= 0 : percent <= 100) return threshold;
  }
  const seen = JSON.stringify(threshold);
  body.fault('failureThreshold', 'BadNumber', `is ${seen}, wanted a count from 0, or "0%" to "100%"`, 'Correct it.');
  return undefined;
}

function asksForTraffic(of: {
  readonly body: FieldReader;
  readonly annotations: Readonly<Record<string, string>>;
  readonly steps: readonly RolloutStep[];
}): boolean {
  if (of.body.has('trafficRoutingRef') || of.annotations[TRAFFIC_ROUTING] !== undefined) return true;
  return of.steps.some((step) => step.traffic !== undefined || step.matches.length > 0);
}

/** First match, as Kruise decides it. */
function rollingStyle(blueGreen: boolean, extraWorkload: boolean): RollingStyle {
  if (blueGreen) return 'blueGreen';
  return extraWorkload ? 'canary' : 'partition';
}
