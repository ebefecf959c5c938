/** A settled release of blueGreen is undone by order: each rung of the rollback, and what may come on it. */

import { expect, test } from 'vitest';
import { known, unknown } from '../../../src/api/known.ts';
import { NO_RULES, type PolicyRules } from '../../../src/api/policy-rules.ts';
import { parseRelease } from '../../../src/api/release.ts';
import type { Stable } from '../../../src/rollout/snapshot.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { MAIN } from '../../support/marks-notation.ts';
import { ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 100%, traffic: 50%, pause: {duration: 60}',
];
const NEWER = NEW.replace(/[0-9]+$/, '99');
const CUT = '\n---';

/** The user's own document, which is the first of its file, with another template. */
function asked(stand: Stand, from: string, to: string): Stand {
  const text = stand.texts.get(LWS_FILE) ?? '';
  const end = text.includes(CUT) ? text.indexOf(CUT) : text.length;
  const edited = text.slice(0, end).replaceAll(from, to) + text.slice(end);
  return { ...stand, texts: new Map([...stand.texts, [LWS_FILE, edited]]) };
}

const documentOf = (stand: Stand, at: 0 | 1): string => (stand.texts.get(LWS_FILE) ?? '').split(CUT)[at] ?? '';
/** What the user's own document says that is not of tranche: all of it but annotations. */
const ownText = (stand: Stand): string =>
  documentOf(stand, 0)
    .replace(/^ *tranche\.dev\/.*\n/gm, '')
    .trimEnd();

const first = passed(settledOn(ladderFiles(ladderRollout('blueGreen', STEPS)))).stand;
const onGreen = passes(asked(first, OLD, NEW)).stand;
const onBlue = passes(asked(onGreen, NEW, NEWER)).stand;

/** The order, and what main tells of it: what `before` has had settled a minute ago before what `stand` has. */
function orderOf(stand: Stand, before: Stand, policy: Partial<PolicyRules> = {}): Found {
  const file = snapshotAt(before).workload;
  const release = parseRelease(releaseIn(before));
  if (file === undefined || release === undefined) throw new Error('nothing has settled');
  const target: Stable = { commit: MAIN, release, content: file.workload.content, text: file.text };
  const now = releaseIn(stand);
  return {
    intents: { undo: `${now} ${now.split('.')[1]} to ${releaseIn(before)}` },
    snapshot: {
      undo: known({ target, back: 1, settledAt: stand.now - 60 }),
      policy: { ...NO_RULES, ...policy },
    },
  };
}

const rungs = (colour: string): readonly string[] => [
  'Undone: rollback',
  `RollbackWidened: rollback, template: ${colour}`,
  `RollbackWidened: rollback, pods: ${colour} 0 → 4`,
  'RollbackWidened: rollback, all: – → 100%',
  'hold GracePeriod Draining',
  `RollbackWidened: rollback, switch: vllm-svc → ${colour}`,
  'hold GracePeriod',
  'RouteRestored: rollback, route-restored',
  'hold GracePeriod',
  'RolledBack: rolled back',
  'hold ',
];

const OTHERS = {
  field: 'maxDeliveriesPerNamespace',
  policy: 'production',
  file: 'policies/production.yaml',
  line: 6,
  most: 1,
  underWay: ['llm/chat (1/2)'],
} as const;

/** Someone has said wait, and stop. */
function stopped(stand: Stand, found: Found): Found {
  const { rollout } = snapshotAt(stand, found);
  if (rollout === undefined) throw new Error('no Rollout');
  const halted = { ...rollout, rollout: { ...rollout.rollout, paused: true, disabled: true } };
  return { ...found, snapshot: { ...found.snapshot, rollout: halted } };
}

const toBlue = orderOf(onGreen, first);
const toGreen = orderOf(onBlue, onGreen);
const told = (stand: Stand, found: Found): readonly string[] => passes(stand, { found: () => found }).told;

