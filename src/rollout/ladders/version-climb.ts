/** Which commit comes next where two versions of one workload share the requests, by Git alone: a delivery shown before it starts. */

import { REVISION_KEY } from '../../api/lws-labels.ts';
import { printRelease } from '../../api/release.ts';
import { VERSION, versionIn, versionPath } from '../../api/version-label.ts';
import { SENTINEL } from '../../api/workload.ts';
import { type Commit, edited, setField, type Unwritable, withObjects } from './commit.ts';
import { type Condition, LIVE } from './condition.ts';
import { annotationsOf, type Delivery, partitionIn, primaryGroups } from './delivery.ts';
import { committed, type NextCommit } from './next-commit.ts';
import { type Position, positionOf, type Stage } from './position.ts';
import { CANARY_DRAINED, partitioned } from './promotion.ts';
import { stableText } from './rollback.ts';
import { isRestored, sharing } from './shares.ts';
import { firstBatch, followingBatch } from './version-back.ts';
import { type Pin, pinned, released, restoreAll, servicesOnly, withdrawShare } from './version-edits.ts';
import { rungDue, type StepWanted, wantedOf } from './version-rungs.ts';

type InStep = { readonly stage: Extract<Stage, { readonly kind: 'step' }>; readonly at: Position['at'] };

/** The one of a healthy cluster, whose groups are all on one version to start with; undefined: the last step leaves groups behind. */
export function nextVersionCommit(delivery: Delivery): NextCommit | Unwritable | undefined {
  const position = positionOf(annotationsOf(delivery.own));
  if (position === undefined) return begun(delivery);
  const { stage, at } = position;
  if (stage.kind === 'rollback' && at === 'back') return made(delivery, { stage, ...followingBatch(delivery) });
  if (stage.kind === 'rollback')
    return at === 'route-restored' ? templateBack(delivery, drained(delivery)) : settledBack(delivery);
  if (stage.kind !== 'step') return undefined;
  return isWhole(delivery, at) ? whole(delivery, { stage, at }) : inStep(delivery, { stage, at });
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

function begun(delivery: Delivery): NextCommit | Unwritable | undefined {
  const { own, release, plan } = delivery;
  const wanted = wantedAt(delivery, 1);
  if (wanted === undefined) return undefined;
  const label = edited(own, setField(own, versionPath(own.value), printRelease(release)));
  const pins = wanted.share.kind === 'none' ? [] : pinned(delivery, pinOf(delivery));
  const commit = withObjects(servicesOnly(delivery, [...released(delivery), ...pins]), label);
  return made(delivery, {
    stage: { kind: 'step', index: 1, of: plan.steps.length },
    at: 'template',
    commit,
    waits: [],
  });
}

/** The revision is only known where the cluster is read. */
function pinOf({ own, release }: Delivery): Pin {
  const label = versionIn(own.value);
  return label === undefined || label === printRelease(release)
    ? { key: REVISION_KEY, value: 'as-observed' }
    : { key: VERSION, value: label };
}

/** The next rung of this step, or the first of the next one. */
function inStep(delivery: Delivery, { stage, at }: InStep): NextCommit | Unwritable | undefined {
  const partition = partitionIn(delivery.own) ?? 0;
  const here = wantedAt(delivery, stage.index);
  const due = here === undefined ? undefined : rungDue(delivery, here, { partition, reached: at, isMixed: false });
  const seen = seenAt(delivery, at);
  if (here !== undefined && due !== undefined) return rung(delivery, { stage, at: due, wanted: here, seen });
  const wanted = wantedAt(delivery, stage.index + 1);
  if (wanted === undefined) return undefined;
  const next = rungDue(delivery, wanted, { partition, reached: undefined, isMixed: false });
  const last = wanted.share.kind === 'none' ? 'pods' : 'traffic';
  const waits: readonly Condition[] = [...seen, { kind: 'pause', step: stage.index }];
  return rung(delivery, { stage: { ...stage, index: stage.index + 1 }, at: next ?? last, wanted, seen: waits });
}

type RungTo = {
  readonly stage: InStep['stage'];
  readonly at: NonNullable<ReturnType<typeof rungDue>>;
  readonly wanted: StepWanted;
  readonly seen: readonly Condition[];
};

function rung(delivery: Delivery, { stage, at, wanted, seen }: RungTo): NextCommit | Unwritable {
  const { share, partition } = wanted;
  const commits = {
    'route-restored': () => restoreAll(delivery),
    template: () => servicesOnly(delivery, [...released(delivery), ...pinned(delivery, pinOf(delivery))]),
    pods: () => servicesOnly(delivery, partitioned(delivery, partition)),
    traffic: () => sharing(delivery, share),
  };
  const canary: Condition = { kind: 'serving', side: 'canary', groups: 1 };
  const isAll = share.kind === 'weight' && share.percent === 100;
  const both = isAll ? [canary] : [canary, { kind: 'serving', side: 'stable', groups: 1 } as const];
  return made(delivery, { stage, at, commit: commits[at](), waits: [...seen, ...(at === 'traffic' ? both : [])] });
}

/** What the rung in Git waits for. */
function seenAt(delivery: Delivery, at: Position['at']): readonly Condition[] {
  const accepted: readonly Condition[] = delivery.routes.length > 0 ? [{ kind: 'accepted' }] : [];
  const complete: Condition = { kind: 'complete' };
  if (at === 'route-restored') return [LIVE, ...accepted, complete];
  if (at === 'template') return [LIVE, complete];
  const groups = primaryGroups(delivery) - (partitionIn(delivery.own) ?? 0);
  const ready: Condition = { kind: 'newVersion', side: 'canary', groups, tolerant: true };
  return [LIVE, ready, ...(at === 'traffic' ? accepted : [])];
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

function wantedAt(delivery: Delivery, index: number): StepWanted | undefined {
  const step = delivery.plan.steps[index - 1];
  const partition = partitionIn(delivery.own) ?? 0;
  return step === undefined ? undefined : wantedOf(step, { replicas: primaryGroups(delivery), partition });
}

type Making = Pick<NextCommit, 'stage' | 'at' | 'waits'> & { readonly commit: Commit };

function made(delivery: Delivery, { commit, ...rest }: Making): NextCommit | Unwritable {
  return commit.kind === 'unwritable' ? commit : committed(delivery, { ...rest, made: commit });
}
