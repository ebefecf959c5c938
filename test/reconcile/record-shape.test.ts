/** A record with one wrong field is not believed, whichever it is: soaks, counts and rollbacks stand in it. */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ABSENT } from '../../src/api/field.ts';
import { RECORD_VERSION, type RolloutRecord } from '../../src/api/record.ts';
import { recordShape } from '../../src/reconcile/status/record-shape.ts';
import { readStatus } from '../../src/reconcile/status/record-store.ts';
import { printRecord } from '../../src/reconcile/status/status-writes.ts';
import { reference } from '../support/documents.ts';
import { emptyRecord } from '../support/record.ts';

const release = { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial: 2 };
const NOW = 1_750_000_000;

/** With every field that there is. */
const whole: Required<RolloutRecord> = {
  ...emptyRecord(),
  blobs: { 'apps/vllm/lws.yaml': 'b'.repeat(40) },
  conditions: [{ type: 'Progressing', status: 'True', reason: 'InRolling', message: '', since: NOW }],
  holds: [{ reason: 'PauseDuration', message: 'ends', until: NOW, facts: { groups: 1 } }],
  marks: {
    release,
    step: { kind: 'step', index: 1, of: 3 },
    stable: { commit: 'a'.repeat(40), digest: 'b'.repeat(32) },
    restore: {
      floor: 3,
      maxUnavailable: { was: '25%', set: 2 },
      replicas: { was: 4, set: 5 },
      objects: [{ object: 'Service/vllm', path: ['spec', { key: 'name', value: 'x' }], was: ABSENT, set: 80 }],
      style: 'canary',
      routing: { service: 'vllm', routes: [{ kind: 'HTTPRoute', name: 'chat' }] },
      plan: '5be0c7aa5be0c7aa5be0c7aa5be0c7aa',
      withdrawn: 1,
      stopped: true,
      resumed: 1,
    },
    at: 'pods',
    serves: 'green',
    aborted: [{ digest: '00000000000000000000000000000000', serial: 1 }],
  },
  proposal: {
    branch: 'tranche/default/llm/vllm/11111111111111111111111111111111.1-1-5be07c115be07c115be07c115be07c11',
    head: 'a'.repeat(40),
    index: 1,
    release,
    digest: '5be07c115be07c115be07c115be07c11',
    number: 12,
    url: 'https://forge.example/12',
    openedAt: NOW,
    state: 'vetoed',
    by: 'ada',
    gates: 'open',
    told: 'x',
    earlier: [11],
    vetoes: ['5be07c115be07c115be07c115be07c11'],
  },
  step: {
    release,
    index: 1,
    planned: [1, 2, 4],
    replicas: 4,
    partition: 3,
    writtenAt: NOW,
    doneSince: NOW,
    frozen: { workloadRef: { name: 'vllm' }, trafficRoutings: [], style: 'partition', steps: 3 },
    restarts: [{ index: 3, uid: 'u', count: 1, since: NOW }],
    policies: ['production@4f1c4f1c4f1c'],
    waited: {
      step: { apply: 30, schedule: 0, ready: 60 },
      delivery: { apply: 30, schedule: 0, ready: 90 },
      running: { at: NOW, clocks: ['ready'] },
      over: [{ field: 'readyDeadlineSeconds', since: NOW }],
    },
  },
  approved: { release: `${release.digest}.2`, step: '2/3', by: 'Ada', at: 'a'.repeat(40) },
  change: { of: release.digest, from: ['vllm:1'], to: ['vllm:2'], fields: ['leaderTemplate.spec.hostNetwork'] },
  groups: [
    {
      index: 3,
      uid: 'u',
      version: 'release',
      ready: false,
      since: NOW,
      loadingSince: NOW,
      unready: { since: NOW, revision: 'r' },
    },
  ],
  automaticBacks: { inARow: 1, last: [{ release, at: NOW }] },
  unseen: { why: 'unread', since: NOW },
  covers: { groups: 1, of: 4 },
  loads: [600],
  expected: {
    load: { seconds: 600, least: 600, most: 600, groups: 1 },
    atOnce: 1,
    budget: 1,
    step: { groups: 1, seconds: 600 },
    rest: { groups: 3, seconds: 1800 },
    pauses: { seconds: 60, manual: 0 },
    overdue: [3],
  },
  uids: { lws: 'l', leaderSet: 's', name: 'vllm' },
  appliedSince: NOW,
  notAppliedSince: NOW,
  retargeted: 'vllm',
  contest: { path: 'spec.replicas', count: 2, since: NOW, last: NOW, writers: ['hpa'] },
  traffic: {
    accepted: { since: NOW, of: 'HTTPRoute chat 7' },
    drained: { stable: NOW, canary: NOW },
    reached: { since: NOW, of: 'canary' },
    notAppliedSince: NOW,
    appliedSince: NOW,
    parents: ['HTTPRoute chat: inference'],
    shown: {
      rungs: ['template', 'pods'],
      sides: [{ side: 'canary', name: 'vllm-canary', groups: 2, ready: 1, serving: 1 }],
      share: { wanted: '5%', live: '5%', accepted: true },
    },
  },
  revision: { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', key: 'k' },
  requested: { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', since: NOW },
  notices: {
    outbox: [
      {
        key: 'default/llm/vllm 9c41d2e09c41d2e09c41d2e09c41d2e0.7 step 1',
        event: 'step',
        release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7',
        text: 'step 1/3',
        at: NOW,
        to: [{ to: 'prod', as: 'slack' }],
      },
    ],
    told: ['default/llm/vllm 9c41d2e09c41d2e09c41d2e09c41d2e0.7 started delivery'],
  },
  stable: { commit: 'a'.repeat(40), release, text: 'kind: LeaderWorkerSet\n' },
  course: { release, stands: [{ at: NOW, step: '1/3', covers: { groups: 1, of: 4 }, share: '20%' }] },
  built: {
    key: 'c'.repeat(40),
    text: 'kind: LeaderWorkerSet\n',
    objects: [{ name: 'ConfigMap settings', isKept: true, digest: 'd'.repeat(64) }],
    isAlone: false,
  },
  measured: {
    of: '1/3 traffic',
    metrics: [
      {
        name: 'chat/vllm/errors',
        answer: 'passed',
        canary: { n: 4180, x: 12 },
        stable: { n: 29_310, x: 71 },
        until: NOW,
        ruledOut: '1.56',
        line: '▁▂▁',
      },
    ],
  },
};

test('the reference says of every field what a forged one could do', () => {
  const text = reference().split('| field of a record |')[1]?.split('\n\n')[0] ?? '';
  const named = text
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, one]) => one));
  const parts = ['step', 'traffic'] as const;
  const own = Object.keys(whole).filter((key) => !parts.some((part) => part === key));
  const inside = parts.flatMap((part) => Object.keys(whole[part] ?? {}).map((key) => `${part}.${key}`));
  expect(named).toEqual(expect.arrayContaining([...own, ...inside]));
  expect(new Set(named).size).toBe(named.length);
});

