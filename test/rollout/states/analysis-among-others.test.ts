/** A failure by metrics beside newer requests, rollbacks that nobody ordered, and policies that are gone: as one by a deadline. */

import { expect, test } from 'vitest';
import type { PolicyRules } from '../../../src/api/policy-rules.ts';
import { withFactDigests } from '../../../src/reconcile/documents/digests.ts';

import { plan, recordWritten } from '../../../src/rollout/plan.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { answered, at, BLOB, chat, done, whole } from '../../support/measured-step.ts';
import { show } from '../../support/planned.ts';
import { NOW, releaseOf, type World } from '../../support/snapshot.ts';

const BACK: Partial<PolicyRules> = { onAnalysisFailure: 'rollback' };
const NAMED = { analysed: `chat@${BLOB}` };
const BACKWARD = 'Failed: rollback => A.1 rollback floor=3 aborted=B.2 text A';

/** All are on B, and Ada asks for C. */
const queued: World = { ...whole, text: 'C', intents: NAMED };

test.each<readonly [what: string, snapshot: Snapshot, then: string]>([
  ['and goes back by itself', at(queued, answered('failed', '3/3'), BACK), 'hold NewerRequestWaits'],
  ['and is held', at({ ...queued, intents: {} }, answered('failed', '3/3')), 'hold AnalysisFailed RequestQueued'],
  [
    'and both are aborted',
    at({ ...queued, intents: { ...NAMED, abort: 'B.2 C' } }, answered('failed', '3/3'), BACK),
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=C.3,B.2 text A',
  ],
])('a newer request waits behind a release that failed by its metrics, %s', (_, snapshot, then) => {
  expect(show(snapshot)).toBe(then);
});

test('rollbacks by metrics are counted as those by deadlines, and after two of them a request waits for someone', () => {
  const failed = (record: Snapshot['record']): Snapshot => {
    const snapshot = at({ ...done, intents: NAMED }, answered('failed'), BACK);
    return record === undefined ? snapshot : { ...snapshot, record: { ...snapshot.record!, ...record } };
  };
  expect(show(failed(undefined))).toBe(BACKWARD);
  const once = recordWritten(plan(failed(undefined))).automaticBacks;
  expect(once).toEqual({ inARow: 1, last: [{ release: releaseOf('B.2'), at: NOW }] });
  const { record } = failed(undefined);
  const twice = recordWritten(plan(failed({ ...record!, automaticBacks: once }))).automaticBacks;
  expect(twice?.inARow).toBe(2);
  const asked = at({ text: 'C', groups: '0:A+ 1:A+ 2:A+ 3:A+', record: {} }, chat(undefined));
  const after = { ...asked, record: { ...asked.record!, automaticBacks: twice } };
  expect(show(withFactDigests(after))).toBe('hold TooManyRollbacks');
});

/** Step 1 was written while these governed it, and these do now. */
function governed(was: readonly string[], governing: readonly string[], of = done): Snapshot {
  const snapshot = at(of, answered('passed'));
  const { record } = snapshot;
  const step = record?.step === undefined ? undefined : { ...record.step, policies: was };
  return withFactDigests({ ...snapshot, record: record && { ...record, step }, governing });
}

const ANALYSIS = `chat@${BLOB}`;
const NEXT = 'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2';

test.each<readonly [what: string, snapshot: Snapshot, then: string]>([
  ['is still named', governed(['measured@1', ANALYSIS], ['measured@1', ANALYSIS]), NEXT],
  ['was edited', governed(['measured@1', 'chat@000000000000'], ['measured@1', ANALYSIS]), NEXT],
  ['is named by no policy any more', governed(['measured@1', ANALYSIS], ['measured@1']), 'hold PolicyGone'],
  [
    'is named by none, and the release is aborted',
    governed(['measured@1', ANALYSIS], ['measured@1'], { ...done, intents: { abort: 'B.2' } }),
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
])('an Analysis that governed a step %s', (_, snapshot, then) => expect(show(snapshot)).toBe(then));

test('who lets it go is told its name and its file', () => {
  const [held] = plan(governed(['measured@1', ANALYSIS], ['measured@1'])).holds;
  expect(held?.message).toContain(`so no more: ${ANALYSIS}.`);
});
