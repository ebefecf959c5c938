/** What the ladders make of Kruise's cases of a second workload, in the words of their expectations. */

import { isJsonObject, type JsonObject } from '../../src/api/json.ts';
import type { RolloutStep } from '../../src/api/rollout-steps.ts';
import type { Delivery } from '../../src/rollout/ladders/delivery.ts';
import { stepLadder } from '../../src/rollout/ladders/step.ts';
import type { RouteDocument } from '../../src/rollout/traffic/provider.ts';
import type { KruiseCase } from './kruise.ts';
import { castIn, deliveryAt, ladderFiles, ladderRollout } from './ladder.ts';

type Style = 'canary' | 'blueGreen';

/** The groups that the rung `pods` of a step gives the second workload, which has so many before. */
function filled(
  style: Style,
  of: { readonly replicas: number; readonly step: string; readonly before: number },
): number {
  const texts = ladderFiles(ladderRollout(style, [`replicas: ${of.step}, traffic: 5%`]));
  const delivery = deliveryAt(texts, castIn(texts));
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

/** Cases have shapes of their own, so their inputs are read as what their group says. */
export const ladderAnswers: Readonly<Record<string, (of: KruiseCase) => unknown>> = {
  'canary-workload': (of) => canaryWorkloadCase(of.input as CanaryWorkload),
  'blue-green': (of) => blueGreenCase(of.input as BlueGreen),
};
