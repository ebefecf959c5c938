/** Whether Git is live, where one template is all there in another: what was added, and what was taken away again. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/api/json.ts';
import { known } from '../../src/api/known.ts';
import { MARK, printMarks } from '../../src/api/marks.ts';
import { waitingOnApply } from '../../src/rollout/applied.ts';
import { keyHolds } from '../../src/rollout/observed/revisions.ts';
import type { Snapshot } from '../../src/rollout/snapshot.ts';
import { marksOf, world } from '../support/snapshot.ts';

type Leaves = Readonly<Record<string, string | number>>;

/** A template by the leaves of its one container. */
function template(container: Leaves): JsonObject {
  return {
    leaderWorkerTemplate: { size: 2, workerTemplate: { spec: { containers: [{ name: 'vllm', ...container }] } } },
  };
}

const A = { image: 'a' };
const A_AND_MORE = { image: 'a', workingDir: '/models' };

function annotationsOf(notation: string): Record<string, string> {
  const marks = marksOf(notation);
  const printed = Object.entries(marks === undefined ? {} : printMarks(marks));
  return Object.fromEntries(
    printed.flatMap(([name, value]) => (value === undefined ? [] : [[MARK[name as keyof typeof MARK], value]])),
  );
}

type Case = {
  readonly live: Leaves;
  /** The marks on the live object; empty: none. */
  readonly seen: string;
  /** The revisions, by key. */
  readonly revisions: Readonly<Record<string, Leaves>>;
  /** The key on the leader StatefulSet. */
  readonly on: string;
};

/** Going back to A: the file and the stable template are one, so nothing in Git tells what was added in between. */
function goingBack(of: Case): Snapshot {
  const snapshot = world({ marks: 'A.1 rollback floor=0 aborted=B.2', p: 0, text: 'A' });
  const { live, workload, stable } = snapshot;
  if (live.lws.kind !== 'known' || live.leaderSet.kind !== 'known') throw new Error('unread');
  if (workload === undefined || stable.kind !== 'known') throw new Error('no text');
  return {
    ...snapshot,
    workload: { ...workload, workload: { ...workload.workload, content: template(A) } },
    stable: known({ ...stable.value, content: template(A) }),
    live: {
      ...live,
      lws: known({ ...live.lws.value, content: template(of.live), annotations: annotationsOf(of.seen || 'none') }),
      leaderSet: known({ ...live.leaderSet.value, revisionKey: of.on }),
      revisions: known(
        Object.entries(of.revisions).map(([key, leaves], i) => ({
          name: `vllm-${key}`,
          key,
          revision: i + 1,
          content: template(leaves),
        })),
      ),
    },
  };
}

const OURS = 'A.1 rollback floor=0 aborted=B.2';
const BEFORE = 'B.2 3/3 floor=0';
const BOTH = { a: A, b: A_AND_MORE };

test.each<readonly [what: string, of: Case, waits: string]>([
  ['applied', { live: A, seen: OURS, revisions: BOTH, on: 'a' }, 'applied'],
  ['applied, and the annotations are kept back', { live: A, seen: BEFORE, revisions: BOTH, on: 'a' }, 'applied'],
  ['applied, without annotations', { live: A, seen: '', revisions: BOTH, on: 'a' }, 'applied'],
  ['what was added is live', { live: A_AND_MORE, seen: BEFORE, revisions: BOTH, on: 'b' }, 'NotApplied'],
  ['and LWS has forgotten A', { live: A_AND_MORE, seen: BEFORE, revisions: { b: A_AND_MORE }, on: 'b' }, 'NotApplied'],
  ['and nothing is annotated', { live: A_AND_MORE, seen: '', revisions: BOTH, on: 'b' }, 'NotApplied'],
  ['a webhook adds it', { live: A_AND_MORE, seen: OURS, revisions: { a: A_AND_MORE }, on: 'a' }, 'applied'],
  ['a webhook adds it, unmarked', { live: A_AND_MORE, seen: '', revisions: { a: A_AND_MORE }, on: 'a' }, 'applied'],
  ['LWS has not taken it up', { live: A, seen: OURS, revisions: BOTH, on: 'b' }, 'NotObserved'],
  [
    'defaults of LWS are no addition',
    { live: { ...A, restartPolicy: 'RecreateGroupOnPodRestart' }, seen: BEFORE, revisions: { a: A }, on: 'a' },
    'applied',
  ],
])('%s', (_, of, waits) => {
  const snapshot = goingBack(of);
  if (snapshot.workload === undefined) throw new Error('no workload');
  expect(waitingOnApply(snapshot, snapshot.workload)?.reason ?? 'applied').toBe(waits);
});

test('two revisions with the same text are both that text', () => {
  const revisions = [
    { name: 'vllm-1', key: 'old', revision: 1, content: template(A) },
    { name: 'vllm-2', key: 'new', revision: 2, content: template({ ...A, terminationMessagePolicy: 'File' }) },
  ];
  const live = { content: template({ ...A, terminationMessagePolicy: 'File' }) };
  for (const key of ['old', 'new'])
    expect(keyHolds(key, template(A), { before: undefined, live, revisions }), key).toBe(true);
  expect(keyHolds('new', template(A), { before: undefined, live: { content: template(A) }, revisions })).toBe(false);
});
