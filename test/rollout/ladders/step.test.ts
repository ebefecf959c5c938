/** The rows of the ladder of a step: what Git has, the next commit, and what is seen before it. */

import { expect, test } from 'vitest';
import type { Texts } from '../../../src/reconcile/ladder/delivery-parts.ts';
import type { Condition } from '../../../src/rollout/ladders/condition.ts';
import { nextCommit } from '../../../src/rollout/ladders/next-commit.ts';
import { changesOf, climbed, deliveryAt, ladderFiles, ladderRollout, partsIn, placeOf } from '../../support/ladder.ts';
import { SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const STEPS = [
  'replicas: 1, traffic: 5%',
  'replicas: 50%, traffic: 20%',
  'replicas: 3',
  'replicas: 100%, traffic: 100%',
];
const canary = ladderFiles(ladderRollout('canary', STEPS));

/** The texts after the commit of this name, of the files as they are or of others. */
function after(place: string, start: Texts = canary): Texts {
  if (place === 'rest') return start;
  const found = climbed(start).find(({ commit }) => placeOf(commit) === place);
  if (found === undefined) throw new Error(`no ${place}`);
  return found.texts;
}

function edited(texts: Texts, ...edits: readonly (readonly [from: string | RegExp, to: string])[]): Texts {
  const text = edits.reduce((now, [from, to]) => now.replace(from, to), texts.get(LWS_FILE) ?? '');
  return new Map([...texts, [LWS_FILE, text]]);
}

/** Its release is that of the template. */
function partsFor(git: Texts) {
  const text = (canary.get(LWS_FILE) ?? '').replace(OLD, NEW);
  return partsIn((git.get(LWS_FILE) ?? '').includes(NEW) ? new Map([...canary, [LWS_FILE, text]]) : canary);
}

/** Superseding: another template in the user's document, and the marks of step 1 without a rung. */
const superseded = edited(
  after('2/4 traffic'),
  [OLD, NEW],
  [/step: .*/, 'step: 1/4'],
  [/ +tranche.dev\/rung: .*\n/, ''],
);

const rows: readonly (readonly [what: string, git: Texts, place: string, changes: readonly string[], waits: string])[] =
  [
    [
      'the first text makes both documents, at no groups',
      after('rest'),
      '1/4 template',
      [
        'LeaderWorkerSet vllm-canary (copy): made-for=vllm, template=RELEASE, replicas=0',
        'Service vllm-svc-canary (copy): name=vllm-canary, made-for=vllm',
        'LeaderWorkerSet vllm: step=1/4@RELEASE, rung=template',
      ],
      'noPods gates',
    ],
    [
      'groups come when the template is there',
      after('1/4 template'),
      '1/4 pods',
      ['LeaderWorkerSet vllm-canary: replicas=1', 'LeaderWorkerSet vllm: rung=pods'],
      'live flipped',
    ],
    [
      'where the template is there before the delivery, its groups wait until it is live',
      edited(after('1/4 template'), [/ +tranche.dev\/step: .*\n/, ''], [/ +tranche.dev\/rung: .*\n/, '']),
      '1/4 pods',
      ['LeaderWorkerSet vllm-canary: replicas=1', 'LeaderWorkerSet vllm: step=1/4@RELEASE, rung=pods'],
      'live flipped gates',
    ],
    [
      'the share comes when the groups are there',
      after('1/4 pods'),
      '1/4 traffic',
      ['HTTPRoute chat: weight=95, insertItem "vllm-svc-canary"', 'LeaderWorkerSet vllm: rung=traffic'],
      'live newVersion sameTemplate serving serving',
    ],
    [
      'the next step starts with its groups: rungs that change nothing are passed over',
      after('1/4 traffic'),
      '2/4 pods',
      ['LeaderWorkerSet vllm-canary: replicas=2', 'LeaderWorkerSet vllm: step=2/4@RELEASE, rung=pods'],
      'live accepted newVersion pause gates',
    ],
    [
      'a step without share takes routing down first',
      after('2/4 traffic'),
      '3/4 route-restored',
      ['HTTPRoute chat: removeItem "vllm-svc-canary"', 'LeaderWorkerSet vllm: step=3/4@RELEASE, rung=route-restored'],
      'live accepted newVersion pause servingStable',
    ],
    [
      'and then has its groups',
      after('3/4 route-restored'),
      '3/4 pods',
      ['LeaderWorkerSet vllm-canary: replicas=3', 'LeaderWorkerSet vllm: rung=pods'],
      'live accepted drained gates',
    ],
    [
      'the share of another release goes first',
      superseded,
      '1/4 route-restored',
      ['HTTPRoute chat: removeItem "vllm-svc-canary"', 'LeaderWorkerSet vllm: step=1/4@RELEASE, rung=route-restored'],
      'live servingStable',
    ],
    [
      'a jump starts at the top, where everything but the marks is there',
      edited(after('1/4 traffic'), [/(?<=step: .?)1(?=\/4)/, '2'], [/ +tranche.dev\/rung: .*\n/, '']),
      '2/4 pods',
      ['LeaderWorkerSet vllm-canary: replicas=2', 'LeaderWorkerSet vllm: rung=pods'],
      'live gates',
    ],
    [
      'groups are not taken away where N falls',
      edited(after('2/4 pods'), ['replicas: 4', 'replicas: 2']),
      '2/4 traffic',
      ['HTTPRoute chat: weight=80, set', 'LeaderWorkerSet vllm: rung=traffic'],
      'live newVersion sameTemplate serving serving',
    ],
    [
      'where N has risen, groups come before the next step',
      edited(after('2/4 traffic'), ['replicas: 4', 'replicas: 16']),
      '2/4 pods',
      ['LeaderWorkerSet vllm-canary: replicas=8', 'LeaderWorkerSet vllm: rung=pods'],
      'live',
    ],
  ];

test.each(rows)('%s', (_, git, place, changes, waits) => {
  const next = nextCommit(deliveryAt(git, partsFor(git)));
  if (next.kind === 'unwritable') throw new Error('unwritable');
  const { digest, serial } = partsFor(git).release;
  expect(placeOf(next)).toBe(place);
  expect(
    changesOf(next).map((line) => line.replace(`${digest}.${serial}`, 'RELEASE').replace('weight=20', 'set')),
  ).toEqual(changes);
  expect(kinds(next.waits)).toBe(waits);
});

function kinds(waits: readonly Condition[]): string {
  return waits.map(({ kind }) => kind).join(' ');
}

test('another release goes through no groups, and keeps the document', () => {
  const parts = partsFor(superseded);
  const places: string[] = climbed(superseded, parts).map(({ commit }) => placeOf(commit));
  expect(places.slice(0, 5)).toEqual(['1/4 route-restored', '1/4 empty', '1/4 template', '1/4 pods', '1/4 traffic']);
  const text = climbed(superseded, parts).at(2)?.texts.get(LWS_FILE) ?? '';
  expect(text.match(/name: vllm-canary\n/g)).toHaveLength(1);
  expect(text.match(new RegExp(NEW, 'g'))).toHaveLength(2);
});

test('without routes there is no Service of ours, no home and no traffic', () => {
  const git = ladderFiles(ladderRollout('canary', ['replicas: 1', 'replicas: 2'], false));
  expect(climbed(git).map(({ commit }) => placeOf(commit))).toEqual([
    '1/2 template',
    '1/2 pods',
    '2/2 pods',
    'promote primary',
    'promote route-restored',
    'promote settled',
  ]);
});

test('a step that changes nothing is entered all the same', () => {
  const git = ladderFiles(ladderRollout('canary', ['replicas: 1', 'replicas: 1']));
  const entering = climbed(git).find(({ commit }) => placeOf(commit) === '2/2 traffic');
  expect(entering?.commit.objects).toHaveLength(1);
  expect(kinds(entering?.commit.waits ?? [])).not.toContain('accepted');
});

test('another release finds the ports that the Service has by now', () => {
  const [own = '', copy = ''] = (superseded.get(SERVICE_FILE) ?? '').split('---\n');
  const ports = '    - {name: metrics, port: 9000}\n';
  const git = new Map([...superseded, [SERVICE_FILE, `${own.replace('8080', '8000')}${ports}---\n${copy}`]]);
  const text = climbed(git, partsFor(git)).find(({ commit }) => placeOf(commit) === '1/4 template');
  const [, made = ''] = (text?.texts.get(SERVICE_FILE) ?? '').split('---\n');
  expect(made).toContain('targetPort: 8000\n');
  expect(made).toContain('name: metrics');
});
