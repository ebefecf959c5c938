/** A settled release is taken back by order: what the rollback writes, and when the order stands for nothing. */

import { expect, test } from 'vitest';
import { plan } from '../../../src/rollout/plan.ts';
import { planned, type Row } from '../../support/planned.ts';
import { issueOf, type World, world } from '../../support/snapshot.ts';

/** B had settled a minute ago, A before it. */
const settled: World = {
  text: 'B',
  marks: 'B.2 stable=B',
  groups: '0:B+ 1:B+ 2:B+ 3:B+',
  intents: { undo: 'B.2 2 to A.1' },
  undo: 'A.1 back=1 ago=60',
};
const back = 'Undone: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.2 text A';

test.each<Row>([
  ['the template of the release before, and every group', settled, back],
  ['paused', { ...settled, rollout: { paused: true } }, back],
  ['disabled', { ...settled, rollout: { disabled: true } }, back],
  ['a wrong file', { ...settled, issues: [issueOf('X')] }, back],
  [
    'outside of the windows of a policy',
    { ...settled, rules: { deny: [] }, windows: { open: false, shutBy: [] } },
    back,
  ],
  [
    'others are in progress',
    { ...settled, rules: { maxDeliveriesPerNamespace: 1 }, underWay: ['llm/chat (1/2)'] },
    back,
  ],
  ['every step is approved by someone', { ...settled, rules: { promotion: 'pullRequest' } }, back],
  ['not readable', { ...settled, live: 'unknown' }, back],
  [
    'a group of it is down: the budget that it has spent is raised',
    { ...settled, groups: '0:B+ 1:B+ 2:B- 3:B+' },
    back.replace('→ 0 =>', '→ 0, maxUnavailable 1 → 2 =>').replace('floor=0', 'floor=0 u=1>2'),
  ],
  ['the partition was lowered by hand', { ...settled, p: 2 }, back.replace('1000000', '2')],
  [
    'a group is on the earlier template already',
    { ...settled, groups: '0:A+ 1:B+ 2:B+ 3:B+' },
    back.replace('→ 0', '→ 1').replace('floor=0', 'floor=1'),
  ],
  [
    'with the memory of releases that were aborted',
    { ...settled, marks: 'B.3 stable=B aborted=C.2', intents: { undo: 'B.3 3 to A.1' } },
    back.replace('B.2', 'B.3,C.2'),
  ],
  [
    'the template is in the file already, as a request',
    { ...settled, text: 'A', stable: 'B', live: { text: 'A' } },
    back.replace(' text A', ''),
  ],
  [
    'two releases back, and a policy allows two',
    {
      ...settled,
      marks: 'C.3 stable=C',
      text: 'C',
      intents: { undo: 'C.3 3 to A.1' },
      undo: 'A.1 back=2 ago=60',
      groups: '0:C+ 1:C+ 2:C+ 3:C+',
      rules: { undo: 2 },
    },
    back.replace('B.2', 'C.3'),
  ],
  [
    'for as long as a policy lets it',
    { ...settled, undo: 'A.1 back=1 ago=600', rules: { undoWithinSeconds: 600 } },
    back,
  ],
  ['a clock behind the commit that settled it', { ...settled, undo: 'A.1 back=1 ago=-90' }, back],
])('undo, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['a day and a second after', { ...settled, undo: 'A.1 back=1 ago=86401' }, 'hold UndoRefused'],
  [
    'later than a policy lets it',
    { ...settled, undo: 'A.1 back=1 ago=601', rules: { undoWithinSeconds: 600 } },
    'hold UndoRefused',
  ],
  ['two releases back', { ...settled, undo: 'A.1 back=2 ago=60' }, 'hold UndoRefused'],
  ['a policy allows none', { ...settled, rules: { undo: 0 } }, 'hold UndoRefused'],
  ['main does not tell of the release', { ...settled, undo: 'unknown' }, 'hold UndoRefused'],
  [
    'a second colour serves, and the strategy is another',
    { ...settled, marks: 'B.2 stable=B serves=green' },
    'hold UndoRefused',
  ],
])('no undo, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('a clock that runs ahead of the servers refuses none', () => {
  const days = 2 * 86_400;
  const late = world({ ...settled, undo: `A.1 back=1 ago=${60 + days}` });
  expect(plan({ ...late, clockOffSeconds: -days }).commit?.reason).toBe('Undone');
  expect(plan(late).holds[0]?.reason).toBe('UndoRefused');
});

test.each<Row>([
  ['of a release that is not the present one', { ...settled, intents: { undo: 'C.3 3 to A.1' } }, 'nothing'],
  ['another release was started after the order', { ...settled, marks: 'B.2 stable=B aborted=C.3' }, 'nothing'],
  ['it is carried out', { ...settled, text: 'A', marks: 'A.1 aborted=B.2', groups: '0:A+ 1:A+ 2:A+ 3:A+' }, 'nothing'],
  [
    'a newer template is in the file: that is a request',
    { ...settled, text: 'C', stable: 'B', live: { text: 'C' }, rollout: { paused: true } },
    'hold Paused',
  ],
])('void: %s', (_, of, then) => expect(planned(of)).toBe(then));

/** B had settled, and somebody has put the template of A back by hand. */
const again: World = { ...settled, text: 'A', stable: 'B', live: { text: 'A' }, intents: {}, earlier: 'A.1' };
test.each<Row>([
  ['paused', { ...again, rollout: { paused: true } }, 'hold Paused EarlierTemplate'],
  ['another one', { ...again, earlier: 'C.1', rollout: { paused: true } }, 'hold Paused'],
  ['of a canary', { ...again, rollout: { paused: true, style: 'canary' } }, 'hold Paused EarlierTemplate'],
  ['no gate is shut', again, 'StepReady: step 1/3, partition 1000000 → 3 => A.3 1/3 floor=3 stable=B'],
])('an earlier template is asked for, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('what the commit says, and that people are notified of a rollback', () => {
  const made = plan(world({ ...settled, undo: 'A.1 back=1 ago=60' }));
  expect(made.commit?.message).toContain('It was ordered to undo release bbbbbbbb.2, which had settled');
  expect(made.commit?.message).toContain('Rollout-Step: rollback\nRollout-Reason: Undone');
  expect(made.commit?.way).toBe('back');
});
