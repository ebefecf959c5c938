/** The admission policy admits every commit of ours, also skipped or repeated, and denies edits that harm. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../src/api/json.ts';
import { RELEASE_PATHS } from '../../src/api/release-content.ts';
import { admissionVerdict, policy } from '../support/admission.ts';

const folder = new URL('../../policies/admission/', import.meta.url);
const M = 1_000_000;

type Fields = {
  readonly image: string;
  readonly P: number | undefined;
  readonly release?: string;
  readonly step?: string;
  readonly restore?: string;
  readonly aborted?: string;
  readonly U?: number;
};

/** A live LeaderWorkerSet as the API server holds it: only what the policy may look at. */
function lws(fields: Fields): JsonObject {
  const { image, P, U = 1, ...marks } = fields;
  const annotations = Object.entries(marks).map(([key, value]) => [`tranche.dev/${key}`, value] as const);
  const partition = P === undefined ? {} : { partition: P };
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'vllm', namespace: 'llm', annotations: Object.fromEntries(annotations) },
    spec: {
      replicas: 4,
      rolloutStrategy: { rollingUpdateConfiguration: { maxUnavailable: U, maxSurge: 0, ...partition } },
      networkConfig: { subdomainPolicy: 'Shared' },
      leaderWorkerTemplate: { size: 2, workerTemplate: { spec: { containers: [{ name: 'vllm', image }] } } },
    },
  };
}

const A1 = { image: 'A', release: '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1' };
const B2 = { image: 'B', release: '9c41d2e09c41d2e09c41d2e09c41d2e0.2' };
const C3 = { image: 'C', release: '77aa01bc77aa01bc77aa01bc77aa01bc.3' };
const back = { ...A1, step: 'rollback', aborted: '9c41d2e09c41d2e09c41d2e09c41d2e0.2' };

/** Each row: what one commit leaves in the file. Commits of people among them are edits of an locked workload. */
const histories: Readonly<Record<string, readonly Fields[]>> = {
  'the walkthrough': [
    { ...A1, P: M },
    { ...A1, image: 'B', P: M },
    { ...B2, P: 3, step: '1/3', restore: '{"floor":3}' },
    { ...B2, P: 2, step: '2/3', restore: '{"floor":2}' },
    { ...B2, P: 0, step: '3/3', restore: '{"floor":0}' },
    { ...B2, P: M, step: '3/3', restore: '{"floor":0}' },
    { ...B2, P: M },
  ],
  'the walkthrough, when group 2 never becomes ready': [
    { ...A1, P: M },
    { ...A1, image: 'B', P: M },
    { ...B2, P: 3, step: '1/3' },
    { ...B2, P: 2, step: '2/3' },
    { ...back, P: 2, U: 2, restore: '{"floor":2,"maxUnavailable":{"was":1,"set":2}}' },
    { ...A1, P: M, aborted: back.aborted },
    { ...A1, image: 'B', P: M, aborted: back.aborted },
    { ...B2, release: '9c41d2e09c41d2e09c41d2e09c41d2e0.3', P: 3, step: '1/3', aborted: back.aborted },
  ],
  'whole at once, then back': [
    { ...A1, P: M },
    { ...A1, image: 'B', P: M },
    { ...B2, P: 0, step: '1/1' },
    { ...B2, P: M, step: '1/1' },
    { ...back, P: 0 },
    { ...back, P: 0, U: 2 },
    { ...A1, P: M, aborted: back.aborted },
  ],
  'A to B to C to abort': [
    { ...A1, P: M },
    { ...B2, P: 3, step: '1/4' },
    { ...B2, P: 2, step: '2/4' },
    { ...C3, P: 2, step: '1/4', U: 2 },
    { ...C3, P: 1, step: '3/4', U: 2 },
    { ...back, P: 1, aborted: '77aa01bc77aa01bc77aa01bc77aa01bc.3' },
    { ...A1, P: M, aborted: '77aa01bc77aa01bc77aa01bc77aa01bc.3' },
  ],
  'a new request in the rollback': [
    { ...B2, P: 2, step: '2/4' },
    { ...back, P: 2 },
    { ...C3, P: 2, step: '1/4', aborted: back.aborted },
    { ...C3, P: M, step: '4/4', aborted: back.aborted },
    { ...C3, P: M },
  ],
  'requested, aborted': [
    { ...A1, P: M },
    { ...A1, image: 'B', P: M },
    { ...A1, P: M, aborted: '9c41d2e09c41d2e09c41d2e09c41d2e0.2' },
  ],
  'a request while whole, queued until the release is settled': [
    { ...B2, P: M, step: '3/3' },
    { ...B2, image: 'C', P: M, step: '3/3' },
    { ...B2, image: 'C', P: M },
    { ...C3, P: 3, step: '1/3' },
  ],
};

