/** Whose leaders an Analysis is tried on: those of the workload that serves, which of blueGreen may be the second one. */

import { expect, test } from 'vitest';
import { allPods, stablePods } from '../../src/commands/analyze-leaders.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { passed, settledOn, snapshotAt } from '../support/ladder-pass.ts';
import { after, asked } from '../support/ladder-stands.ts';
import { NEW, OLD } from '../support/vllm.ts';

const STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 100%, traffic: 50%, pause: {duration: 60}',
];

test('blueGreen at rest: the groups of the colour that serves', () => {
  const { stand } = passed(settledOn(ladderFiles(ladderRollout('blueGreen', STEPS))));
  const blue = stablePods(snapshotAt(stand));
  expect(blue).toEqual(['vllm-0', 'vllm-1', 'vllm-2', 'vllm-3']);
  const over = after('settled', asked(stand, OLD, NEW));
  const green = ['vllm-green-0', 'vllm-green-1', 'vllm-green-2', 'vllm-green-3'];
  expect([stablePods(snapshotAt(over)), allPods(snapshotAt(over))]).toEqual([green, green]);
});
