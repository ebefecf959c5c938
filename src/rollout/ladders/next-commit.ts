/** Which commit of a ladder comes next: a function of Git and the Rollout alone. */

import type { FieldPath } from '../../api/field.ts';
import { MARK, printStep, withRelease } from '../../api/marks.ts';
import { isOneWorkload, takesTurns } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { Edit, ObjectEdits } from '../edits/edit.ts';
import type { Displaced } from '../traffic/provider.ts';
import { edited, type Made, removeField, setField, type Unwritable, withObjects } from './commit.ts';
import { type Condition, LIVE } from './condition.ts';
import { annotationsOf, type BackStart, type Delivery } from './delivery.ts';
import { FILLING_BACK } from './filling-back.ts';
import { backFrom, isAtRest, ladderOf, stageAfter } from './ladder-of.ts';
import { type Climb, groupsAgain, restoreOnceMore } from './once-more.ts';
import { type Position, positionBack, positionOf, type RungName, type Stage, sameStage } from './position.ts';
import { partitioned, restoreUnlocked } from './promotion.ts';
import { type PrimaryRung, primaryBack, TEMPLATE_ALONE } from './rollback.ts';
import { versionRollback } from './version-rollback.ts';
import { topRung } from './version-step.ts';

export type NextCommit = {
  readonly kind: 'commit';
  readonly stage: Stage;
  readonly at: RungName;
  /** With the marks on the user's workload. */
  readonly objects: readonly ObjectEdits[];
  readonly displaced: readonly Displaced[];
  /** All that must be seen before it is written, in the order of the rungs that wait for it. */
  readonly waits: readonly Condition[];
};

/** What it changes of objects, as a commit of its own. */
export function madeBy({ objects, displaced }: NextCommit): Made {
  return { kind: 'ok', objects, displaced };
}

/** No rung above changes anything: what the ones that were passed over wait for is waited for all the same. */
type Top = { readonly kind: 'top'; readonly waits: readonly Condition[] };

/**
 * The next commit of the delivery that Git has; `unwritable`: a route cannot hold it. A step without a rung starts at the
 * lowest one.
 */
export function nextCommit(delivery: Delivery): NextCommit | Unwritable {
  const { plan } = delivery;
  const position = positionOf(annotationsOf(delivery.own));
  if (position === undefined) return started(entered(delivery, { kind: 'step', index: 1, of: plan.steps.length }, []));
  const next = rungAbove(delivery, position);
  return next.kind === 'top' ? entered(delivery, stageAfter(delivery, position.stage), next.waits) : next;
}

/** The first commit of a delivery. Where the template is in Git already, no rung has waited until the second workload has it. */
function started(next: NextCommit | Unwritable): NextCommit | Unwritable {
  if (next.kind === 'unwritable' || next.at !== 'pods') return next;
  const templated: readonly Condition[] = [LIVE, { kind: 'flipped', side: 'canary' }];
  return { ...next, waits: [...templated, ...next.waits.filter(({ kind }) => kind !== 'live')] };
}

/** The next commit of the same ladder; `top`: no rung above changes anything. */
export function rungAbove(delivery: Delivery, position: Position): NextCommit | Unwritable | Top {
  const { stage } = position;
  const rungs = ladderOf(delivery, position);
  const place = rungs.findIndex(({ at }) => at === position.at);
  const waits = waitsAt(delivery, position);
  const again = groupsAgain(delivery, position) ?? restoreOnceMore(delivery, { position, rungs: rungs.slice(place) });
  return climbed(delivery, again ?? { stage, rungs: rungs.slice(place + 1), waits });
}

/** What the rung that Git stands on waits for, before any other. */
export function waitsAt(delivery: Delivery, position: Position): readonly Condition[] {
  const rung = ladderOf(delivery, position).find(({ at }) => at === position.at);
  return [LIVE, ...(rung?.seen(delivery) ?? [])];
}

/**
 * The first commit of another step than the next, from any rung: after a jump, or where an edit of the plan leads, the
 * same step over again included. What the rung in Git waits for is waited for all the same; and after an edit the pause.
 */
