/** What people are notified of a change before they merge it: [before, after] → the effects on groups. */

import { expect, test } from 'vitest';
import type { ApproveIntent } from '../../src/api/intents.ts';
import type { Marks } from '../../src/api/marks.ts';
import { SENTINEL } from '../../src/api/workload.ts';
import { FILE_EFFECTS, fileEffects, wordTakenBack } from '../../src/rollout/edits/file-effects.ts';
import type { WorkloadFile } from '../../src/rollout/snapshot.ts';

type Given = {
  readonly digest?: string;
  readonly partition?: number | undefined;
  readonly replicas?: number | undefined;
  /** `2/4`; '': settled; undefined: not managed. */
  readonly step?: string | undefined;
  readonly serial?: number;
};

const [OLD, NEW] = ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'];
const settled: Given = { step: '', partition: SENTINEL, digest: OLD };
const second: Given = { step: '2/4', partition: 4, digest: NEW };

/** The word of a pull request. */
const MERGED: ApproveIntent = {
  index: 1,
  release: { digest: NEW, serial: 2 },
  partition: 3,
  digest: '5be07c115be07c115be07c115be07c11',
};

type Row = readonly [what: string, before: Given, after: Given, told: readonly (readonly [string, RegExp])[]];

const rows: readonly Row[] = [
  ['another file of the repository', settled, settled, []],
  [
    'a new template, locked',
    settled,
    { ...settled, digest: NEW },
    [['LocksRelease', /becomes bbbbbbbb, and no group of 8 is beyond/]],
  ],
  [
    'a newer template in the middle of a rollout',
    second,
    { ...second, digest: 'cccccccccccccccccccccccccccccccc' },
    [
      [
        'ReachesGroups',
        /4 of 8 groups get it at once, because a rollout is in progress \(step 2\/4\).*tranche abort vllm/,
      ],
    ],
  ],
  [
    'the old template, taken back in the middle',
    second,
    { ...second, digest: OLD },
    [['ReachesGroups', /4 of 8 groups get it at once/]],
  ],
  [
    'a new template where nothing is locked',
    { digest: OLD, partition: undefined },
    { digest: NEW, partition: undefined },
    [['ReachesGroups', /8 of 8 groups get it at once, because partition is 0.*adopt/]],
  ],
  [
    'a new template where an autoscaler keeps the number',
    { digest: OLD, partition: 2, replicas: undefined },
    { digest: NEW, partition: 2, replicas: undefined },
    [['ReachesGroups', /and groups get it at once/]],
  ],
  [
    'a step',
    second,
    { ...second, step: '3/4', partition: 2 },
    [['ReleasesGroups', /^step 2\/4 → step 3\/4: 2 of 8 groups restart/]],
  ],
  [
    'a lower partition without a step',
    second,
    { ...second, partition: 3 },
    [['ReleasesGroups', /1 of 8 groups restart/]],
  ],
  [
    'the revert of a step',
    { ...second, step: '3/4', partition: 2 },
    second,
    [
      [
        'TakesStepBack',
        /step 3\/4 → step 2\/4, partition 2 → 4: groups that have the new version keep it.*tranche abort vllm/,
      ],
    ],
  ],
  ['a stop by hand, which keeps its step', second, { ...second, partition: 6 }, [['TakesStepBack', /4 → 6/]]],
  ['locking by hand', { ...settled, partition: 0 }, settled, []],
  ['the annotations taken out', second, { ...second, step: undefined }, [['MarksTakenOut', /tranche eject/]]],
];

const KEY = { cluster: 'default', namespace: 'llm', name: 'vllm' };

test.each(rows)('%s', (_what, before, after, told) => {
  const found = fileEffects({ rollout: KEY, before: fileOf(before), after: fileOf(after) });
  expect(found.map(({ name }) => name)).toEqual(told.map(([name]) => name));
  found.forEach(({ seen, action }, at) => expect(`${seen}. ${action}`).toMatch(told[at]?.[1] ?? /^$/));
});

test('every effect is told by some row', () => {
  const word = wordTakenBack(KEY, { before: MERGED, after: undefined })?.name ?? '';
  const told = [word, ...rows.flatMap(([, , , effects]) => effects.map(([name]) => name))];
  expect(Object.keys(FILE_EFFECTS).filter((name) => !told.includes(name))).toEqual([]);
});

function fileOf({ digest = OLD, partition, step, serial = 2, ...rest }: Given): WorkloadFile {
  const [index, of] = (step ?? '').split('/').map(Number);
  const marks: Marks | undefined =
    step === undefined
      ? undefined
      : {
          release: { digest: step === '' ? OLD : NEW, serial },
          step: step === '' ? undefined : { kind: 'step', index: index ?? 0, of: of ?? 0 },
          stable: undefined,
          restore: undefined,
          aborted: [],
        };
  const replicas = 'replicas' in rest ? rest.replicas : 8;
  const object = { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', namespace: 'llm', name: 'vllm' };
  const workload = {
    replicas,
    partition,
    maxUnavailable: undefined,
    maxSurge: undefined,
    size: 2,
    rolloutId: undefined,
  };
  return { file: 'apps/vllm.yaml', object, digest, text: '', workload: { ...workload, content: {}, marks } };
}

test('the word of a pull request that goes away is told to who takes it out, and no other one', () => {
  const told = (before?: ApproveIntent, after?: ApproveIntent) => wordTakenBack(KEY, { before, after })?.seen ?? '';
  expect(told(MERGED)).toMatch(/^the approval after step 1 of bbbbbbbb\.2 is taken back/);
  expect(told({ ...MERGED, index: 0 })).toMatch(/^the approval of what comes first of/);
  expect(told(MERGED, { ...MERGED, index: 2 })).toBe('');
  expect(told({ ...MERGED, digest: undefined })).toBe('');
  expect(told()).toBe('');
});