test.each<readonly [what: string, policy: Partial<PolicyRules>, more: NonNullable<Found['snapshot']>]>([
  ['no policy', {}, {}],
  ['outside of the windows', { deny: [] }, { windows: { open: false, shutBy: [] } }],
  ['others are in progress', { maxDeliveriesPerNamespace: 1 }, { turns: [OTHERS] }],
  ['limits of a step', { maxStepGroups: 1, maxStepTrafficPercent: 1 }, {}],
  ['every step is approved by someone', { promotion: 'pullRequest' }, {}],
  ['the colour before is kept for a day', { bakeSeconds: 86_400 }, {}],
  ['groups are to be ready for a day', { soakSeconds: 86_400, finalSoakSeconds: 86_400 }, {}],
])('the other colour is filled and takes over at once: %s', (_, policy, more) => {
  const found = orderOf(onGreen, first, policy);
  expect(told(onGreen, { ...found, snapshot: { ...found.snapshot, ...more } })).toEqual(rungs('vllm'));
});

test('the same from the user’s own colour to the one that we made', () =>
  expect(told(onBlue, toGreen)).toEqual(rungs('vllm-green')));

test.each<readonly [what: string, stand: Stand, found: Found, before: Stand]>([
  ['to the user’s own colour', onGreen, toBlue, first],
  ['to the other one', onBlue, toGreen, onGreen],
])('%s: every byte of the template comes back, and what is not of tranche stays', (_, stand, found, before) => {
  const end = passes(stand, { found: () => found }).stand;
  const numbers = (text: string): string => text.replace(/replicas: \d+/, 'replicas');
  expect(numbers(ownText(end))).toBe(numbers(ownText(before)));
  expect(end.texts.get(ROUTE_FILE)).toBe(stand.texts.get(ROUTE_FILE));
  expect(documentOf(end, 0)).toContain(`tranche.dev/aborted: "${releaseIn(stand)}"`);
  expect(documentOf(end, 0)).toContain(`tranche.dev/release: "${releaseIn(before)}"`);
  expect(documentOf(end, 0)).not.toMatch(/tranche\.dev\/(step|rung|restore)/);
  expect(documentOf(end, 0).includes('tranche.dev/serves')).toBe(before === onGreen);
  const [serving, left] = before === onGreen ? ([1, 0] as const) : ([0, 1] as const);
  expect(documentOf(end, serving)).toContain('replicas: 4');
  expect(documentOf(end, left)).toContain('replicas: 0');
  expect(end.texts.get(SERVICE_FILE)).toMatch(before === onGreen ? /name: "?vllm-green"?\n/ : /name: "?vllm"?\n/);
});

function after(subject: string, start: Stand, found: Found): Stand {
  let stand = start;
  for (let count = 0; count < 20; count += 1) {
    const now = passed(stand, found);
    stand = now.stand;
    if (now.plan.commit?.subject.endsWith(`): ${subject}`) === true) return stand;
  }
  throw new Error(`no commit ${subject}`);
}

const begun = after('rollback', onGreen, toBlue);
const filled = after('rollback, pods: vllm 0 → 4', onGreen, toBlue);
const all = after('rollback, all: – → 100%', onGreen, toBlue);
const switched = after('rollback, switch: vllm-svc → vllm', onGreen, toBlue);
const home = after('rollback, route-restored', onGreen, toBlue);
const broken: Found = { ...toBlue, view: { own: '0:G- 1:G- 2:G- 3:G-' } };
const half: Found = { ...toBlue, view: { own: '0:G+ 1:G+ 2:G+ 3:G-' } };
const without = (found: Found): Found => ({ ...found, intents: {} });
const REST = rungs('vllm');
const WITHDRAWN = ['TrafficWithdrawn: rollback, traffic withdrawn', 'hold GroupsNotReady NotServing TrafficWithdrawn'];