const pairs = Object.entries(histories).flatMap(([story, states]) =>
  states.flatMap((from, i) => states.map((to, j) => [story, i, j, from, to] as const)),
);

describe('whatever the agent last applied, it may apply any commit of ours', () => {
  test.each(pairs)('%s: %i → %i', (_story, _i, _j, from, to) => {
    expect(admissionVerdict(lws(from), lws(to))).toEqual({ allowed: true, message: '' });
  });
});

const T = 'the template changes in the middle of a delivery';
const S = 'is missing: groups would restart outside of a delivery';
const step2 = { ...B2, P: 2, step: '2/4' };
const settled = { ...A1, P: M };

/** states.md, event by event: what the cluster sees and what the policy says to it (undefined: admitted). */
const rows: readonly (readonly [what: string, from: Fields | undefined, to: Fields, says: string | undefined])[] = [
  ['unmanaged: adopted at rest', { image: 'A', P: 0 }, settled, undefined],
  ['unmanaged: adopted while unreadable as locked', { image: 'A', P: undefined }, settled, undefined],
  ['unmanaged: anything goes', { image: 'A', P: 0 }, { image: 'B', P: undefined }, undefined],
  ['settled: nothing changes', settled, settled, undefined],
  ['settled: someone asks', settled, { ...settled, image: 'B' }, undefined],
  ['requested: the file is put back', { ...settled, image: 'B' }, settled, undefined],
  ['requested: settled, for LeaderWorkerSet saw no change', { ...A1, image: 'B', P: M }, { ...B2, P: M }, undefined],
  ['step 1 of C, when C is live already', { ...step2, image: 'C' }, { ...C3, P: 2, step: '1/4' }, undefined],
  ['step 1 of C stops the roll', step2, { ...C3, P: 3, step: '1/4' }, undefined],
  ['step k+1 of a whole release', { ...B2, P: M, step: '3/4' }, { ...B2, P: M, step: '4/4' }, undefined],
  ['rollback: the budget is raised again', { ...back, P: 2, U: 2 }, { ...back, P: 2, U: 3 }, undefined],
  ['rollback: someone put the stable template back', { ...step2, image: 'A' }, { ...back, P: 2 }, undefined],
  ['rollback: an aborted template comes back', { ...back, P: 2 }, { ...back, image: 'B', P: 2 }, T],
  [
    'rollback: stable template once more',
    { ...back, image: 'B', P: 2 },
    { ...back, P: 2, aborted: '9c41d2e09c41d2e09c41d2e09c41d2e0.3,9c41d2e09c41d2e09c41d2e09c41d2e0.2' },
    undefined,
  ],
  ['rollback: the second time the roll is stopped', { ...back, P: 2 }, { ...back, P: 4 }, undefined],
  ['retry of an aborted release', { ...settled, aborted: 'x' }, { ...settled, image: 'B', aborted: 'x' }, undefined],
  ['a new request while partial', step2, { ...step2, image: 'C' }, T],
  ['a new request while the last batch rolls', { ...step2, P: 0 }, { ...step2, P: 0, image: 'C' }, T],
  ['jump to k', step2, { ...step2, P: 0, step: '4/4' }, undefined],
  ['steps edited', step2, { ...step2, P: 1, step: '2/3' }, undefined],
  ['P edited by hand, settled', settled, { ...settled, P: 0 }, S],
  ['P edited by hand, relocked by us', { ...settled, P: 0 }, settled, undefined],
  ['P edited by hand in a delivery: put back by us', { ...step2, P: 1 }, step2, undefined],
  ['P missing', settled, { ...settled, P: undefined }, S],
  ['an older step, and back to it from its end', { ...B2, P: M }, { ...step2, P: 3, step: '1/4' }, undefined],
  ['an older step over a pending request: refused, and nothing lost', { ...B2, image: 'C', P: M }, step2, T],
  ['annotations gone', step2, { image: 'B', P: 2 }, undefined],
  ['annotations put back by someone', { image: 'B', P: 2 }, step2, undefined],
  ['step gone', step2, { ...B2, P: 2 }, S],
  ['recreated in a delivery', undefined, step2, undefined],
  ['recreated while settled', undefined, settled, undefined],
  ['created with release and no sentinel', undefined, { ...A1, P: 0 }, S],
  ['ejected, partition 0', step2, { image: 'B', P: 0 }, undefined],
  ['ejected --abort', step2, { image: 'A', P: 0 }, undefined],
];

describe('each event of a workload', () => {
  test.each(rows)('%s', (_what, from, to, says) => {
    const verdict = admissionVerdict(from === undefined ? undefined : lws(from), lws(to));
    expect(verdict.allowed).toBe(says === undefined);
    expect(verdict.message).toContain(says ?? '');
  });
});

