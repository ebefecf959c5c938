/** Random worlds: desired, recorded and observed state that need not fit together. */

import * as fc from 'fast-check';
import { ACCEPTABLE } from '../../src/api/intents.ts';
import { SENTINEL } from '../../src/api/workload.ts';
import { issueOf, type LiveWorld, type RecordWorld, type World } from './snapshot.ts';

const letter = fc.constantFrom('A', 'B', 'C');
const state = fc.constantFrom('+', '+', '+', '-', 'w', '~', 'c');
const plans = ['25%/0 50%! 100%', '100%', '1 2 3 100%/60', '50%/0 100%!', '34% 67% 100%', '2 4'] as const;

function groups(count: number): fc.Arbitrary<string> {
  const group = fc.record({
    leader: letter,
    workers: letter,
    mixed: fc.boolean(),
    state,
    missing: fc.boolean(),
    rare: fc.nat(5),
  });
  return fc.array(group, { minLength: count, maxLength: count }).map((all) =>
    all
      .map((one, index) =>
        one.missing && one.rare === 0
          ? ''
          : `${index}:${one.leader}${one.mixed && one.rare === 1 ? `/${one.workers}` : ''}${one.state}`,
      )
      .filter((word) => word !== '')
      .join(' '),
  );
}

function partition(n: number): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: 0, max: n + 1 }), fc.constant(SENTINEL));
}

function marks(n: number, steps: number): fc.Arbitrary<string> {
  const serial = fc.integer({ min: 1, max: 4 });
  const aborted = fc.constantFrom('', ' aborted=B.2', ' aborted=C.3,B.2', ' aborted=B.3,B.2');
  const floor = fc.integer({ min: 0, max: n });
  const budget = fc.constantFrom('', '', ' u=1>2', ' u=->3');
  const extra = fc.constantFrom('', '', '', ...(n > 1 ? [` r=${n - 1}>${n}`] : []), ` r=${n + 1}>${n + 2}`);
  const step = fc.tuple(letter, serial, fc.integer({ min: 0, max: steps }), floor, budget, fc.tuple(extra, aborted));
  return fc.oneof(
    fc.constant('none'),
    fc.tuple(letter, serial, aborted).map(([text, k, given]) => `${text}.${k}${given}`),
    step.map(([text, k, index, low, u, [r, given]]) => `${text}.${k} ${index}/${steps} floor=${low}${u}${r}${given}`),
    fc.tuple(serial, floor, budget, aborted).map(([k, low, u, given]) => `A.${k} rollback floor=${low}${u}${given}`),
  );
}

const intents = fc.record(
  {
    approve: fc
      .tuple(fc.integer({ min: 1, max: 4 }), letter, fc.integer({ min: 1, max: 4 }))
      .map(([index, text, k]) => `${index}@${text}.${k}`),
    jump: fc
      .tuple(fc.integer({ min: 1, max: 5 }), letter, fc.integer({ min: 1, max: 4 }))
      .map(([index, text, k]) => `${index}@${text}.${k}`),
    abort: fc.tuple(letter, fc.integer({ min: 1, max: 4 })).map(([text, k]) => `${text}.${k}`),
    retry: fc
      .tuple(letter, fc.integer({ min: 1, max: 4 }), fc.nat(3))
      .map(([text, k, later]) => `${text}.${k} ${k + later}`),
  },
  { requiredKeys: [] },
);

const accept = fc
  .tuple(fc.subarray([...ACCEPTABLE], { minLength: 1 }), letter, fc.integer({ min: 1, max: 4 }))
  .map(([reasons, text, k]) => reasons.map((reason) => `${reason}@${text}.${k}`).join(' '));

function live(n: number): fc.Arbitrary<LiveWorld> {
  return fc.record(
    {
      text: letter,
      p: partition(n),
      unobserved: fc.boolean(),
      old: fc.boolean(),
      flipped: fc.boolean(),
      setText: letter,
      uid: fc.constantFrom('lws-1', 'lws-2'),
      unread: fc.constantFrom('leaderSet', 'leaders', 'workerSets', 'revisions'),
    },
    { requiredKeys: [] },
  );
}

