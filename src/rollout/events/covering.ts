/** The primary restarts, and all of it may be down at once since: the new version takes all requests meanwhile. */

import type { StepMark } from '../../api/marks.ts';
import { withAside } from '../../api/restore.ts';
import { updatesPrimary } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import { unlessAccepted } from '../accepting.ts';
import { type Hold, hold } from '../hold.ts';
import { servingGroups, waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { isUncovered, partitionIn, primaryGroups, quorumOf, sidesOf } from '../ladders/delivery.ts';
import { canaryEdited, weightEdited } from '../ladders/edited-by-hand.ts';
import { type NextCommit, nextCommit } from '../ladders/next-commit.ts';
import { climbed } from '../ladders/rung-move.ts';
import { inPercent, isRestored, percentIn, shareOf, sharing, WHOLE } from '../ladders/shares.ts';
import { clockText, nowBetween } from '../ladders/traffic-view.ts';
import type { Decision } from '../move.ts';
import { wanted } from '../observed/groups-asked.ts';
import { groupReadyAt } from '../progress/soak.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { groupCount } from '../texts/sentences.ts';
import type { Share } from '../traffic/provider.ts';
import { isAtOnce } from './ladder-back.ts';

/**
 * Somebody lowered N, or raised maxUnavailable, while the primary of a canary restarts, so that LWS takes its last groups
 * together: as long as one is still to come up on the template of the file, all requests go to the new version, if as many of its
 * groups serve. In a promotion people have approved it for the whole by then; in a rollback what restarts answers nothing at all.
 * Once N is back, the primary gets the part of the last step again. It is the rung `primary` then, and the way on is what it was.
 */
export function covered(on: Delivering): Decision | undefined {
  const { delivery, marks, situation } = on;
  const { step, at } = marks;
  const isOpen = at === 'primary' || (at === 'route-restored' && partitionIn(delivery.own) !== SENTINEL);
  if (!isOpen || step === undefined || step.kind === 'step') return undefined;
  if (!updatesPrimary(delivery.plan.style)) return undefined;
  const isBack = step.kind === 'rollback';
  const isTheirs = (isBack || isRestored(delivery)) && weightEdited(delivery) !== undefined;
  // A share that was withdrawn returns for nobody but who accepts that.
  if (isTheirs || (isRestored(delivery) && marks.restore?.withdrawn !== undefined)) return undefined;
  // Who aborts with --now wants no request there.
  if (isBack && marks.aborted.some((one) => isAtOnce(on, one))) return undefined;
  if (unlessAccepted(situation, 'CanaryEdited', canaryEdited(on)) !== undefined) return undefined;
  // What is aborted gets no request back for a restart that does not come.
  if (isBack && isRestored(delivery) && staysOnStable(on)) return undefined;
  return isUncovered(delivery) ? toCanary(on, step) : shared(on, step);
}

/**
 * A hand has let the primary go in a rollback in which it had not moved: every group is on the stable version and ready, and
 * the template of the cluster is that, or nothing goes by it. Of Git, the stable template came before the hand.
 */
function staysOnStable({ situation }: Delivering): boolean {
  if (situation.view === 'unseen') return false;
  const { stableKey, releaseKey, lws } = situation.observed;
  const groups = wanted(situation.observed, situation.asked);
  const isInert = releaseKey === stableKey || lws.partition >= situation.asked;
  return (
    isInert &&
    stableKey !== undefined &&
    groups.length > 0 &&
    groups.every(({ key, ready }) => ready && key === stableKey)
  );
}

function toCanary(on: Delivering, step: StepMark): Decision | undefined {
  const { delivery } = on;
  const groups = primaryGroups(delivery);
  if (groups === 0 || (servingGroups(on, 'canary') ?? 0) < groups) return undefined;
  if (waiting(on, [{ kind: 'newVersion', side: 'stable', groups }]).length === 0) return undefined;
  const { stable, canary } = sidesOf(delivery).workloads;
  const why = `All of ${stable} may be down at once while it restarts, as it has ${groupCount(groups)} now: ${canary} serves as many, and gets all requests until then.`;
  return resharing(on, { step, share: WHOLE, label: 'all requests to the canary', why });
}

/** A primary that has lost its requests again and again in its rollback gets them back once it has been ready for this long. */
const STEADY_SECONDS = 600;

/**
 * A primary that comes up and dies once requests meet it would trade them with the new version for ever. The first time is that
 * of its own restart; from the second on its groups stay ready for a while first, by the times of the API server.
 */
export function steadied({ situation, marks, delivery }: Delivering, { at }: NextCommit): readonly Hold[] {
  const carried = marks.restore?.carried ?? 0;
  if (at !== 'route-restored' || marks.at !== 'primary' || carried < 2 || situation.view === 'unseen') return [];
  const { snapshot, observed, asked } = situation;
  const times = wanted(observed, asked).flatMap((group) => (group.ready ? (groupReadyAt(group) ?? []) : []));
  const left = STEADY_SECONDS - (nowBetween(snapshot).earliest - Math.max(...times, 0));
  if (left <= 0) return [];
  const { stable, canary } = sidesOf(delivery).workloads;
  return [
    hold('GracePeriod', {
      seen: `requests have gone from ${stable} back to ${canary} ${carried} times in this rollback: ${stable} gets them again once it has been ready for ${STEADY_SECONDS} s, of which ${left} s are left${clockText(snapshot.clockOffSeconds)}`,
      action: advice`Look at its pods and events; to go back without waiting for it: ${commandLine('abort', snapshot.key, '--now')}`,
    }),
  ];
}

/** The canary carries all of it, and the primary can have its part again: it serves as many groups as that part asks for. */
function shared(on: Delivering, step: StepMark): Decision | undefined {
  const { delivery, marks, situation } = on;
  const last = delivery.plan.steps.at(-1);
  const isAll = percentIn(delivery) === 100 && weightEdited(delivery) === undefined;
  // Under an edited plan the share may be that of the step as it was.
  const isPlanned = situation.snapshot.ladder?.plans.at(-1) === marks.restore?.plan;
  if (last === undefined || !isAll || !isPlanned) return undefined;
  const share = shareOf(last);
  const percent = share.kind === 'weight' ? share.percent : 0;
  if (share.kind === 'matches' || percent >= 100) return undefined;
  const groups = primaryGroups(delivery);
  const part = Math.max(1, Math.min(quorumOf(delivery), Math.ceil((groups * (100 - percent)) / 100)));
  const serving = servingGroups(on, 'stable') ?? 0;
  const next = nextCommit(delivery);
  // All of its requests, where the next rung has nothing to wait for.
  if (serving < part || (next.kind === 'commit' && waiting(on, next.waits).length === 0)) return undefined;
  const label = `traffic: 100% → ${percent === 0 ? '–' : `${inPercent(percent)}%`}`;
  const why = `${sidesOf(delivery).workloads.stable} has ${groupCount(groups)} now, of which ${serving} serve: it gets the part of the requests again that the last step leaves it.`;
  return resharing(on, { step, share, label, why });
}

type Resharing = { readonly step: StepMark; readonly share: Share; readonly label: string; readonly why: string };

/** The share alone. */
function resharing(on: Delivering, { step, share, label, why }: Resharing): Decision | undefined {
  const { delivery, marks } = on;
  const made = sharing(delivery, share);
  if (made.kind === 'unwritable' || made.objects.length === 0) return undefined;
  const { objects, displaced } = made;
  // Requests were on the primary: they come back from what has died there since.
  const isLost = marks.at === 'route-restored' && step.kind === 'rollback';
  const carried = isLost ? { carried: (marks.restore?.carried ?? 0) + 1 } : {};
  const next = { kind: 'commit', stage: step, at: 'primary', objects, displaced, waits: [] } as const;
  return climbed(on, next, {
    reason: 'PrimaryCovered',
    label: `${step.kind}, ${label}`,
    marks: { ...marks, restore: withAside(marks.restore, carried) },
    why,
  });
}