test.each<readonly [what: string, stand: Stand, found: Found, told: readonly string[]]>([
  ['its template is in the file already, as a request', { ...asked(onGreen, NEW, OLD), primary: '' }, toBlue, REST],
  ['the order is taken out after the first commit', begun, without(toBlue), REST.slice(1)],
  ['paused and disabled', onGreen, stopped(onGreen, toBlue), REST],
  ['the colour does not come up: requests stay', filled, broken, ['hold GroupsNotReady NotServing']],
  ['one group of it does not: requests stay', filled, half, ['hold GroupsNotReady']],
  ['it dies with all requests', all, broken, WITHDRAWN],
  ['it dies, switched', switched, broken, WITHDRAWN],
  ['it dies, on the routes of before', home, broken, WITHDRAWN],
  [
    'a group of it dies at the end: the colour before stays',
    home,
    half,
    ['hold GracePeriod GroupsNotReady', 'hold GroupsNotReady'],
  ],
  ['nobody has read what had settled: nothing goes further', filled, { ...toBlue, snapshot: {} }, ['hold UndoRefused']],
  [
    'main does not bear it out: nothing goes further',
    begun,
    { ...toBlue, snapshot: { undo: unknown('main is cut off before it') } },
    ['hold UndoRefused'],
  ],
  [
    'what was undone is written again: out of the file once',
    asked(filled, OLD, NEW),
    toBlue,
    ['AbortedTemplateRemoved: rollback', ...REST.slice(3)],
  ],
  [
    'a newer template, with all requests: it waits',
    asked(all, OLD, NEWER),
    toBlue,
    ['hold GracePeriod Draining RequestQueued', REST[5] ?? ''],
  ],
])('%s', (_, stand, found, then) =>
  expect(passes(stand, { found: () => found, most: then.length }).told).toEqual(then),
);

test.each<readonly [what: string, stand: Stand]>([
  ['before its groups', begun],
  ['with its groups', filled],
])('a newer template takes over from step 1, %s', (_, stand) => {
  const found: Found = stand === filled ? broken : toBlue;
  const newer = passed(asked(stand, OLD, NEWER), found);
  expect(newer.told).toBe('Superseded: step 1/2, route-restored');
  const own = documentOf(newer.stand, 0);
  expect(own).toContain(`tranche.dev/aborted: "${releaseIn(onGreen)}"`);
  expect(own).toContain('tranche.dev/serves: "green"');
  expect(own).not.toContain('undone');
  const end = passes(newer.stand, { found: () => without(toBlue) });
  expect(end.told.at(-2)).toBe('Settled: settled');
  expect(documentOf(end.stand, 0)).toContain(NEWER);
});

test('what was undone, written again and again: nothing is fought a second time, and requests stay', () => {
  const once = passed(asked(filled, OLD, NEW), toBlue).stand;
  expect(passed(asked(once, OLD, NEW), toBlue).told).toBe('hold ReleaseAborted');
});

test('a share that was taken back returns when someone accepts it', () => {
  const lost = passed(all, broken).stand;
  const held = passed(lost, toBlue).plan.holds.find(({ reason }) => reason === 'TrafficWithdrawn');
  expect(held?.message).toContain('another template in the file is taken from step 1');
  expect(held?.message).not.toContain('abort');
});

test('more groups on the way: as many as the colour that serves has', () => {
  const text = filled.texts.get(LWS_FILE) ?? '';
  const [own = '', green = ''] = text.split(CUT);
  const more = {
    ...filled,
    texts: new Map([...filled.texts, [LWS_FILE, own + CUT + green.replace('replicas: 4', 'replicas: 5')]]),
  };
  expect(passed(more, toBlue).told).toBe('RollbackWidened: rollback, pods: vllm 4 → 5');
});

test('the strategy has changed since, and the second colour serves: a request and no rollback', () => {
  const found: Found = { ...toBlue, snapshot: { ...toBlue.snapshot } };
  const { rollout } = snapshotAt(onGreen, found);
  if (rollout === undefined) throw new Error('no Rollout');
  const other = { ...rollout, rollout: { ...rollout.rollout, style: 'canary' as const } };
  expect(
    passed(onGreen, { ...found, snapshot: { ...found.snapshot, rollout: other } }).plan.holds.map(
      ({ reason }) => reason,
    ),
  ).toContain('UndoRefused');
});

test.each<readonly [what: string, edit: (stand: Stand) => Stand, then: string]>([
  ['the idle colour has groups of somebody', (stand) => asked(stand, 'replicas: 0', 'replicas: 2'), 'hold IdleScaled'],
])('not started: %s', (_, edit, then) => expect(passed(edit(onGreen), toBlue).told).toBe(then));
