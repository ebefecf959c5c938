/** Gates that serve the pause of a step, and the orders that end it: an approval, a jump. */

import type { ApproveIntent, StepIntent } from '../../api/intents.ts';
import { sameRelease } from '../../api/release.ts';
import { type Hold, hold } from '../hold.ts';
import { clockAhead, soakedSeconds } from '../progress/soak.ts';
import type { Situation } from '../situation.ts';
import { jumpRefusal, pauseDecision } from '../steps.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { wantsEvidence } from './evidence.ts';

/** What is left of the pause of a step whose groups are all there. */
export function waitingOnPause(situation: Situation, step: StepIntent): Hold | undefined {
  const { steps, snapshot } = situation;
  const plan = steps[step.index - 1];
  if (plan === undefined || approved(situation, step) || jumpAhead(situation, step)) return undefined;
  const pause = pauseDecision(plan, {
    last: step.index === steps.length,
    elapsedSeconds: soakedSeconds(situation),
  });
  if (pause.kind === 'pass') return undefined;
  if (pause.kind === 'timed')
    return hold(
      'PauseDuration',
      {
        seen: `step ${step.index} is done; its pause lasts another ${pause.leftSeconds} s${clockAhead(snapshot)}`,
        waits: 'time',
      },
      pause.leftSeconds,
    );
  // The pull request of what comes next asks for the person.
  if (snapshot.policy.promotion === 'pullRequest') return undefined;
  const earlier = approvedForLess(situation, step)
    ? '. An approval was given before more groups were released for update, so it does not count'
    : '';
  return hold('PausedForApproval', {
    seen: `step ${step.index} is done and waits for someone${earlier}`,
    action: advice`To go on: ${commandLine('approve', snapshot.key)}`,
  });
}

/** Whether someone has yet to end the pause of the step in Git, whose groups are all there. */
export function pausedForPerson(situation: Situation): boolean {
  const { steps, marks } = situation;
  const index = marks?.step?.kind === 'step' ? marks.step.index : 0;
  const plan = steps[index - 1];
  if (plan === undefined || marks === undefined) return false;
  const pause = pauseDecision(plan, { last: index === steps.length, elapsedSeconds: 0 });
  const step = { index, release: marks.release };
  return pause.kind === 'manual' && !approved(situation, step) && !jumpAhead(situation, step);
}

/** Whether someone has approved this very step of this very release, and no further group has been released for update since. */
function approved(situation: Situation, step: StepIntent): boolean {
  return approvalOf(situation, step) !== undefined && !approvedForLess(situation, step);
}

/** It was given at a higher partition: an edit of the plan, or of the partition, has released more groups for update since. */
function approvedForLess(situation: Situation, step: StepIntent): boolean {
  const seen = approvalOf(situation, step)?.partition;
  return seen !== undefined && situation.partition < seen;
}

function approvalOf({ snapshot }: Situation, step: StepIntent): ApproveIntent | undefined {
  const approve = snapshot.rollout?.intents.approve;
  // What was approved is one commit, and the pause does not know which is next; or it is not shown who wrote it.
  if (approve === undefined || approve.digest !== undefined || wantsEvidence(snapshot)) return undefined;
  return approve.index === step.index && sameRelease(approve.release, step.release) ? approve : undefined;
}

/** A jump forward, ordered for this release, ends the pause of the step it leaves. */
function jumpAhead({ snapshot, steps }: Situation, step: StepIntent): boolean {
  const jump = snapshot.rollout?.intents.jump;
  if (jump === undefined || !sameRelease(jump.release, step.release)) return false;
  return jumpRefusal(jump.index, { current: step.index, steps: steps.length }) === undefined;
}

/** Why a jump that is ordered for this release is not made; it stops nothing else. */
export function refusedJump({ snapshot, marks, steps }: Situation, index: number): Hold | undefined {
  const jump = snapshot.rollout?.intents.jump;
  if (jump === undefined || !sameRelease(jump.release, marks?.release) || jump.index === index) return undefined;
  const why = jumpRefusal(jump.index, { current: index, steps: steps.length });
  return why === undefined
    ? undefined
    : hold('JumpRefused', { seen: `jump to step ${jump.index}: ${why}`, waits: 'people' });
}
