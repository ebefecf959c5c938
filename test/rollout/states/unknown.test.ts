/** Not knowing in every state: never a step forward, always a rollback. */

import { describe, expect, test } from 'vitest';
import { absent, unknown } from '../../../src/api/known.ts';
import { plan } from '../../../src/rollout/plan.ts';
import type { Live, Snapshot } from '../../../src/rollout/snapshot.ts';
import { editsIn } from '../../support/planned.ts';
import { type World, world } from '../../support/snapshot.ts';

const B4 = '0:B+ 1:B+ 2:B+ 3:B+';
const done = { doneAgo: 60 };

/** Worlds in which only the cluster decides whether the delivery goes on. */
const states: Readonly<Record<string, World>> = {
  unmanaged: { marks: 'none' },
  requested: { text: 'B', groups: '0:A+ 1:A+ 2:A+ 3:A+' },
  'step 1': { text: 'B', marks: 'B.2 1/3 floor=3', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B+', record: done },
  rolling: { text: 'B', marks: 'B.2 3/3 floor=0', p: 0, groups: B4, record: done },
  'locked, step 1': { text: 'B', marks: 'B.2 1/3 floor=0', groups: B4, record: done },
  locked: { text: 'B', marks: 'B.2 3/3 floor=0', groups: B4, record: done },
  rollback: { marks: 'A.1 rollback floor=2 aborted=B.2', p: 2 },
};

const parts: readonly (keyof Live)[] = ['lws', 'leaderSet', 'leaders', 'workerSets', 'revisions'];

function without(snapshot: Snapshot, part: keyof Live, how: 'unknown' | 'absent'): Snapshot {
  const value = how === 'absent' ? absent : unknown('503 after three tries');
  return { ...snapshot, live: { ...snapshot.live, [part]: value } };
}

describe.each(Object.entries(states))('%s', (_, of) => {
  test('goes on when everything is read', () => {
    expect(plan(world(of)).commit).toBeDefined();
  });

  test.each(parts.flatMap((part) => [[part, 'unknown'] as const, [part, 'absent'] as const]))(
    'stands while %s is %s, and says so',
    (part, how) => {
      const made = plan(without(world(of), part, how));
      expect(made.commit).toBeUndefined();
      expect(made.holds.map((hold) => hold.reason)).toEqual(
        expect.arrayContaining([part === 'lws' && how === 'absent' ? 'WorkloadAbsent' : 'ClusterUnreadable']),
      );
    },
  );
});

const deliveries = { ...states, requested: { ...states['requested'], p: 3 } };

describe.each(Object.entries(deliveries).filter(([name]) => !['unmanaged', 'rollback'].includes(name)))(
  'abort of %s',
  (_, of) => {
    test.each(parts.flatMap((part) => [[part, 'unknown'] as const, [part, 'absent'] as const]))(
      'goes back while %s is %s, without raising the partition',
      (part, how) => {
        const made = plan(without(world({ ...of, intents: { abort: 'B.2' } }), part, how));
        expect(made.commit?.reason).toBe('Aborted');
        const partition = editsIn(made)[0]?.edits.find((edit) => edit.path.at(-1) === 'partition');
        if (partition?.kind === 'set') expect(partition.value).toBeLessThan(of.p ?? 1_000_000);
      },
    );
  },
);
