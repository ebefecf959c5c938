/** An approval of a pause that has not begun is given on purpose, or refused. */

import { expect, test } from 'vitest';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { planIntent } from '../../../src/rollout/orders/intent.ts';
import { plan } from '../../../src/rollout/plan.ts';
import { NOW, type World, world } from '../../support/snapshot.ts';

const DONE: World = { text: 'B', marks: 'B.2 1/3 floor=3', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B+', record: {} };
const LOADING: World = { ...DONE, groups: '0:A+ 1:A+ 2:A+ 3:B-' };
/** After a pass that has seen it so. */
const seen = (of: World): World => ({ ...of, record: plan(world({ ...of, record: plan(world(of)).record })).record });
const PROPOSED: World = { ...LOADING, rules: { promotion: 'pullRequest' } };

const REFUSED =
  'step 1 is not done, as far as the last pass has seen: its pause would be skipped. To skip it all the same: tranche approve vllm --early';

test.each<readonly [what: string, of: World, pause: 'begun' | 'any', why: string]>([
  ['the step is done', seen(DONE), 'begun', ''],
  ['a group loads', seen(LOADING), 'begun', REFUSED],
  ['a group loads, on purpose', seen(LOADING), 'any', ''],
  ['no pass has looked', { ...DONE, record: undefined }, 'begun', REFUSED],
  [
    'the record is of another step',
    { ...seen(DONE), marks: 'B.2 2/3 floor=2', p: 2 },
    'begun',
    REFUSED.replace('1', '2'),
  ],
  ['the record is of another release', { ...seen(DONE), marks: 'B.3 1/3 floor=3' }, 'begun', REFUSED],
  ['a pull request is what is approved', seen(PROPOSED), 'begun', ''],
])('%s', (_, of, pause, why) => {
  const snapshot = world({ ...of, now: NOW });
  const found = planIntent({ kind: 'approve', step: undefined, pause }, { snapshot, digestOf: factsDigest });
  expect(found.kind === 'refused' ? found.why : '').toBe(why);
});
