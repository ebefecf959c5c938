/** What each brake lets through, and what is said next to it. */

import { expect, test } from 'vitest';
import { allowed } from '../../src/rollout/brakes.ts';
import { type Hold, hold } from '../../src/rollout/hold.ts';
import { type Brake, holding, MOVES, type MoveReason, moving } from '../../src/rollout/move.ts';

const ROW = hold('Soaking', { seen: 'the row waits', waits: 'time' });
const WHY = hold('StepFailed', { seen: 'the brake', waits: 'people' });
const ELSE = hold('ClockSkew', { seen: 'said while it waits', waits: 'people' });

const reasonsOf = (holds: readonly Hold[]) => holds.map(({ reason }) => reason).join(' ');

function decided(reason: MoveReason | undefined) {
  if (reason === undefined) return holding([ROW], 'StepReady', true);
  const marks = {
    release: { digest: 'b'.repeat(64), serial: 2 },
    aborted: [],
    stable: undefined,
    step: undefined,
    restore: undefined,
  };
  const move = { reason, way: MOVES[reason].way, label: '', marks, changes: [], why: '' };
  return moving(move, 'StepReady', [ROW], true);
}

test.each<[Brake['kind'], MoveReason | undefined, moves: boolean, said: string, stepState: string]>([
  ['failed', 'StepReady', false, 'StepFailed Soaking', 'StepReady'],
  ['failed', 'RouteRestored', true, 'StepFailed Soaking', 'StepReady'],
  ['failed', 'Aborted', true, 'StepFailed Soaking', 'StepReady'],
  // The commit answers it.
  ['failed', 'Failed', true, 'Soaking', 'StepReady'],
  ['failed', 'TrafficWithdrawn', true, 'Soaking', 'StepReady'],
  ['failed', undefined, false, 'StepFailed Soaking', 'StepReady'],
  ['notAsBegun', 'StepReady', false, 'StepFailed Soaking', 'StepUpgrade'],
  ['notAsBegun', 'Failed', false, 'StepFailed Soaking', 'StepUpgrade'],
  ['notAsBegun', 'TrafficWithdrawn', true, 'StepFailed Soaking', 'StepReady'],
  ['notRecorded', 'RungReady', false, 'StepFailed Soaking', 'StepReady'],
  ['notRecorded', 'RouteRestored', true, 'StepFailed Soaking', 'StepReady'],
  ['notRecorded', 'Aborted', true, 'StepFailed Soaking', 'StepReady'],
  ['wrongFiles', 'StepReady', true, 'StepFailed Soaking', 'StepReady'],
])('%s, and %s is decided: it moves %s', (kind, reason, moves, said, stepState) => {
  const brake = { kind, holds: [WHY] };
  for (const found of [allowed({ ...decided(reason), brakes: [brake] }), allowed(decided(reason), [brake])]) {
    expect(found.move?.reason).toBe(moves ? reason : undefined);
    expect(reasonsOf(found.holds)).toBe(said);
    expect(found.stepState).toBe(stepState);
    expect(found.stepDone).toBe(true);
    expect(found.brakes).toBeUndefined();
  }
});

test('what a brake says of a row that waits takes the place of its holds, and comes last', () => {
  const brake: Brake = { kind: 'failed', holds: [WHY], waiting: [ELSE] };
  expect(reasonsOf(allowed(decided(undefined), [brake]).holds)).toBe('Soaking ClockSkew');
  expect(reasonsOf(allowed(decided('StepReady'), [brake]).holds)).toBe('StepFailed Soaking');
});

test('a brake that holds nothing changes nothing, and one reason is said once', () => {
  expect(allowed(decided('StepReady'), [{ kind: 'failed', holds: [] }])).toEqual(decided('StepReady'));
  const again = allowed(decided('StepReady'), [{ kind: 'notRecorded', holds: [ROW] }]);
  expect([again.move, reasonsOf(again.holds)]).toEqual([undefined, 'Soaking']);
});
