/** The ladders after the last step, and the rollbacks from every rung: their order, and what is seen before each. */

import { expect, test } from 'vitest';
import { climbBack } from '../../../src/reconcile/ladder/climb.ts';
import { changesOf, climbed, ladderFiles, ladderRollout, partsIn, placeOf } from '../../support/ladder.ts';

const WHOLE = ['replicas: 1, traffic: 5%', 'replicas: 100%, traffic: 50%'];
const canary = ladderFiles(ladderRollout('canary', WHOLE));
const alone = ladderFiles(ladderRollout('canary', ['replicas: 100%, traffic: 100%']), [['replicas: 4', 'replicas: 1']]);
const blueGreen = ladderFiles(ladderRollout('blueGreen', WHOLE));

type Row = readonly [git: typeof canary, place: string, changes: readonly string[], waits: string];

const promotions: readonly Row[] = [
  [
    canary,
    'promote primary',
    ['LeaderWorkerSet vllm: partition=0, step=promote, rung=primary'],
    'live accepted newVersion pause gates',
  ],
  [
    alone,
    'promote primary',
    ['LeaderWorkerSet vllm: partition=0, step=promote, rung=primary'],
    'live accepted newVersion pause serving drained gates',
  ],
  [
    canary,
    'promote route-restored',
    [
      'HTTPRoute chat: remove weight, removeItem "vllm-svc-canary"',
      'LeaderWorkerSet vllm: partition=1000000, rung=route-restored',
    ],
    'live newVersion flipped serving',
  ],
  [
    canary,
    'promote settled',
    ['LeaderWorkerSet vllm-canary: replicas=0', 'LeaderWorkerSet vllm: remove step, remove rung'],
    'live accepted drained serving flipped',
  ],
  [
    blueGreen,
    'promote all',
    ['HTTPRoute chat: weight=0, weight=100', 'LeaderWorkerSet vllm: step=promote, rung=all'],
    'live accepted newVersion pause newVersion gates',
  ],
  [
    blueGreen,
    'promote switch',
    ['Service vllm-svc: name=vllm-green', 'LeaderWorkerSet vllm: rung=switch'],
    'live accepted drained newVersion gates',
  ],
  [
    blueGreen,
    'promote route-restored',
    ['HTTPRoute chat: remove weight, removeItem "vllm-svc-canary"', 'LeaderWorkerSet vllm: rung=route-restored'],
    'live reached',
  ],
  [
    blueGreen,
    'promote settled',
    ['LeaderWorkerSet vllm: replicas=0, serves=green, remove step, remove rung'],
    'live accepted drained newVersion bake gates',
  ],
];

test.each(promotions)('forward %#: %s', (git, place, changes, waits) => {
  const found = climbed(git).find(({ commit }) => placeOf(commit) === place);
  if (found === undefined) throw new Error(`no ${place}`);
  expect(changesOf(found.commit)).toEqual(changes);
  expect(found.commit.waits.map(({ kind }) => kind).join(' ')).toBe(waits);
});

/** [from, each rung of the rollback with what is seen before it] */
const ways: readonly (readonly [git: typeof canary, from: string, rungs: readonly string[]])[] = [
  [canary, '1/2 template', ['route-restored', 'settled: live drained']],
  [canary, '1/2 traffic', ['route-restored', 'settled: live drained']],
  [canary, '2/2 traffic', ['route-restored', 'settled: live drained']],
  [canary, 'promote primary', ['primary', 'route-restored: live serving', 'settled: live drained stableText']],
  [canary, 'promote route-restored', ['primary', 'settled: live serving drained stableText']],
  [
    alone,
    'promote route-restored',
    [
      'all: serving',
      'primary: live accepted drained',
      'route-restored: live serving newVersion',
      'settled: live drained stableText',
    ],
  ],
  [blueGreen, '2/2 traffic', ['route-restored', 'settled: live reached drained']],
  [blueGreen, 'promote all', ['route-restored', 'settled: live reached drained']],
  [blueGreen, 'promote switch', ['route-restored: serving', 'settled: live reached drained']],
  [blueGreen, 'promote route-restored', ['route-restored: serving', 'settled: live reached drained']],
];

test.each(ways)('back %#: from %s', (git, from, rungs) => {
  const start = climbed(git).find(({ commit }) => placeOf(commit) === from);
  if (start === undefined) throw new Error(`no ${from}`);
  const { commits, obstacle } = climbBack(start, partsIn(git));
  expect(obstacle).toBeUndefined();
  const told = commits.map(({ commit: { at, waits } }) =>
    [at, waits.map(({ kind }) => kind).join(' ')].filter((part) => part !== '').join(': '),
  );
  expect(told).toEqual(rungs);
});
