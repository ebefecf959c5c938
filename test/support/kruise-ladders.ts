/** What the ladders make of Kruise's cases of a second workload, in the words of their expectations. */

import type { IntOrPercent } from '../../src/api/int-or-percent.ts';
import { isJsonObject, type JsonObject } from '../../src/api/json.ts';
import { LWS_KIND } from '../../src/api/kinds.ts';
import { LWS_API_VERSION, parseRollout } from '../../src/api/rollout.ts';
import type { RolloutStep } from '../../src/api/rollout-steps.ts';
import type { Delivery } from '../../src/rollout/ladders/delivery.ts';
import { stepLadder } from '../../src/rollout/ladders/step.ts';
import type { RouteDocument } from '../../src/rollout/traffic/provider.ts';
import type { KruiseCase } from './kruise.ts';
import { until } from './kruise-finalise.ts';
import { deliveryAt, ladderFiles, ladderRollout, partsIn } from './ladder.ts';
import { passed, type Stand, settledOn } from './ladder-pass.ts';
import { asked } from './ladder-stands.ts';
import { NEW, OLD } from './vllm.ts';

type Style = 'canary' | 'blueGreen';

/** The groups that the rung `pods` of a step gives the second workload, which has this many before. */
function filled(
  style: Style,
  of: { readonly replicas: number; readonly step: string; readonly before: number },
): number {
  const texts = ladderFiles(ladderRollout(style, [`replicas: ${of.step}, traffic: 5%`]));
  const delivery = deliveryAt(texts, partsIn(texts));
  const own = withReplicas(delivery.own, of.replicas);
  const second = withReplicas({ ...own, object: { ...own.object, name: 'second' } }, of.before);
  const [step] = delivery.plan.steps;
  return groupsAfter({ ...delivery, own: { ...own, text: delivery.own.text }, second }, step!) ?? of.before;
}

function groupsAfter(delivery: Delivery, step: RolloutStep): number | undefined {
  const pods = stepLadder(step).find(({ at }) => at === 'pods');
  const made = pods?.commit(delivery);
  if (made?.kind !== 'ok') throw new Error('the rung pods cannot be written');
  const [edit] = made.objects.flatMap(({ edits }) => edits);
  return edit?.kind === 'set' ? Number(edit.value) : undefined;
}

function withReplicas({ file, object, value }: RouteDocument, replicas: number): RouteDocument {
  const spec: JsonObject = isJsonObject(value['spec']) ? value['spec'] : {};
  return { file, object, value: { ...value, spec: { ...spec, replicas } } };
}

type CanaryWorkload = { readonly replicas: number; readonly step: string; readonly currentCanaryReplicas?: number };

function canaryWorkloadCase({ replicas, step, currentCanaryReplicas = 0 }: CanaryWorkload): unknown {
  return { canaryReplicas: filled('canary', { replicas, step, before: currentCanaryReplicas }) };
}

type BlueGreen = {
  readonly replicas: number;
  readonly steps: readonly string[];
  readonly currentBatch: number;
  readonly updated: number;
};

function blueGreenCase({ replicas, steps, currentBatch, updated }: BlueGreen): unknown {
  const groups = filled('blueGreen', { replicas, step: steps[currentBatch] ?? '', before: updated });
  return { planned: groups, desiredUpdated: groups };
}

type ReleasePlan = {
  readonly steps: readonly IntOrPercent[];
  readonly stepIndex: number;
  readonly enableExtraWorkloadForCanary?: boolean;
  readonly rolloutID?: string;
  readonly batchState?: string;
  readonly updated?: number;
  readonly updatedReady?: number;
};

/** What a delivery has on its way to a step, and what the pass makes of its groups. */
function releasePlanCase(given: ReleasePlan): unknown {
  const { steps, stepIndex, rolloutID = '', updated, updatedReady = updated ?? 0 } = given;
  const isCanary = given.enableExtraWorkloadForCanary === true || given.batchState !== undefined;
  if (!isCanary) return { ...planOf(steps, 'partition', stepIndex), rolloutID };
  const stand = fillingAt(given);
  if (updated === undefined)
    return {
      ...planOf(steps, 'canary', stand.record?.currentStepIndex ?? 0),
      rolloutID: stand.record?.observedRolloutID,
    };
  const second = Array.from({ length: updated }, (_, group) => `${group}:G${group < updatedReady ? '+' : '-'}`).join(
    ' ',
  );
  const { record } = passed(stand, { view: { second } }).stand;
  const side = record?.traffic?.shown?.sides.find((one) => one.side === 'canary');
  return { state: record?.currentStepState, canaryReplicas: updated, canaryReadyReplicas: side?.ready };
}

function planOf(steps: readonly IntOrPercent[], style: 'partition' | 'canary', index: number): object {
  const list = steps.map((replicas) => ({ replicas }));
  const isCanary = style === 'canary';
  const canary = { steps: list, enableExtraWorkloadForCanary: isCanary };
  const workloadRef = { apiVersion: LWS_API_VERSION, kind: LWS_KIND, name: 'vllm' };
  const { rollout } = parseRollout({
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: { name: 'vllm', namespace: 'llm' },
    spec: { workloadRef, strategy: { canary } },
  });
  return {
    batches: rollout?.steps.map((step) => step.replicas),
    batchPartition: index - 1,
    enableExtraWorkloadForCanary: rollout?.style === 'canary',
    rollingStyle: rollout?.style === 'canary' ? 'Canary' : 'Partition',
  };
}

/** The commit that gives the second workload the groups of this step. */
function fillingAt({ steps, stepIndex, rolloutID = '' }: ReleasePlan): Stand {
  const list = steps.map((step) => `replicas: ${step}, traffic: 5%, pause: {duration: 0}`);
  const groups = Math.max(...steps.map((step) => (typeof step === 'number' ? step : 1)));
  const label = rolloutID === '' ? '' : `  labels: {rollouts.kruise.io/rollout-id: ${JSON.stringify(rolloutID)}}\n`;
  const files = ladderFiles(ladderRollout('canary', list), [
    ['replicas: 4', `replicas: ${groups}`],
    ['  namespace: llm\nspec:\n  replicas', `  namespace: llm\n${label}spec:\n  replicas`],
  ]);
  const start = asked(passed(settledOn(files)).stand, OLD, NEW);
  return until(start, ({ plan }) => plan.commit?.subject.includes(`step ${stepIndex}/${steps.length}, pods`) === true);
}

/** Cases have shapes of their own, so their inputs are read as what their group says. */
export const ladderAnswers: Readonly<Record<string, (of: KruiseCase) => unknown>> = {
  'canary-workload': (of) => canaryWorkloadCase(of.input as CanaryWorkload),
  'release-plan': (of) => releasePlanCase(of.input as ReleasePlan),
  'blue-green': (of) => blueGreenCase(of.input as BlueGreen),
};
