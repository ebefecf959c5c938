/** A release that was aborted and is asked for again: its template goes back into the file, as a request like any other. */

import type { Marks } from '../../api/marks.ts';
import { type Release, shortDigest, shortRelease } from '../../api/release.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { retried } from '../gates/aborted.ts';
import { before } from '../gates/before.ts';
import { holdsOf } from '../gates/gate.ts';
import { type Hold, hold, unique } from '../hold.ts';
import { type Decision, holding, moving } from '../move.ts';
import type { Situation } from '../situation.ts';

/**
 * For a settled workload: the template of the release that a retry names, put back into the file. The workload is locked,
 * so nothing restarts: the next pass finds a request, and its gates decide. `shown` are the holds of the row.
 */
export function retry(
  situation: Situation,
  { marks, shown }: { readonly marks: Marks; readonly shown: readonly Hold[] },
): Decision {
  const { snapshot } = situation;
  const wish = snapshot.rollout?.intents.retry;
  if (wish === undefined || !retried(wish.release.digest, marks, wish)) return holding(shown, 'Completed', true);
  const gates = holdsOf(before.retry, situation);
  if (gates.length > 0) return holding(unique([...shown, ...gates]), 'Completed', true);
  const { retryText } = snapshot;
  if (retryText.kind !== 'known' || retryText.value.release.digest !== wish.release.digest)
    return holding([...shown, templateLost(situation, wish.release)], 'Completed', true);
  return moving(
    workloadMove(situation, {
      reason: 'Retried',
      label: `retry ${shortDigest(wish.release.digest)}`,
      marks,
      text: retryText.value,
      why: `Someone asked for ${shortRelease(wish.release)} again, which had been aborted. Its template is back in the file as a request: locked, nothing restarts until its first step.`,
    }),
    'BeforeStepUpgrade',
    shown,
  );
}

function templateLost({ snapshot }: Situation, wish: Release): Hold {
  const why = snapshot.retryText.kind === 'unknown' ? snapshot.retryText.why : 'no commit has it';
  return hold('RetryRefused', {
    seen: `asked to retry ${shortRelease(wish)}, but its template was not found: ${why}`,
    action: 'Put it into the file by hand',
  });
}
