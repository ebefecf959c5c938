/** The walkthrough of one release and of one rollback, commit by commit: annotations, fields and subjects. */

import { expect, test } from 'vitest';
import type { Marks } from '../../../src/api/marks.ts';
import { plan } from '../../../src/rollout/plan.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { editsIn } from '../../support/planned.ts';
import { type World, world } from '../../support/snapshot.ts';

const OLD = { digest: '5be0c7aa5be0c7aa5be0c7aa5be0c7aa', serial: 1 };
const NEW = { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial: 2 };
const ADOPTED = `4f1c${'0'.repeat(36)}`;
const DELIVERED = `b77a${'0'.repeat(36)}`;
const RESTORED = ['leaderWorkerTemplate', 'networkConfig', 'leaderworkerset.sigs.k8s.io/exclusive-topology'];

/** The world of the notation, with the digests and commits of the walkthrough. */
function walk(of: World, marks: Marks | undefined): Snapshot {
  const snapshot = world(of);
  const file = snapshot.workload;
  if (file === undefined) throw new Error('no workload');
  const digest = of.text === 'B' ? NEW.digest : OLD.digest;
  const stable =
    snapshot.stable.kind === 'known'
      ? { kind: 'known' as const, value: { ...snapshot.stable.value, commit: ADOPTED, release: OLD } }
      : snapshot.stable;
  return {
    ...snapshot,
    main: DELIVERED,
    stable,
    delivered: { kind: 'known', value: DELIVERED },
    workload: { ...file, digest, workload: { ...file.workload, marks } },
  };
}

/** Every changed line of the commit, as `key: value`; a removed one as `-key`. */
function diff(snapshot: Snapshot): { readonly subject: string; readonly lines: readonly string[] } {
  const made = plan(snapshot);
  const { commit } = made;
  const isFresh = snapshot.workload?.workload.marks === undefined;
  // Where there are none, to take one out changes nothing.
  const edits = (editsIn(made)[0]?.edits ?? []).filter(({ kind }) => !isFresh || kind !== 'remove');
  const lines = edits.map((edit) => {
    const last = edit.path.at(-1);
    const key = typeof last === 'string' ? last.replace('tranche.dev/', '') : '';
    if (edit.kind === 'set') return `${key}: ${edit.value}`;
    return edit.kind === 'restore' ? `${key} of ${edit.source}` : `-${key}`;
  });
  return { subject: commit?.subject ?? '', lines };
}

const settled: Marks = {
  release: OLD,
  step: undefined,
  stable: { commit: ADOPTED, digest: OLD.digest },
  restore: undefined,
  aborted: [],
};
const at = (index: number, floor: number): Marks => ({
  ...settled,
  release: NEW,
  step: { kind: 'step', index, of: 3 },
  restore: { floor, maxUnavailable: undefined },
});
const back: Marks = {
  ...settled,
  step: { kind: 'rollback' },
  restore: { floor: 2, maxUnavailable: { was: 1, set: 2 } },
  aborted: [NEW],
};
const approve = { approve: `2@9c41d2e09c41d2e09c41d2e09c41d2e0.2` };

