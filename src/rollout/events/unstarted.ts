/** What both rows of a new release ask first, where routes share out requests: cases in which nothing starts. */

import type { Marks } from '../../api/marks.ts';
import { SENTINEL } from '../../api/workload.ts';
import { decisionOf } from '../edits/workload-change.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { hold } from '../hold.ts';
import type { Decision } from '../move.ts';
import type { Situation } from '../situation.ts';
import { beforeFirstStep } from './giving-up.ts';
import { withdraw } from './going-back.ts';
import { stopRoll } from './stopping.ts';
import { settledUnchanged } from './unchanged.ts';

/** First match: aborted, aborted before, edited open, no change at all; undefined: it may be started, if its gates are open. */
export function unstarted(situation: Situation, marks: Marks): Decision | undefined {
  const { partition, file } = situation;
  const given = beforeFirstStep(situation, marks);
  if (given !== undefined) return withdraw(situation, { given, marks });
  const aborted = heldAsAborted(situation, marks);
  if (aborted !== undefined) return decisionOf(situation, stopRoll(situation, { marks, holds: [aborted] }));
  if (partition < SENTINEL) {
    const seen = `${file.file}: the template was edited while the partition of ${file.object.name} was ${partition}: its groups would go to it in no step`;
    return decisionOf(
      situation,
      stopRoll(situation, { marks, holds: [hold('PartitionEdited', { seen, waits: 'tranche' })] }),
    );
  }
  return settledUnchanged(situation, marks);
}