export function stepEntered(
  delivery: Delivery,
  { index, paused }: { readonly index: number; readonly paused: boolean },
): NextCommit | Unwritable {
  const of = delivery.plan.steps.length;
  const position = positionOf(annotationsOf(delivery.own));
  const seen = position === undefined ? [LIVE] : waitsAt(delivery, position);
  const step = position?.stage.kind === 'step' ? position.stage.index : 0;
  const pause: readonly Condition[] = paused && step > 0 && step !== index ? [{ kind: 'pause', step }] : [];
  const stage: Stage = { kind: 'step', index, of };
  const waits: readonly Condition[] = [...seen, ...pause, { kind: 'gates' }];
  const first = climbed(delivery, { stage, rungs: ladderOf(delivery, { stage, at: undefined }), waits });
  const next = onTop(delivery, first, stage);
  return position === undefined ? started(next) : next;
}

/**
 * In a canary's promotion, where groups of stable have no place: its requests before all groups are there, and without the
 * lock, which then belongs to settling. undefined: it is not for here.
 */
export function nextWithoutNodes(delivery: Delivery): NextCommit | Unwritable | undefined {
  const position = positionOf(annotationsOf(delivery.own));
  const home = restoreUnlocked(delivery);
  if (home === undefined || position?.stage.kind !== 'promote' || position.at !== 'primary') return undefined;
  const { made, waits } = home;
  if (made.kind === 'unwritable') return made;
  return committed(delivery, { stage: position.stage, at: 'route-restored', made, waits: [LIVE, ...waits] });
}

/** What a workload at rest still needs before a delivery: the partition that lets no edit through. */
export function locking(delivery: Delivery): readonly ObjectEdits[] {
  return isAtRest(delivery) ? partitioned(delivery, SENTINEL) : [];
}

/**
 * The first commit of the rollback from where Git stands; undefined: there is none to go. `primary`: not the first, but that
 * of this rung, as where groups of the user's workload were re-created on the template that is aborted.
 */
export function goingBack(delivery: Delivery, primary?: PrimaryRung): NextCommit | Unwritable | undefined {
  const position = positionBack(annotationsOf(delivery.own));
  if (position === undefined || (position.stage.kind === 'rollback' && primary === undefined)) return undefined;
  const rungs = primary === undefined ? backFrom(delivery, position) : primaryBack(primary);
  const next = climbed(delivery, { stage: { kind: 'rollback' }, rungs, waits: [] });
  return next.kind === 'top' ? undefined : next;
}

/**
 * Of two versions of one workload: the first commit of a rollback that starts as `back` says, on whatever rung Git stands; of
 * one that is in progress, that of its template.
 */
export function startingBack(delivery: Delivery, back: BackStart): NextCommit | Unwritable | undefined {
  const stage: Stage = { kind: 'rollback' };
  const rungs = versionRollback({ stage: { kind: 'promote' }, at: undefined });
  const next = climbed({ ...delivery, back }, { stage, rungs, waits: [] });
  return next.kind === 'top' ? undefined : next;
}

/** The first commit by which a settled release of blueGreen is undone, from rest: `stableText` is what comes back. */
export function undoing(delivery: Delivery): NextCommit | Unwritable {
  const stage: Stage = { kind: 'rollback' };
  return onTop(delivery, climbed(delivery, { stage, rungs: FILLING_BACK, waits: [] }), stage);
}

/** The stable template at once, where its requests have to wait: undefined where it is there already, with its marks. */
export function templateAtOnce(delivery: Delivery): NextCommit | Unwritable | undefined {
  const next = climbed(delivery, { stage: { kind: 'rollback' }, rungs: TEMPLATE_ALONE, waits: [] });
  return next.kind === 'top' ? undefined : next;
}