test.each<readonly [string, Snapshot, string, readonly string[]]>([
  [
    '0. adopted',
    walk({ marks: 'none', p: 0 }, undefined),
    'rollout(llm/vllm): adopt, partition 0 → 1000000',
    [
      'release: 5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1',
      `stable: ${DELIVERED}@5be0c7aa5be0c7aa5be0c7aa5be0c7aa`,
      'partition: 1000000',
    ],
  ],
  [
    '2. step 1',
    walk({ text: 'B', groups: '0:A+ 1:A+ 2:A+ 3:A+' }, settled),
    'rollout(llm/vllm): step 1/3, partition 1000000 → 3',
    [
      'release: 9c41d2e09c41d2e09c41d2e09c41d2e0.2',
      'step: 1/3@9c41d2e09c41d2e09c41d2e09c41d2e0.2',
      'restore: {"floor":3}',
      'partition: 3',
    ],
  ],
  [
    '3. step 2',
    walk(
      { text: 'B', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B+', intents: { approve: '1@9c41d2e09c41d2e09c41d2e09c41d2e0.2' } },
      at(1, 3),
    ),
    'rollout(llm/vllm): step 2/3, partition 3 → 2',
    ['step: 2/3@9c41d2e09c41d2e09c41d2e09c41d2e0.2', 'restore: {"floor":2}', 'partition: 2'],
  ],
  [
    '3. step 3',
    walk({ text: 'B', p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B+', intents: approve }, at(2, 2)),
    'rollout(llm/vllm): step 3/3, partition 2 → 0',
    ['step: 3/3@9c41d2e09c41d2e09c41d2e09c41d2e0.2', 'restore: {"floor":0}', 'partition: 0'],
  ],
  [
    '3. locked again',
    walk({ text: 'B', p: 0 }, at(3, 0)),
    'rollout(llm/vllm): step 3/3, locked, partition 0 → 1000000',
    ['partition: 1000000'],
  ],
  [
    '3. settled',
    walk({ text: 'B' }, at(3, 0)),
    'rollout(llm/vllm): settled',
    ['-step', `stable: ${DELIVERED}@9c41d2e09c41d2e09c41d2e09c41d2e0`, '-restore'],
  ],
  [
    '4. aborted',
    walk(
      { text: 'B', p: 2, groups: '0:A+ 1:A+ 2:B- 3:B+', intents: { abort: '9c41d2e09c41d2e09c41d2e09c41d2e0.2' } },
      at(2, 2),
    ),
    'rollout(llm/vllm): rollback, maxUnavailable 1 → 2',
    [
      'release: 5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1',
      'step: rollback',
      'restore: {"floor":2,"maxUnavailable":{"was":1,"set":2}}',
      'aborted: 9c41d2e09c41d2e09c41d2e09c41d2e0.2',
      'maxUnavailable: 2',
      ...RESTORED.map((path) => `${path} of text of A`),
    ],
  ],
  [
    '4. back',
    walk({ p: 2, u: 2 }, back),
    'rollout(llm/vllm): rolled back, partition 2 → 1000000, maxUnavailable 2 → 1',
    ['-step', '-restore', 'maxUnavailable: 1', 'partition: 1000000'],
  ],
])('%s', (_, snapshot, subject, lines) => {
  expect(diff(snapshot)).toEqual({ subject, lines });
});

test('the message of step 1 says what moves, what stays, and from which commit it was planned', () => {
  const message = plan(walk({ text: 'B', groups: '0:A+ 1:A+ 2:A+ 3:A+' }, settled)).commit?.message ?? '';
  const [subject, why, trailers] = message.split('\n\n');
  expect(subject).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  expect(why?.replaceAll('\n', ' ')).toBe(
    'Group 3 moves to release 9c41d2e0 (vllm-openai:v0.10.0 → vllm-openai:v0.10.1): 1 of 4 groups (25 %); the others stay. 4 of 4 groups are ready on 5be0c7aa.',
  );
  expect(trailers).toBe(
    `Rollout: default/llm/vllm\nRollout-Release: 9c41d2e09c41d2e09c41d2e09c41d2e0.2\nRollout-Step: 1/3\nRollout-Reason: StepReady\nPlanned-From: ${DELIVERED}\nRollout-Image: vllm/vllm-openai:v0.10.0 → vllm/vllm-openai:v0.10.1\n`,
  );
});

test('between the commits nothing is written', () => {
  expect(plan(walk({}, settled)).commit).toBeUndefined();
  expect(plan(walk({ text: 'B', p: 2, groups: '0:A+ 1:A+ 2:B- 3:B+' }, at(2, 2))).commit).toBeUndefined();
  expect(plan(walk({ p: 2, u: 2, groups: '0:A+ 1:A+ 2:B- 3:B+' }, back)).commit).toBeUndefined();
});