function recorded(n: number): fc.Arbitrary<RecordWorld | undefined> {
  const record = fc.record(
    {
      doneAgo: fc.integer({ min: 0, max: 100 }),
      partition: partition(n),
      replicas: fc.integer({ min: 0, max: 6 }),
      steps: fc.constantFrom(...plans),
      appliedAgo: fc.integer({ min: 0, max: 20 }),
    },
    { requiredKeys: [] },
  );
  return fc.option(record, { nil: undefined });
}

/** A container that was restarted more often has failed, and its release goes back by itself. */
const FAILS = { maxRestarts: 3, onFailure: 'rollback' } as const;

/** Up to six groups, and everything about them is anything. */
const chaos: fc.Arbitrary<World> = fc
  .tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(...plans))
  .chain(([n, steps]) =>
    fc.record(
      {
        n: fc.constant(n),
        steps: fc.constant(steps),
        text: letter,
        marks: marks(n, steps.split(' ').length),
        p: fc.oneof({ weight: 9, arbitrary: partition(n) }, { weight: 1, arbitrary: fc.constant('missing' as const) }),
        u: fc.integer({ min: 0, max: 3 }),
        surge: fc.constantFrom(0, 0, 1, 2),
        rules: fc.constantFrom({}, {}, {}, FAILS),
        groups: groups(n),
        live: fc.oneof(
          { weight: 4, arbitrary: fc.constant({}) },
          { weight: 2, arbitrary: live(n) },
          { weight: 1, arbitrary: fc.constantFrom('unknown' as const, 'absent' as const) },
        ),
        stable: fc.constantFrom('A', 'A', 'A', 'unknown', 'absent'),
        retryText: fc.constantFrom('B', 'C', 'unknown'),
        rollout: fc.constantFrom({}, {}, {}, { paused: true }, { disabled: true }, 'absent' as const),
        failureThreshold: fc.constantFrom(0, 1, '50%' as const),
        scaler: fc.constantFrom('HPA vllm', 'unknown'),
        intents,
        accept,
        issues: fc.constantFrom([], [], [issueOf('UnknownField')]),
        record: recorded(n),
      },
      { requiredKeys: ['n', 'steps', 'text', 'marks', 'groups', 'live'] },
    ),
  );

/** A delivery of B that stands where a step of ours has put it, with at most one thing astray. */
const delivery: fc.Arbitrary<World> = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom(...plans), fc.nat(3), fc.nat(9))
  .chain(([n, steps, done, astray]) => {
    const plan = steps.split(' ');
    const index = Math.min(done, plan.length);
    const share = /^[0-9]+%?/.exec(plan[index - 1] ?? '0')?.[0] ?? '0';
    const updated = Math.min(
      n,
      share.endsWith('%') ? Math.ceil((Number(share.slice(0, -1)) * n) / 100) : Number(share),
    );
    const p = index === 0 ? SENTINEL : n - updated;
    const alike = plans.filter((other) => other.split(' ').length === plan.length);
    const edited = fc
      .constantFrom(...alike)
      .map((before) => ({ doneAgo: 100, partition: p, replicas: n, steps: before }));
    const states = Array.from(
      { length: n },
      (_, i) => `${i}:${i >= p ? 'B' : 'A'}${astray === i ? (done === 1 ? 'c' : '-') : '+'}`,
    );
    return fc.record(
      {
        n: fc.constant(n),
        steps: fc.constant(steps),
        rules: fc.constantFrom({}, {}, FAILS),
        text: fc.constantFrom('B', 'B', 'B', 'B', 'C', 'A'),
        marks: fc.constant(index === 0 ? 'A.1' : `B.2 ${index}/${plan.length} floor=${p}`),
        p: fc.constantFrom(p, p === 0 ? SENTINEL : p),
        u: fc.constantFrom(1, 2),
        groups: fc.constant(states.join(' ')),
        // Now and then the plan was another when the step was written.
        record: fc.oneof({ weight: 4, arbitrary: fc.constant({ doneAgo: 100 }) }, edited),
        failureThreshold: fc.constantFrom(0, 1),
        rollout: fc.constantFrom({}, {}, {}, {}, { paused: true }, { disabled: true }, 'absent' as const),
        intents: fc.constantFrom(
          {},
          { approve: `${index}@B.2` },
          { approve: `${index}@B.2` },
          { abort: 'B.2' },
          { jump: `${plan.length}@B.2` },
        ),
      },
      { requiredKeys: ['n', 'steps', 'text', 'marks', 'p', 'groups', 'record'] },
    );
  });

