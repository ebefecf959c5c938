/** What people read of a record: the tree of one rollout, and the signs of its groups, with extra groups in it. */

import { expect, test } from 'vitest';
import type { RolloutRecord } from '../../src/api/record.ts';
import { NOTHING_SINCE } from '../../src/reconcile/read-picture.ts';
import { badge, groupsCell, stateCell } from '../../src/reconcile/status/status-page.ts';
import { statusTree } from '../../src/reconcile/status/status-text.ts';
import { plan } from '../../src/rollout/plan.ts';
import { passed } from '../support/ladder-pass.ts';
import { requested, stands } from '../support/ladder-stands.ts';
import { MAIN, NOW, type World, world } from '../support/snapshot.ts';

/** The tree of a record that was written just now. */
function treeOf(record: RolloutRecord): string {
  const due = { writtenBy: undefined, overdueSince: undefined };
  const asOf = { kind: 'recorded', at: NOW, main: MAIN, unseen: [], more: false, ...due } as const;
  return statusTree({ record, since: NOTHING_SINCE, next: undefined }, { asOf, now: NOW });
}

const OLD = '0:A+ 1:A+ 2:A+ 3:A+';
const begun: World = { text: 'B', marks: 'B.2 0/3 floor=4', p: 4, groups: OLD, surge: 1, record: {} };
const starting: World = { ...begun, n: 5, marks: 'B.2 0/3 floor=4 r=4>5', groups: `${OLD} 4:B-` };
const one: World = { ...starting, marks: 'B.2 1/3 floor=3 r=4>5', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B- 4:B+' };

test.each<readonly [what: string, of: World, step: string, signs: string, extra: string]>([
  ['before the extra group', begun, '0 of 3: extra groups start above 4, partition 4', '○ ○ ○ ○', ''],
  ['while it starts', starting, '0 of 3: extra groups start above 4, partition 4', '○ ○ ○ ○ +~', 'group 4'],
  ['in a step', one, '1 of 3: 1 of 4 groups, partition 3', '○ ○ ○ ~ +●', 'group 4'],
  [
    'scaled by people: theirs',
    { ...one, n: 6, groups: `${one.groups} 5:B+` },
    '1 of 3: 2 of 6 groups (1 of 4 when it was written), partition 3',
    '○ ○ ○ ~ ● ●',
    '',
  ],
  [
    'given back',
    { ...one, n: 4, marks: 'B.2 1/3 floor=3', groups: '0:A+ 1:A+ 2:A+ 3:B-' },
    '1 of 3: 1 of 4 groups, partition 3',
    '○ ○ ○ ~',
    '',
  ],
])('%s', (_, of, step, signs, extra) => {
  const { record } = plan(world({ ...of, record: { replicas: 4 } }));
  if (record === undefined) throw new Error('no record');
  const tree = treeOf(record);
  expect(/^Step: +(.*)$/m.exec(tree)?.[1]).toBe(step);
  expect(groupsCell(record)).toBe(signs);
  expect(/(group \d+) .*, extra: goes when all are through$/m.exec(tree)?.[1] ?? '').toBe(extra);
});

test('on a rollback no group is called that of the release: people mean the one that is aborted', () => {
  const back: World = { text: 'A', marks: 'A.1 rollback floor=3 aborted=B.2', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B-' };
  const { record } = plan(world({ ...back, record: {} }));
  if (record === undefined) throw new Error('no record');
  const versions = [...treeOf(record).matchAll(/group \d {2}. (?:not )?ready {2,}(.*), for/g)].map(
    ([, found]) => found,
  );
  expect(versions).toEqual([
    ...Array.from({ length: 3 }, () => 'on the stable version'),
    'on another version, or its pods not on one',
  ]);
});

test.each<readonly [what: string, reason: string, state: string]>([
  ['with a wrong file it goes on, and says so', 'NoSteps', 'rollback, wrong files'],
])('a rollback is never called stalled: %s', (_, reason, state) => {
  const issue = { file: 'rollouts/vllm.yaml', line: 9, path: '', reason, message: 'so', hint: 'mend it' };
  const back: World = { text: 'A', marks: 'A.1 rollback floor=3 aborted=B.2', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B-' };
  const { record } = plan({ ...world({ ...back, record: {} }), issues: [issue] });
  if (record === undefined) throw new Error('no record');
  expect(stateCell(record).replaceAll('*', '')).toBe(state);
  expect(badge(record)).toContain('#cf222e');
});

test('what is waited for says that it is an extra group', () => {
  expect(plan(world(starting)).holds.map(({ message }) => message)).toEqual([
    'The extra group 4 starts before step 1: Group 4 is on the release and not ready yet (leader: ImagePullBackOff). If it stays so: tranche abort vllm',
  ]);
});

test.each([
  ['requested', requested, 'PrimaryNotCovered', 'requested, primary not covered'],
  ['in a step', stands.second, 'PrimaryNotCovered', 'step 2/3, StepTrafficRouting, primary not covered'],
  ['other wrong files', requested, 'ServiceMissing', 'stalled'],
])('a primary that a canary could not carry has a state of its own: %s', (_, stand, reason, state) => {
  const issue = { file: 'rollouts/vllm.yaml', line: 9, path: '', reason, message: 'so', hint: 'mend it' };
  const { record } = passed(stand, { snapshot: { issues: [issue] } }).plan;
  if (record === undefined) throw new Error('no record');
  expect(/^State: +(.*)$/m.exec(treeOf(record))?.[1]).toBe(state);
});
