/** The primary restarts, and all of it may be down at once since: the new version takes all requests meanwhile. */

import { updatesPrimary } from '../../api/styles.ts';
import { unlessAccepted } from '../accepting.ts';
import { servingGroups, waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { isUncovered, primaryGroups, sidesOf } from '../ladders/delivery.ts';
import { canaryEdited } from '../ladders/edited-by-hand.ts';
import type { NextCommit } from '../ladders/next-commit.ts';
import { climbed } from '../ladders/rung-move.ts';
import { isRestored, sharing, WHOLE } from '../ladders/shares.ts';
import type { Decision } from '../move.ts';
import { groupCount } from '../texts/sentences.ts';

/**
 * Somebody lowered N, or raised maxUnavailable, while the primary of a canary restarts, so that LWS takes its last groups
 * together: as long as one is still to come up on the release, all requests go to the new version, which people have approved
 * for the whole by then, if as many of its groups serve. The rung stays, and the way on is what it was.
 */
export function covered(on: Delivering): Decision | undefined {
  const { delivery, marks, situation } = on;
  const { step, at } = marks;
  if (step?.kind !== 'promote' || at !== 'primary' || !updatesPrimary(delivery.plan.style)) return undefined;
  const groups = primaryGroups(delivery);
  // A share that was withdrawn returns for nobody but who accepts that.
  if (groups === 0 || !isUncovered(delivery) || isRestored(delivery)) return undefined;
  if (unlessAccepted(situation, 'CanaryEdited', canaryEdited(on)) !== undefined) return undefined;
  if ((servingGroups(on, 'canary') ?? 0) < groups) return undefined;
  if (waiting(on, [{ kind: 'newVersion', side: 'stable', groups }]).length === 0) return undefined;
  const made = sharing(delivery, WHOLE);
  if (made.kind === 'unwritable' || made.objects.length === 0) return undefined;
  const { stable, canary } = sidesOf(delivery).workloads;
  const { objects, displaced } = made;
  const next: NextCommit = { kind: 'commit', stage: step, at, objects, displaced, waits: [] };
  return climbed(on, next, {
    reason: 'PrimaryCovered',
    label: 'promote, all requests to the canary',
    marks,
    why: `All of ${stable} may be down at once while it restarts, as it has ${groupCount(groups)} now: ${canary} serves as many, and gets all requests until then.`,
  });
}