/** The same with extra groups: before they are asked for, while they start, in a step, and when all are through. */
const surged: fc.Arbitrary<World> = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 2 }), fc.nat(4), fc.nat(12))
  .chain(([n, k, stage, astray]) => {
    const asked = stage === 0 ? n : n + k;
    const p = [n, n, n - 1, 0, SENTINEL][stage] ?? n;
    const from = p === SENTINEL ? 0 : p;
    const index = [0, 0, 1, 2, 2][stage] ?? 0;
    const states = Array.from({ length: asked }, (_, i) => `${i}:${i >= from ? 'B' : 'A'}${astray === i ? '-' : '+'}`);
    const extra = stage === 0 ? '' : ` r=${n}>${n + k}`;
    return fc.record(
      {
        n: fc.constantFrom(asked, asked, asked, asked, asked + 1, n),
        steps: fc.constant('1 100%'),
        text: fc.constantFrom('B', 'B', 'B', 'B', 'C', 'A'),
        marks: fc.constantFrom(`B.2 ${index}/2 floor=${Math.min(from, n)}${extra}`, 'A.1'),
        p: fc.constant(p),
        u: fc.constantFrom(1, 1, 2),
        surge: fc.constantFrom(k, k, 0),
        groups: fc.constant(states.join(' ')),
        record: fc.constant({ doneAgo: 100 }),
        rollout: fc.constantFrom({}, {}, {}, {}, { paused: true }, { disabled: true }, 'absent' as const),
        scaler: fc.constantFrom('HPA vllm', 'unknown'),
        intents: fc.constantFrom({}, { approve: '1@B.2' }, { abort: 'B.2' }, { jump: '2@B.2' }),
      },
      { requiredKeys: ['n', 'steps', 'text', 'marks', 'p', 'surge', 'groups', 'record'] },
    );
  });

/** A release was aborted, and is asked for again: before or after another one. */
const retried: fc.Arbitrary<World> = fc.record({
  marks: fc.constantFrom('A.1 aborted=B.2', 'A.1 aborted=C.3,B.2', 'A.3 aborted=B.2'),
  text: fc.constantFrom('A', 'A', 'B'),
  retryText: fc.constantFrom('B', 'B', 'unknown'),
  intents: fc.constantFrom({ retry: 'B.2' }, { retry: 'B.2 3' }),
});

/** B had settled, and an order to undo it stands, whatever the groups do; or A is in the file again already. */
const undone: fc.Arbitrary<World> = fc.record(
  {
    marks: fc.constantFrom('B.2 stable=B', 'B.2 stable=B', 'B.2 stable=B aborted=C.3'),
    text: fc.constantFrom('B', 'B', 'B', 'A', 'C'),
    stable: fc.constant('B'),
    intents: fc.constantFrom({ undo: 'B.2 2 to A.1' }, { undo: 'B.2 3 to A.1' }),
    undo: fc.constantFrom(
      'A.1 back=1 ago=60',
      'A.1 back=1 ago=60',
      'A.1 back=2 ago=60',
      'A.1 back=1 ago=90000',
      'unknown',
    ),
    p: fc.constantFrom(SENTINEL, SENTINEL, 0, 2),
    groups: groups(4),
    live: fc.constantFrom({}, {}, 'unknown' as const),
    rollout: fc.constantFrom({}, {}, { paused: true }, { disabled: true }),
    record: fc.constantFrom({}, undefined),
  },
  { requiredKeys: ['marks', 'text', 'stable', 'intents', 'undo', 'groups'] },
);

