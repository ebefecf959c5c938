/** The ladders after the last step, and the ways back from every rung: their order, and what is seen before each. */

import { expect, test } from 'vitest';
import { climbBack } from '../../../src/reconcile/ladder/climb.ts';
import { castIn, changesOf, climbed, ladderFiles, ladderRollout, placeOf } from '../../support/ladder.ts';

const WHOLE = ['replicas: 1, traffic: 5%', 'replicas: 100%, traffic: 50%'];
const canary = ladderFiles(ladderRollout('canary', WHOLE));
const alone = ladderFiles(ladderRollout('canary', ['replicas: 100%, traffic: 100%']), [['replicas: 4', 'replicas: 1']]);
const blueGreen = ladderFiles(ladderRollout('blueGreen', WHOLE));

type Row = readonly [git: typeof canary, place: string, changes: readonly string[], waits: string];

const promotions: readonly Row[] = [
  [
    canary,
    'promote fleet',
    ['LeaderWorkerSet vllm: partition=0, step=promote, at=fleet'],
    'live accepted newVersion pause gates',
  ],
  [
    alone,
    'promote fleet',
    ['LeaderWorkerSet vllm: partition=0, step=promote, at=fleet'],
    'live accepted newVersion pause serving drained gates',
  ],
  [
    canary,
    'promote home',
    ['HTTPRoute chat: remove weight, removeItem "vllm-svc-canary"', 'LeaderWorkerSet vllm: partition=1000000, at=home'],
    'live newVersion flipped serving',
  ],
  [
    canary,
    'promote settled',
    ['LeaderWorkerSet vllm-canary: replicas=0', 'LeaderWorkerSet vllm: remove step, remove at'],
    'live accepted drained serving flipped',
  ],
  [
    blueGreen,
    'promote all',
    ['HTTPRoute chat: weight=0, weight=100', 'LeaderWorkerSet vllm: step=promote, at=all'],
    'live accepted newVersion pause newVersion gates',
  ],
  [
    blueGreen,
    'promote switch',
    ['Service vllm-svc: name=vllm-green', 'LeaderWorkerSet vllm: at=switch'],
    'live accepted drained newVersion gates',
  ],
  [
    blueGreen,
    'promote home',
    ['HTTPRoute chat: remove weight, removeItem "vllm-svc-canary"', 'LeaderWorkerSet vllm: at=home'],
    'live reached',
  ],
  [
    blueGreen,
    'promote settled',
    ['LeaderWorkerSet vllm: replicas=0, serves=green, remove step, remove at'],
    'live accepted drained newVersion bake gates',
  ],
];

test.each(promotions)('forward %#: %s', (git, place, changes, waits) => {
  const found = climbed(git).find(({ commit }) => placeOf(commit) === place);
  if (found === undefined) throw new Error(`no ${place}`);
  expect(changesOf(found.commit)).toEqual(changes);
  expect(found.commit.waits.map(({ kind }) => kind).join(' ')).toBe(waits);
});

/** [from, each rung of the way back with what is seen before it] */
const ways: readonly (readonly [git: typeof canary, from: string, rungs: readonly string[]])[] = [
  [canary, '1/2 text', ['home', 'settled: live drained']],
  [canary, '1/2 traffic', ['home', 'settled: live drained']],
  [canary, '2/2 traffic', ['home', 'settled: live drained']],
  [canary, 'promote fleet', ['fleet', 'home: live serving', 'settled: live drained stableText']],
  [canary, 'promote home', ['fleet', 'settled: live serving drained stableText']],
  [
    alone,
    'promote home',
    [
      'all: serving',
      'fleet: live accepted drained',
      'home: live serving newVersion',
      'settled: live drained stableText',
    ],
  ],
  [blueGreen, '2/2 traffic', ['home', 'settled: live reached drained']],
  [blueGreen, 'promote all', ['home', 'settled: live reached drained']],
  [blueGreen, 'promote switch', ['home: serving', 'settled: live reached drained']],
  [blueGreen, 'promote home', ['home: serving', 'settled: live reached drained']],
];

test.each(ways)('back %#: from %s', (git, from, rungs) => {
  const start = climbed(git).find(({ commit }) => placeOf(commit) === from);
  if (start === undefined) throw new Error(`no ${from}`);
  const { commits, obstacle } = climbBack(start, castIn(git));
  expect(obstacle).toBeUndefined();
  const told = commits.map(({ commit: { at, waits } }) =>
    [at, waits.map(({ kind }) => kind).join(' ')].filter((part) => part !== '').join(': '),
  );
  expect(told).toEqual(rungs);
});