/** What may be missing: it was not kept in older records, or is not there while there is nothing to say. */
const OPTIONAL = `
  course course.stands.0.covers course.stands.0.share change change.from change.fields approved approved.by
  marks step unseen covers loads expected uids appliedSince notAppliedSince contest traffic revision stable requested notices retargeted
  traffic.accepted traffic.drained traffic.drained.stable traffic.drained.canary traffic.reached
  traffic.notAppliedSince traffic.appliedSince traffic.parents
  traffic.shown traffic.shown.sides.0.ready traffic.shown.sides.0.serving traffic.shown.share traffic.shown.share.live
  built measured measured.metrics.0.ruledOut measured.metrics.0.line uids.name
  proposal proposal.number proposal.url proposal.by proposal.gates proposal.told proposal.earlier
  holds.0.until holds.0.facts marks.step marks.stable marks.restore marks.restore.maxUnavailable
  marks.restore.floor marks.restore.style marks.restore.routing marks.restore.routing.service marks.restore.plan marks.restore.withdrawn marks.restore.stopped marks.restore.resumed marks.at marks.serves
  marks.restore.maxUnavailable.was marks.restore.replicas marks.restore.objects step.writtenAt step.doneSince step.frozen
  step.restarts step.restarts.0.since step.policies step.waited step.waited.running step.waited.over automaticBacks groups.0.loadingSince groups.0.unready expected.load expected.step.seconds
  expected.rest.seconds expected.overdue`.split(/\s+/);
/** Kept as people and the cluster wrote them: any JSON. */
const ANY = [
  'holds.0.facts',
  'step.frozen.workloadRef',
  'step.frozen.trafficRoutings',
  'step.frozen.style',
  'step.frozen.steps',
];

/** Right or wrong as a whole. */
const WHOLE = ['marks.restore.objects'];

type Place = readonly (string | number)[];

/** Every field, with those below it; below what may be any JSON there are none. */
function placesOf(value: unknown, place: Place = []): readonly Place[] {
  if (typeof value !== 'object' || value === null || [...ANY, ...WHOLE].includes(place.join('.'))) return [];
  const keys: Place = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [
    [...place, key],
    ...placesOf((value as Record<string, unknown>)[key], [...place, key]),
  ]);
}