/** Deliveries of texts whose groups have another number of pods: asked for at rest, over another release, or in progress. */
const resized: fc.Arbitrary<World> = fc
  .tuple(
    delivery,
    fc.record(
      {
        sizes: fc.constantFrom({ B: 4 }, { C: 4 }, { A: 1, B: 3 }, { A: 3, B: 1, C: 2 }),
        sizeChange: fc.constantFrom('Whole', 'Whole', 'Whole', 'Refuse'),
        lwsVersion: fc.constantFrom('0.10', '0.11'),
      },
      { requiredKeys: ['sizes', 'sizeChange'] },
    ),
  )
  .map(([of, change]) => ({ ...of, ...change }));

const order = fc.constantFrom({}, {}, { abort: 'B.2' }, { abort: 'A.1' }, { jump: '2@B.2' });
const says = fc.constantFrom({}, {}, {}, { paused: true }, { disabled: true }, 'absent' as const);

/** B has claims, and A has none: asked for, re-created, or put back by hand while it was to be re-created. */
const fresh: fc.Arbitrary<World> = fc.record(
  {
    text: fc.constantFrom('B', 'B', 'B', 'A', 'C'),
    claims: fc.constantFrom('B', 'B', 'BC', 'A'),
    recreate: fc.constantFrom('Allow', 'Allow', 'Allow', 'Refuse'),
    marks: fc.constantFrom(
      'A.1',
      'A.1',
      'A.1 aborted=B.2',
      'B.2 3/3 floor=0',
      'B.2 3/3 floor=0',
      'A.1 rollback floor=0 aborted=B.2',
      'none',
    ),
    p: fc.constantFrom(SENTINEL, SENTINEL, SENTINEL, 0, 3),
    groups: fc.oneof(fc.constantFrom('0:A+ 1:A+ 2:A+ 3:A+', '0:B+ 1:B+ 2:B+ 3:B+'), groups(4)),
    live: fc.oneof(
      fc.constantFrom({ setText: 'A' }, {}, { text: 'A' }, { text: 'A', deleting: true }),
      fc.constantFrom('unknown' as const, 'absent' as const),
    ),
    returned: fc.constantFrom('forward B.2', 'back A.1 aborted=B.2'),
    argo: fc.constantFrom('alone', 'beside'),
    rollout: says,
    intents: order,
    record: fc.constantFrom({}, { doneAgo: 100 }),
  },
  { requiredKeys: ['text', 'claims', 'recreate', 'marks', 'groups', 'live', 'record'] },
);

/** Out of its file: still there, on its way out, gone with something left of it, or gone. */
const gone: fc.Arbitrary<World> = fc.record(
  {
    text: fc.constantFrom('B', 'B', 'B', 'C'),
    claims: fc.constant('B'),
    recreate: fc.constantFrom('Allow', 'Refuse'),
    gone: fc.constantFrom('forward B.2', 'forward B.2', 'forward B.2 aborted=C.1', 'back A.1 aborted=B.2'),
    live: fc.constantFrom<LiveWorld | 'unknown'>({ text: 'A' }, { text: 'A', deleting: true }, 'unknown'),
    left: fc.constantFrom('pods', 'sets', 'unknown'),
    stable: fc.constantFrom('unknown', 'absent'),
    retryText: fc.constant('unknown'),
    rollout: says,
    intents: order,
    record: fc.constant({}),
  },
  { requiredKeys: ['text', 'claims', 'gone', 'record'] },
);

/** A third of them chaos, the others deliveries that could go on. */
export const arbitraryWorld: fc.Arbitrary<World> = fc.oneof(
  { weight: 8, arbitrary: chaos },
  { weight: 6, arbitrary: delivery },
  { weight: 4, arbitrary: surged },
  { weight: 2, arbitrary: fc.oneof(retried, undone) },
  { weight: 2, arbitrary: resized },
  { weight: 2, arbitrary: fresh },
  { weight: 1, arbitrary: gone },
);
