/** A delivery with a second workload, climbed on the texts of the usual files. */

import { printStep } from '../../src/api/marks.ts';
import { deliveryOf } from '../../src/commands/simulate/delivery.ts';
import { newKnownTexts } from '../../src/manifests/known-texts.ts';
import { type Climbed, climb } from '../../src/reconcile/ladder/climb.ts';
import { type DeliveryParts, deliveryIn, type Texts } from '../../src/reconcile/ladder/delivery-parts.ts';
import type { Delivery } from '../../src/rollout/ladders/delivery.ts';
import type { nextCommit } from '../../src/rollout/ladders/next-commit.ts';
import { TRAFFIC_FILES } from './traffic-files.ts';
import { ROLLOUT_FILE, ROLLOUT_TEXT } from './vllm.ts';

/** A Rollout of this style with these steps, in flow style. */
export function ladderRollout(
  style: 'canary' | 'blueGreen' | 'partition',
  steps: readonly string[],
  routed = true,
): string {
  const [head = ''] = ROLLOUT_TEXT.split('    canary:\n');
  const routing = '      trafficRoutings: [{service: vllm-svc, gateway: {httpRouteName: chat}}]\n';
  const extra = style === 'canary' ? '      enableExtraWorkloadForCanary: true\n' : '';
  return `${head}    ${style === 'partition' ? 'canary' : style}:\n${extra}${routed ? routing : ''}      steps:\n${steps.map((step) => `        - {${step}}\n`).join('')}`;
}

/** The usual files with this Rollout, the workload locked, and each `from` replaced by its `to` in all of them. */
export function ladderFiles(
  rollout: string,
  replaced: readonly (readonly [from: string | RegExp, to: string])[] = [],
): Texts {
  const locked = [['partition: 0', 'partition: 1000000'] as const, ...replaced];
  const files = Object.entries({ ...TRAFFIC_FILES, [ROLLOUT_FILE]: rollout });
  return new Map(files.map(([path, text]) => [path, locked.reduce((now, [from, to]) => now.replace(from, to), text)]));
}

/** How texts read: most worlds of a table differ in one of their files. */
export const KNOWN = newKnownTexts(4 * 1024 * 1024);

/** The cast of these files. */
export function partsIn(texts: Texts): DeliveryParts {
  const open = deliveryOf(texts, KNOWN);
  if (open === undefined) throw new Error('no Rollout');
  return open.parts;
}

/** The delivery as the texts have it. */
export function deliveryAt(texts: Texts, parts: DeliveryParts, displaced: Delivery['displaced'] = []): Delivery {
  const delivery = deliveryIn({ texts, displaced }, parts);
  if (delivery === undefined) throw new Error('no delivery');
  return delivery;
}

/** All commits, which must lead to rest. */
export function climbed(texts: Texts, parts = partsIn(texts)): readonly Climbed[] {
  const { commits, obstacle } = climb(texts, parts);
  if (obstacle !== undefined) throw new Error(JSON.stringify(obstacle));
  return commits;
}

/** `2/3 pods`. */
export function placeOf({ stage, at }: Pick<Climbed['commit'], 'stage' | 'at'>): string {
  return `${printStep(stage)} ${at}`;
}

/** The last fields of what a commit changes, by object: `vllm-canary: replicas=1`. */
export function changesOf(next: ReturnType<typeof nextCommit>): readonly string[] {
  if (next.kind === 'unwritable') return ['unwritable'];
  return next.objects.map(({ object, edits, document }) => {
    const told = edits.map((edit) => {
      const last = edit.path.at(-1);
      const name = typeof last === 'string' ? last.replace(/^.*\//, '') : JSON.stringify(last?.value);
      return edit.kind === 'set' ? `${name}=${edit.value}` : `${edit.kind} ${name}`;
    });
    return `${object.kind} ${object.name}${document === undefined ? '' : ' (copy)'}: ${told.join(', ')}`;
  });
}
