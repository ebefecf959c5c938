/** A newer template in the middle of a delivery whose versions share the requests: those go to stable, and it gets its own label. */

import { printStep } from '../../api/marks.ts';
import { parseRelease } from '../../api/release.ts';
import { withBudgetAfter } from '../budget.ts';
import { type Draft, drafting, partitionDrafted, type WorkloadMove } from '../edits/workload-change.ts';
import { withObjects } from '../ladders/commit.ts';
import { type Condition, LIVE } from '../ladders/condition.ts';
import { waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { isOpen, isPinned, isShareWithdrawn, restoreAll, unrevised } from '../ladders/version-edits.ts';
import { versionMove } from '../ladders/version-move.ts';
import { type Decision, holding } from '../move.ts';
import { groupsOnTemplate } from './sharing-out.ts';

/**
 * The commit that takes a newer template up. Its groups are found by a route that asks for the one before, or by none: so the
 * share is withdrawn in a commit before, which also stops what rolls, and is seen there. Where more groups are released for update, the Service takes in all leaders by then.
 */
export function takenUp(on: Delivering, draft: Draft): Decision {
  const { situation, delivery, marks } = on;
  const partition = partitionDrafted(situation, draft);
  const lowers = partition < situation.partition;
  const isOut = !isShareWithdrawn(delivery) || (lowers && isPinned(delivery));
  const isAway = isOut || waiting(on, accepted(on)).length > 0;
  if (isOut || (isAway && partition > situation.partition)) return restoreForNewer(on, draft);
  const isAll = isOpen(delivery) || (lowers && marks.at === 'route-restored');
  const all: readonly Condition[] = isAll ? [LIVE, { kind: 'complete' }] : [];
  const unseen = waiting(on, [...accepted(on), ...all]);
  return unseen.length > 0 ? holding(unseen, 'StepUpgrade') : overtaken(on, draft);
}

/**
 * With all requests on stable, and the Service taking in all leaders: for now there may be three versions. Where groups are released for
 * update they load the newer template already, under the label that stands in the file: another label would restart them once
 * more with the same template, also where a hand has raised the partition since. They are found by their revision, and the
 * label comes with the next template.
 */
function overtaken(on: Delivering, draft: Draft): Decision {
  const { situation } = on;
  const isInert =
    situation.view === 'seen' && situation.partition >= situation.asked && groupsOnTemplate(situation).length === 0;
  const commit = withObjects(restoreAll(on.delivery), unrevised(on.delivery));
  const labels = labelCarried(on) ?? true;
  return versionMove(on, draft, { at: 'route-restored', commit, ...(isInert ? { labels } : {}) });
}

/**
 * The label under which groups have loaded the requested template in an earlier delivery of it: another one would restart them
 * for nothing but the label. undefined: no group has.
 */
function labelCarried({ situation }: Delivering): string | undefined {
  const { leaders } = situation.snapshot.live;
  if (leaders.kind !== 'known') return undefined;
  const labels = leaders.value.flatMap(({ version }) => (version === undefined ? [] : [version]));
  return labels.find((label) => parseRelease(label)?.digest === situation.digest);
}

function accepted({ delivery }: Delivering): readonly Condition[] {
  return delivery.routes.length > 0 ? [{ kind: 'accepted' }] : [];
}

/** It is live already, under the label of the release before: until it may start, no route tells the two apart. */
export function restoreForNewer(on: Delivering, draft: Draft): Decision {
  const { situation, delivery, marks } = on;
  const { step } = marks;
  const [to, is] = [partitionDrafted(situation, draft), situation.partition];
  const stops = to > is ? ` Partition ${to} keeps the groups below it where they are.` : '';
  const fields: WorkloadMove = {
    reason: 'RouteRestored',
    label: `${step?.kind === 'step' ? `step ${printStep(step)}` : 'rollback'}, route-restored`,
    ...withBudgetAfter(situation, { marks, floor: Math.min(marks.restore?.floor ?? is, is) }),
    partition: to > is ? to : undefined,
    why: `A newer template is in the file. Its groups would take the share of the release before, or be found by no route, so requests go to stable before it starts.${stops}`,
  };
  return versionMove(on, drafting(fields, 'StepUpgrade', draft.holds), {
    at: 'route-restored',
    commit: restoreAll(delivery),
  });
}