const fields = placesOf(whole).filter((place) => place[0] !== 'version');

/** As a pass finds it on the branch; `value` undefined: the field is not there. */
function readWith(place: Place, value: unknown): string {
  const changed = JSON.parse(JSON.stringify(whole)) as Record<string | number, unknown>;
  let node = changed;
  for (const key of place.slice(0, -1)) node = node[key] as typeof changed;
  const last = place.at(-1) ?? '';
  if (Array.isArray(node) && value === undefined) return 'read';
  if (place.length > 0) node[last] = value;
  const text = printRecord(changed as unknown as RolloutRecord);
  const file = { path: 'rollouts/default/llm/vllm.json', oid: '0'.repeat(40), mode: '100644' } as const;
  const tree = {
    commit: '0'.repeat(40),
    files: [{ ...file, content: { kind: 'text', text } as const }],
    folders: [],
    skipped: () => [],
  };
  const found = readStatus(tree).records.get('default/llm/vllm');
  return found?.kind === 'untrusted' ? found.why : (found?.kind ?? 'nothing');
}

function valueAt(place: Place): unknown {
  return place.reduce<unknown>((node, key) => (node as Record<string | number, unknown>)[key], whole);
}

test('another field or word is another version: an older tranche would drop it with its next record', () => {
  const shape = createHash('sha256').update(recordShape()).digest('hex').slice(0, 12);
  const why = 'RECORD_VERSION must rise where one was released since it rose last; then write the new digest here';
  expect([RECORD_VERSION, shape], why).toEqual([1, '1286d5374003']);
});

test('a record with every field is read', () => expect(readWith([], undefined)).toBe('read'));

test.each(fields.map((place) => [place.join('.'), place] as const))('%s, missing', (name, place) => {
  const inList = typeof place.at(-1) === 'number' || name.startsWith('blobs.');
  const wanted = OPTIONAL.includes(name) || inList ? 'read' : `${name} is not what a record has there`;
  expect(readWith(place, undefined)).toBe(wanted);
});

test.each(fields.map((place) => [place.join('.'), place] as const))('%s, another kind of value', (name, place) => {
  if (ANY.includes(name) && name !== 'holds.0.facts') return;
  for (const other of othersThan(place, name))
    expect(readWith(place, other), JSON.stringify(other)).toBe(`${name} is not what a record has there`);
});

function othersThan(place: Place, name: string): readonly unknown[] {
  const value = valueAt(place);
  // A count or a share.
  if (name.startsWith('marks.restore.maxUnavailable.')) return ['x', 0.5, null];
  if (typeof value === 'number') return ['1', -2, 0.5, null];
  return typeof value === 'string' ? [7, null] : ['x', 7, null];
}

test.each<readonly [name: string, place: Place, value: unknown]>([
  ['a field of no object', ['marks', 'restore', 'objects'], [{ path: ['spec'], was: 1, set: 2 }]],
  ['a field that was null', ['marks', 'restore', 'objects'], [{ object: 'Service/a', path: ['a'], was: null, set: 2 }]],
  ['a field without a name', ['marks', 'restore', 'objects'], [{ object: 'Service/a', path: [7], was: 1, set: 2 }]],
  ['a commit that is none', ['main'], 'main'],
  ['a release without a digest', ['step', 'release', 'digest'], 'latest'],
  ['a serial of nothing', ['marks', 'release', 'serial'], 0],
  ['a step that is neither', ['marks', 'step'], { kind: 'step 1' }],
  ['a version that no group has', ['groups', 0, 'version'], 'canary'],
  ['a phase that Kruise has not', ['phase'], 'Paused'],
  ['a word that every object has', ['phase'], 'toString'],
  ['a stable commit that is none', ['stable', 'commit'], 'HEAD'],
  ['a share that is no number', ['marks', 'restore', 'maxUnavailable', 'set'], '1.5%'],
])('%s', (_, place, value) => expect(readWith(place, value)).toContain('is not what a record has there'));

test.each([
  'main',
  'release-1.0',
  'tranche/default/llm/other/11111111111111111111111111111111.1-1-5be07c115be07c115be07c115be07c11',
  'tranche/default/llm/vllm/mine',
])('the branch %s, which would be deleted with its pull request', (branch) =>
  expect(readWith(['proposal', 'branch'], branch)).toBe(`"${branch}" is no branch of its pull requests`),
);

test('a rollback in the marks, and no next step', () => {
  expect(readWith(['marks', 'step'], { kind: 'rollback' })).toBe('read');
  expect(readWith(['nextStepIndex'], -1)).toBe('read');
});
