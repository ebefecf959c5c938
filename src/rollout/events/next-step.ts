/** The commit of the next step, with the evidence for it: step k+1, the target of a jump, or where an edited plan leads. */

import type { Marks } from '../../api/marks.ts';
import { shortRelease } from '../../api/release.ts';
import { budgetNote, withBudgetAfter } from '../budget.ts';
import { wholeChange, wholeReason } from '../edits/size-change.ts';
import { type Draft, drafting, type WorkloadMove } from '../edits/workload-change.ts';
import { hold } from '../hold.ts';
import { type Decision, holding } from '../move.ts';
import { nextPartition, partitionOf, plannedGroups } from '../observed/batches.ts';
import { wanted } from '../observed/groups-asked.ts';
import { soakingSince } from '../progress/soak.ts';
import { type Seen, unreadyOf } from '../situation.ts';
import { nextIndex } from '../step-to-come.ts';
import { describeStep, isJump } from '../steps.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { capital, groupsAre, notReady } from '../texts/sentences.ts';

/** Step k+1, the target of a jump, or where an edited plan leads. */
export function nextStep(
  situation: Seen,
  from: { readonly marks: Marks; readonly index: number; readonly plan: number | undefined },
): Draft {
  const { steps, replicas, partition } = situation;
  const { marks, index, plan } = from;
  const target = nextIndex(situation, { index, release: marks.release, plan });
  const step = steps[target - 1];
  if (step === undefined) return lastStepShort(situation, index);
  const next = nextPartition(Math.min(partition, replicas), partitionOf(step.replicas, replicas));
  const sizes = wholeChange(situation);
  const fields: WorkloadMove = {
    reason:
      sizes !== undefined
        ? 'SizeChanged'
        : plan !== undefined
          ? 'StepsEdited'
          : isJump(target, { current: index, steps: steps.length })
            ? 'Jumped'
            : 'StepReady',
    label: `step ${target}/${steps.length}`,
    ...withBudgetAfter(situation, {
      marks: { ...marks, step: { kind: 'step', index: target, of: steps.length } },
      floor: Math.min(next, marks.restore?.floor ?? next),
    }),
    partition: next === partition ? undefined : next,
    why: `${evidence(situation, marks)} Step ${target}: ${describeStep(step, replicas)}; ${nextOnes(situation, next)}.${budgetNote(situation)}${sizes === undefined ? '' : ` ${wholeReason(situation, { sizes, after: index })}`}`,
  };
  // Kruise goes on to the routing at once where a jump needs no further group (rollout_status.go:405-440).
  const there = fields.reason === 'Jumped' && next === Math.min(partition, replicas);
  return drafting(fields, there ? 'StepTrafficRouting' : 'BeforeStepUpgrade', [], true);
}

/** What the step in Git has brought: its groups, how long they have been there, and who failed and is tolerated. */
function evidence(situation: Seen, marks: Marks): string {
  const { observed, asked, partition, snapshot } = situation;
  const updated = wanted(observed, asked).filter((group) => group.index >= partition);
  if (updated.length === 0) return 'No group is on the release.';
  const failed = unreadyOf(updated);
  const since = soakingSince(situation);
  const soaked = since === undefined || since === snapshot.now ? '' : ` for ${snapshot.now - since} s`;
  const fine = `${capital(groupsAre(updated.map((group) => group.index)))} on ${shortRelease(marks.release)}`;
  if (failed.length === 0) return `${fine} and ready${soaked}.`;
  return `${fine}${soaked}; ${notReady(failed)}, which failureThreshold tolerates.`;
}

/** Who moves at the next partition; groups that are on the release already do not. */
function nextOnes({ observed, replicas }: Seen, next: number): string {
  const moved = wanted(observed, replicas).filter((group) => group.index >= next && group.version !== 'release');
  return moved.length === 0 ? 'no further group moves' : `${groupsAre(moved.map((group) => group.index))} next`;
}

/** The last step leaves groups on the stable version: Kruise ends there too, with the primary mixed. */
function lastStepShort({ steps, replicas, snapshot }: Seen, index: number): Decision {
  const last = steps[index - 1];
  const planned = last === undefined ? 0 : plannedGroups(last.replicas, replicas);
  return holding(
    [
      hold('PausedForApproval', {
        seen: `the last step covers ${planned} of ${replicas} groups, so the delivery cannot settle`,
        action: advice`Add a step of 100% to go on, or go back: ${commandLine('abort', snapshot.key)}`,
      }),
    ],
    'StepPaused',
    true,
  );
}