type Fixture = { readonly name: string; readonly head: string; readonly objects: readonly JsonObject[] };

function fixtures(kind: 'pass' | 'fail'): readonly Fixture[] {
  return readdirSync(new URL(`fixtures/${kind}/`, folder)).map((name) => {
    const text = readFileSync(new URL(`fixtures/${kind}/${name}`, folder), 'utf8');
    return { name, head: text.split('---')[0]!, objects: parseAllDocuments(text).map((one) => one.toJS()) };
  });
}

/** One document is a CREATE; two are what was there and what comes. */
function verdictOf({ objects }: Fixture) {
  expect([1, 2]).toContain(objects.length);
  return admissionVerdict(objects.length === 2 ? objects[0] : undefined, objects.at(-1)!);
}

describe('the fixtures', () => {
  test.each(fixtures('pass'))('pass: $name', (fixture) => {
    expect(fixture.head).toMatch(/^# Admitted: /);
    expect(verdictOf(fixture)).toEqual({ allowed: true, message: '' });
  });
  test.each(fixtures('fail'))('fail: $name', (fixture) => {
    const says = /^# Says: (.+)$/m.exec(fixture.head)?.[1];
    const verdict = verdictOf(fixture);
    expect(verdict.allowed).toBe(false);
    expect(verdict.message).toContain(says);
  });
  it('are at least a dozen of each', () => {
    expect(fixtures('pass').length).toBeGreaterThanOrEqual(12);
    expect(fixtures('fail').length).toBeGreaterThanOrEqual(12);
  });
});

describe('who is let through', () => {
  const edit = [lws(step2), lws({ ...step2, image: 'C' })] as const;
  it('nobody, not even an administrator', () => {
    expect(admissionVerdict(...edit, ['system:masters', 'system:authenticated']).allowed).toBe(false);
  });
  it('anyone who takes on the group for it', () => {
    expect(admissionVerdict(...edit, ['tranche.dev:break-glass', 'system:masters']).allowed).toBe(true);
  });
  it('the garbage collector, on an object that is being deleted', () => {
    const deleting = lws({ ...A1, P: 0 });
    const metadata = { ...(deleting['metadata'] as JsonObject), deletionTimestamp: '2026-11-21T03:00:00Z' };
    expect(admissionVerdict(deleting, { ...deleting, metadata }).allowed).toBe(true);
  });
});

describe('the messages', () => {
  it('name the object, what was seen, what was wanted and the next action, on one line', () => {
    const { message } = admissionVerdict(lws(step2), lws({ ...step2, image: 'C' }));
    expect(message).toBe(
      `LeaderWorkerSet vllm: ${T} (release 9c41d2e09c41d2e09c41d2e09c41d2e0.2, step 2/4), and tranche.dev/release does not: every group from partition 2 up would restart on it at once, in no step. If the edit is in Git, wait: tranche takes it from step 1 with its next commit. If it is not, commit it there. To give the delivery up, run \`tranche abort\`.`,
    );
  });
  it('say the first where more than one thing is wrong, as the API server does', () => {
    const { message } = admissionVerdict(lws(step2), lws({ ...B2, image: 'C', P: 2 }));
    expect(message).toContain(T);
    expect(message).not.toContain(S);
  });
  it('have a plain form, as the API server wants next to a long expression', () => {
    for (const { message } of policy.spec.validations) expect(message).toMatch(/^[^\n]{40,500}$/);
  });
});

describe('the manifests', () => {
  it('deny with Forbidden: Invalid makes forcing agents delete and create the object again', () => {
    expect(policy.spec.validations.map(({ reason }) => reason)).toEqual(['Forbidden', 'Forbidden']);
  });
  it('leave /scale and /status alone', () => {
    expect(policy.spec.matchConstraints).toEqual({
      resourceRules: [
        {
          apiGroups: ['leaderworkerset.x-k8s.io'],
          apiVersions: ['v1'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['leaderworkersets'],
        },
      ],
    });
  });
  it('bind the policy, and install both', () => {
    const read = (name: string) => parse(readFileSync(new URL(name, folder), 'utf8'));
    expect(read('binding.yaml').spec.policyName).toBe(read('policy.yaml').metadata.name);
    expect(read('binding.yaml').spec.validationActions).toEqual(['Deny', 'Audit']);
    expect(read('kustomization.yaml').resources).toEqual(['policy.yaml', 'binding.yaml']);
  });
  it('look at all that a release covers', () => {
    const text = readFileSync(new URL('policy.yaml', folder), 'utf8');
    expect(RELEASE_PATHS.filter((path) => !text.includes(path.at(-1)!))).toEqual([]);
  });
});
