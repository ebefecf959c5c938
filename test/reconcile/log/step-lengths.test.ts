/** How long steps took, by what a log tells of deliveries. */

import { expect, test } from 'vitest';
import type { Delivery } from '../../../src/reconcile/log/deliveries.ts';
import { lengthsOf } from '../../../src/reconcile/log/step-lengths.ts';

type Told = readonly [outcome: Delivery['outcome'], ...steps: readonly string[]];

/** `2/3 600`: a commit of a step, and the seconds until the next one. */
function lengths(...told: readonly Told[]) {
  const deliveries = told.map(([outcome, ...steps]) => ({
    rollout: 'eu/llm/vllm',
    outcome,
    steps: steps.map((text) => {
      const [step = '', seconds] = text.split(' ');
      const rest = { reason: '', at: 0, commit: '', approvedBy: '', policies: [], exceptions: [] };
      return { step, seconds: seconds === undefined ? undefined : Number(seconds), ...rest };
    }),
  }));
  return lengthsOf(deliveries).get('eu/llm/vllm') ?? [];
}

test.each<readonly [what: string, told: readonly Told[], seconds: readonly number[]]>([
  ['of each step', [['settled', 'settled', '2/2 900', '1/2 600']], [900, 600]],
  ['of a step in several commits together', [['settled', 'settled', '1/1 60', '1/1 30', '1/1 10']], [100]],
  ['of no promotion', [['settled', 'settled', 'promote 50', '1/1 700']], [700]],
  ['of a release that was taken back afterwards', [['undone', 'settled', 'rollback 9', '1/1 700']], [700]],
  [
    'of none that went back, was superseded or goes on',
    [
      ['rolled back', '1/2 5'],
      ['superseded', '1/2 5'],
      ['in progress', '2/2', '1/2 5'],
    ],
    [],
  ],
  [
    'of all deliveries',
    [
      ['settled', 'settled', '1/1 700'],
      ['settled', 'settled', '1/1 800'],
    ],
    [700, 800],
  ],
])('%s', (_, told, seconds) => {
  expect(lengths(...told)).toEqual(seconds);
});
