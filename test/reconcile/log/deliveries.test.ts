/** From the steps of a log, newest first, to deliveries and how each ended. */

import { expect, test } from 'vitest';
import { deliveryCollector } from '../../../src/reconcile/log/deliveries.ts';
import type { LogEntry } from '../../../src/reconcile/log/log-entry.ts';

/** `R2 1/2 StepReady`, the oldest first. */
function outcomes(...lines: readonly string[]): readonly string[] {
  const collector = deliveryCollector(() => true);
  const told = lines.map((line, at): LogEntry => {
    const [release = '', step = '', reason = ''] = line.split(' ');
    const rest = { what: '', why: '', by: '', approvedBy: '', policies: [], exceptions: [], plannedFrom: '' };
    return { kind: 'step', at, commit: `c${at}`, written: `c${at}`, rollout: 'a/b/c', release, step, reason, ...rest };
  });
  for (const one of told.reverse()) collector.add(one);
  return collector
    .deliveries()
    .map(({ release, outcome, begunAt, endedAt }) => `${release} ${outcome} ${begunAt}-${endedAt ?? ''}`);
}

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['settled', ['R2 1/2 StepReady', 'R2 2/2 StepReady', 'R2 settled Settled'], ['R2 settled 0-2']],
  ['rolled back', ['R2 1/2 StepReady', 'R1 rollback Aborted', 'R1 settled RolledBack'], ['R2 rolled back 0-2']],
  ['on its way back', ['R2 1/2 StepReady', 'R1 rollback Failed'], ['R2 rolling back 0-']],
  [
    'undone after it had settled',
    ['R2 1/2 StepReady', 'R2 settled Settled', 'R1 rollback Undone', 'R1 settled RolledBack'],
    ['R2 undone 0-3'],
  ],
  ['a newer one came', ['R2 1/2 StepReady', 'R3 1/2 Superseded'], ['R3 in progress 1-', 'R2 superseded 0-1']],
  ['a mended file ends nothing', ['R2 1/2 StepReady', 'R2 settled Settled', 'R2 settled Locked'], ['R2 settled 0-1']],
  ['taken over', ['R1 settled Adopted', 'R2 1/2 StepReady'], ['R2 in progress 1-', 'R1 adopted 0-0']],
])('%s', (_, lines, wanted) => expect(outcomes(...lines)).toEqual(wanted));
