/** Partition and replicas of the leader StatefulSet, against the integration tests of LWS itself. */

import { expect, test } from 'vitest';
import { type GroupState, rollingParameters } from '../../src/simulator/lws/lws-parameters.ts';
import type { LwsVersion } from '../../src/simulator/modes.ts';

type Spec = { readonly N: number; readonly P: number; readonly U: number; readonly S: number };

/** Group → state, as LWS's tests fabricate pods: `ready` is updated and ready, `broken` updated and not ready. */
type Move =
  | { readonly kind: 'template' }
  | { readonly kind: 'spec'; readonly spec: Partial<Spec>; readonly template?: boolean }
  | { readonly kind: 'ready' | 'broken'; readonly groups: readonly number[] | 'all' };

const template: Move = { kind: 'template' };
const ready = (...groups: readonly number[]): Move => ({ kind: 'ready', groups });
const allReady: Move = { kind: 'ready', groups: 'all' };
const broken = (...groups: readonly number[]): Move => ({ kind: 'broken', groups });
const set = (spec: Partial<Spec>): Move => ({ kind: 'spec', spec });
const change = (spec: Partial<Spec>): Move => ({ kind: 'spec', spec, template: true });

/** LWS alone: no StatefulSet controller, groups change only when told, missing ones are made by `ready`. */
class Lone {
  private spec: Spec;
  private current: { partition: number; replicas: number; replicasSeen: number };
  private groups: (GroupState | undefined)[];
  private readonly lws: LwsVersion;

  constructor(spec: Spec, lws: LwsVersion) {
    this.spec = spec;
    this.lws = lws;
    this.current = { partition: spec.P, replicas: spec.N, replicasSeen: spec.N };
    this.groups = Array.from({ length: spec.N }, () => ({ ready: true, updated: true }));
  }

  move(move: Move): readonly [number, number] {
    let changed = move.kind === 'template';
    if (move.kind === 'spec') {
      this.spec = { ...this.spec, ...move.spec };
      changed = move.template === true;
    }
    if (move.kind === 'ready' || move.kind === 'broken') {
      const chosen = move.groups === 'all' ? [...Array(this.current.replicas).keys()] : move.groups;
      for (const group of chosen) this.groups[group] = { ready: move.kind === 'ready', updated: true };
    }
    if (changed) this.groups = this.groups.map((group) => group && { ...group, updated: false });
    // Until LWS writes the same again: its own write wakes it.
    for (let rounds = 0; rounds < 10; rounds++) {
      const { N, P, U, S } = this.spec;
      const next = rollingParameters({
        lws: this.lws,
        replicas: N,
        partition: P,
        unavailable: U,
        surge: Math.min(S, N),
        changed: changed && rounds === 0,
        current: this.current,
        groups: () =>
          Array.from({ length: this.current.replicas }, (_, at) => this.groups[at] ?? { ready: false, updated: false }),
      });
      this.current = { ...next, replicasSeen: N };
      this.groups = this.groups.slice(0, next.replicas);
    }
    return [this.current.partition, this.current.replicas];
  }
}

const base = { N: 4, P: 0, U: 1, S: 0 };

test.each<[string, Partial<Spec>, readonly (readonly [Move, number, number])[]]>([
  [
    'IT:631',
    {},
    [
      [template, 3, 4],
      [ready(3), 2, 4],
      [ready(1), 2, 4],
      [allReady, 0, 4],
    ],
  ],
  [
    'IT:729',
    { U: 2 },
    [
      [template, 2, 4],
      [ready(3), 1, 4],
      [ready(2), 0, 4],
    ],
  ],
  ['IT:807', { U: 10 }, [[template, 0, 4]]],
  [
    'IT:856',
    {},
    [
      [change({ N: 6 }), 4, 6],
      [allReady, 0, 6],
    ],
  ],
  [
    'IT:916',
    {},
    [
      [template, 3, 4],
      [ready(3), 2, 4],
      [set({ N: 6 }), 2, 6],
      [ready(4, 5), 2, 6],
      [allReady, 0, 6],
    ],
  ],
  [
    'IT:1008',
    { N: 6 },
    [
      [template, 5, 6],
      [set({ N: 3 }), 2, 3],
      [allReady, 0, 3],
    ],
  ],
  [
    'IT:1088',
    { U: 0, S: 1 },
    [
      [template, 4, 5],
      [ready(4), 3, 5],
      [ready(3), 2, 5],
      [ready(2), 1, 5],
      [ready(1), 0, 5],
      [ready(0), 0, 4],
    ],
  ],
  [
    'IT:1207',
    { U: 1, S: 1 },
    [
      [template, 3, 5],
      [ready(4), 2, 5],
      [ready(3), 1, 5],
      [ready(2), 0, 5],
      [ready(1), 0, 4],
      [ready(0), 0, 4],
    ],
  ],
  [
    'IT:1326',
    { U: 2, S: 2 },
    [
      [template, 2, 6],
      [ready(4, 5), 0, 6],
      [ready(2, 3), 0, 4],
      [ready(0, 1), 0, 4],
    ],
  ],
  [
    'IT:1404',
    { N: 2, S: 2 },
    [
      [change({ N: 4 }), 2, 6],
      [allReady, 0, 4],
    ],
  ],
  [
    'IT:1473',
    { N: 6, S: 2 },
    [
      [change({ N: 3 }), 2, 5],
      [allReady, 0, 3],
    ],
  ],
  [
    'IT:1539',
    { N: 2, S: 4 },
    [
      [template, 1, 3],
      [allReady, 0, 2],
    ],
  ],
  [
    'IT:1766',
    { S: 2 },
    [
      [template, 3, 6],
      [ready(4, 5), 1, 6],
      [template, 3, 6],
    ],
  ],
  [
    'IT:2214',
    { U: 2 },
    [
      [broken(1), 0, 4],
      [template, 3, 4],
      [allReady, 0, 4],
    ],
  ],
  [
    'IT:2394',
    { N: 6, P: 4 },
    [
      [template, 5, 6],
      [ready(5), 4, 6],
      [ready(4), 4, 6],
      [set({ P: 2 }), 3, 6],
      [ready(3), 2, 6],
      [ready(2), 2, 6],
    ],
  ],
  [
    'IT:2490',
    { N: 3, S: 1, P: 2 },
    [
      [template, 2, 4],
      [ready(3), 2, 4],
      [ready(2), 2, 4],
      [set({ P: 0 }), 0, 4],
      [ready(1), 0, 3],
      [ready(0), 0, 3],
    ],
  ],
])('%s', (_, spec, moves) => {
  const lone = new Lone({ ...base, ...spec }, '0.10');
  expect(moves.map(([move]) => lone.move(move))).toEqual(moves.map(([, partition, replicas]) => [partition, replicas]));
});

test.each<[LwsVersion, number, readonly [number, number]]>([
  // Surge groups kept while all are unready: upstream's e2e expects 7 of 4 + 4. With U=2 only 0.8 keeps one more.
  ['0.10', 1, [3, 7]],
  ['0.8', 1, [3, 7]],
  ['0.10', 2, [2, 6]],
  ['0.8', 2, [2, 7]],
])('LWS %s, N=4, S=4, U=%i', (lws, U, wanted) => {
  expect(new Lone({ ...base, S: 4, U }, lws).move(template)).toEqual(wanted);
});