/** Entering a step is always a commit, if only of its marks. */
function entered(delivery: Delivery, stage: Stage, below: readonly Condition[]): NextCommit | Unwritable {
  const last = delivery.plan.steps.length;
  const before = stage.kind === 'step' ? stage.index - 1 : last;
  const waits: readonly Condition[] = before === 0 ? below : [...below, { kind: 'pause', step: before }];
  const again = stage.kind === 'promote' ? groupsAgain(delivery, { stage, at: 'all' }) : undefined;
  const climb = again ?? { stage, rungs: ladderOf(delivery, { stage, at: undefined }), waits };
  return onTop(delivery, climbed(delivery, climb), stage);
}

function onTop(delivery: Delivery, next: ReturnType<typeof climbed>, stage: Stage): NextCommit | Unwritable {
  if (next.kind !== 'top') return next;
  const made: Made = { kind: 'ok', objects: [], displaced: delivery.displaced };
  const step = stage.kind === 'step' ? delivery.plan.steps[stage.index - 1] : undefined;
  const at = isOneWorkload(delivery.plan.style) ? topRung(delivery, step) : 'traffic';
  return committed(delivery, { stage, at, made, waits: next.waits });
}

/** The first rung that is in the list and changes something. */
function climbed(delivery: Delivery, { stage, rungs, waits }: Climb): NextCommit | Unwritable | Top {
  let seen = waits;
  for (const rung of rungs) {
    if (!rung.isListed(delivery)) continue;
    const made = rung.commit(delivery);
    if (made.kind === 'unwritable') return made;
    if (made.objects.length > 0 || rung.isAlways === true)
      return committed(delivery, { stage, at: rung.at, made, waits: [...seen, ...rung.before(delivery)] });
    seen = [...seen, ...rung.seen(delivery)];
  }
  return { kind: 'top', waits: seen };
}

type Writing = Pick<NextCommit, 'stage' | 'at' | 'waits'> & { readonly made: Made };

/** A commit of these edits with the marks of its place; `waits` get the gates where it obeys them. */
export function committed(delivery: Delivery, { stage, at, made, waits }: Writing): NextCommit | Unwritable {
  const all = withObjects(made, edited(delivery.own, marksOf(delivery, { stage, at })));
  if (all.kind === 'unwritable') return all;
  const position = positionOf(annotationsOf(delivery.own));
  const gate: readonly Condition[] = isGated(delivery, position, { stage, at }) ? [{ kind: 'gates' }] : [];
  return {
    kind: 'commit',
    stage,
    at,
    objects: all.objects,
    displaced: all.displaced,
    waits: withoutDuplicates([...waits, ...gate]),
  };
}

const GATED_IN_STEP: readonly RungName[] = ['template', 'pods', 'traffic'];

/** What lets the release go further: once in a step, and every rung of a promotion that cannot be taken back at once. */
function isGated(
  { plan }: Delivery,
  from: Position | undefined,
  { stage, at }: Pick<NextCommit, 'stage' | 'at'>,
): boolean {
  if (stage.kind === 'rollback') return false;
  // Of one workload a step is asked for as a whole: its first commit obeys the gates, and the others follow.
  if (isOneWorkload(plan.style)) return !sameStage(from?.stage, stage);
  if (stage.kind === 'promote') return at === 'primary' || (takesTurns(plan.style) && at !== 'route-restored');
  const isBegun = sameStage(from?.stage, stage) && GATED_IN_STEP.some((rung) => rung === from?.at);
  return GATED_IN_STEP.includes(at) && !isBegun;
}

function marksOf({ own, release }: Delivery, { stage, at }: Pick<NextCommit, 'stage' | 'at'>): readonly Edit[] {
  const path = (key: string): FieldPath => ['metadata', 'annotations', key];
  if (at === 'settled') return [MARK.step, MARK.at].flatMap((key) => removeField(own, path(key)));
  const step = withRelease(printStep(stage), release);
  return [...setField(own, path(MARK.step), step), ...setField(own, path(MARK.at), at)];
}

/** Rungs that were passed over may wait for the same. */
function withoutDuplicates(waits: readonly Condition[]): readonly Condition[] {
  return [...new Map(waits.map((wait) => [JSON.stringify(wait), wait])).values()];
}
