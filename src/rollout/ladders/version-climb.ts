/** Which commit comes next where two versions of one workload share the requests, by Git alone: a delivery shown before it starts. */

import { SENTINEL } from '../../api/workload.ts';
import { type Commit, type Unwritable, withObjects } from './commit.ts';
import { type Condition, LIVE } from './condition.ts';
import { annotationsOf, type Delivery, partitionIn, primaryGroups } from './delivery.ts';
import { committed, type NextCommit, nextCommit } from './next-commit.ts';
import { type Position, positionOf, type Stage } from './position.ts';
import { CANARY_DRAINED, partitioned } from './promotion.ts';
import { stableText } from './rollback.ts';
import { isRestored } from './shares.ts';
import { firstBatch, followingBatch } from './version-back.ts';
import { restoreAll, servicesOnly, withdrawShare } from './version-edits.ts';

type InStep = { readonly stage: Extract<Stage, { readonly kind: 'step' }>; readonly at: Position['at'] };

/** The one of a healthy cluster, whose groups are all on one version to start with; undefined: the last step leaves groups behind. */
export function nextVersionCommit(delivery: Delivery): NextCommit | Unwritable | undefined {
  const position = positionOf(annotationsOf(delivery.own));
  if (position === undefined) return forward(delivery);
  const { stage, at } = position;
  if (stage.kind === 'rollback' && at === 'back') return made(delivery, { stage, ...followingBatch(delivery) });
  if (stage.kind === 'rollback')
    return at === 'route-restored' ? templateBack(delivery, drained(delivery)) : settledBack(delivery);
  if (stage.kind !== 'step') return undefined;
  return isWhole(delivery, at) ? whole(delivery, { stage, at }) : forward(delivery);
}

/** Nobody promotes groups that the last step leaves behind. */
function forward(delivery: Delivery): NextCommit | Unwritable | undefined {
  const next = nextCommit(delivery);
  return next.kind === 'commit' && next.stage.kind === 'promote' ? undefined : next;
}

/** The first commit of the rollback from where Git stands; undefined: there is none to go. */
export function versionBack(delivery: Delivery): NextCommit | Unwritable | undefined {
  const position = positionOf(annotationsOf(delivery.own));
  if (position === undefined || position.stage.kind === 'rollback') return undefined;
  if (isRestored(delivery) || isWhole(delivery, position.at)) return templateBack(delivery, []);
  const batch = firstBatch(delivery);
  if (batch !== undefined) return made(delivery, { stage: { kind: 'rollback' }, ...batch });
  return made(delivery, {
    stage: { kind: 'rollback' },
    at: 'route-restored',
    commit: withdrawShare(delivery),
    waits: [],
  });
}

/** Whether every group was released for update, locked again since or not. */
function isWhole({ own }: Delivery, at: Position['at']): boolean {
  const partition = partitionIn(own) ?? 0;
  return partition === 0 || (partition === SENTINEL && (at === 'pods' || at === 'traffic'));
}

/** Locked as soon as every group is on it; what is left of the plan is served locked. */
function whole(delivery: Delivery, { stage, at }: InStep): NextCommit | Unwritable {
  const { own } = delivery;
  const rungAt = at ?? 'pods';
  if (partitionIn(own) !== SENTINEL) {
    const ready: Condition = { kind: 'newVersion', side: 'canary', groups: primaryGroups(delivery) };
    const commit = servicesOnly(delivery, partitioned(delivery, SENTINEL));
    return made(delivery, { stage, at: rungAt, commit, waits: [LIVE, ready, { kind: 'flipped', side: 'canary' }] });
  }
  const commit = servicesOnly(delivery, []);
  const waits: readonly Condition[] = [LIVE, { kind: 'pause', step: stage.index }];
  if (stage.index === stage.of) return made(delivery, { stage, at: 'settled', commit, waits });
  return made(delivery, { stage: { ...stage, index: stage.index + 1 }, at: rungAt, commit, waits });
}

const drained = ({ routes }: Delivery): readonly Condition[] =>
  routes.length > 0 ? [LIVE, { kind: 'accepted' }, CANARY_DRAINED] : [LIVE];

/** The template of before, to the groups that were released for update: every one where all were. */
function templateBack(delivery: Delivery, waits: readonly Condition[]): NextCommit | Unwritable {
  const position = positionOf(annotationsOf(delivery.own));
  const back = isWhole(delivery, position?.stage.kind === 'rollback' ? undefined : position?.at);
  const objects = [...stableText(delivery), ...(back ? partitioned(delivery, 0) : [])];
  const commit = withObjects(withdrawShare(delivery), objects);
  return made(delivery, { stage: { kind: 'rollback' }, at: 'template', commit, waits });
}

function settledBack(delivery: Delivery): NextCommit | Unwritable {
  const commit = withObjects(restoreAll(delivery), partitioned(delivery, SENTINEL));
  const waits: readonly Condition[] = [LIVE, { kind: 'stableText' }, { kind: 'flipped', side: 'stable' }];
  return made(delivery, { stage: { kind: 'rollback' }, at: 'settled', commit, waits });
}

type Making = Pick<NextCommit, 'stage' | 'at' | 'waits'> & { readonly commit: Commit };

function made(delivery: Delivery, { commit, ...rest }: Making): NextCommit | Unwritable {
  return commit.kind === 'unwritable' ? commit : committed(delivery, { ...rest, made: commit });
}
