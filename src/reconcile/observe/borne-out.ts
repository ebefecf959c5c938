/** Holds the marks that a planned commit goes by against main's own line, before anything is written for them. */

import type { AbortIntent } from '../../api/intents.ts';
import type { Issue } from '../../api/issue.ts';
import { MARK, type Marks } from '../../api/marks.ts';
import { sameRelease } from '../../api/release.ts';
import { workloadIn } from '../../rollout/change.ts';
import type { Plan } from '../../rollout/plan.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import { asidesBorneOut } from './asides-in-history.ts';
import type { Observation } from './observe.ts';
import { type BorneOut, stableBorneOut } from './stable-in-history.ts';

/**
 * The snapshot with what history says of the marks that this plan goes by; undefined: it goes by none. Steps forward ask
 * nothing, and neither does a pass without a commit: who does not go back needs no proof of where to.
 */
export async function borneOut(of: Observation, snapshot: Snapshot, plan: Plan): Promise<Snapshot | undefined> {
  const { workload, lostMarks } = snapshot;
  const marks = lostMarks ?? workload?.workload.marks;
  if (workload === undefined || marks === undefined) return undefined;
  const isBack = goesBack(plan);
  const leaving = bringsHome(plan);
  if (!isBack && !leaving) return undefined;
  const order = orderBack(snapshot, { digest: workload.digest, marks });
  const { stable, forged: another }: BorneOut = isBack
    ? await stableBorneOut(of, { marks, from: order?.from, isGivenUp: order !== undefined })
    : { stable: snapshot.stable };
  const { asides, forged } = leaving ? await asidesBorneOut(of, marks) : { asides: snapshot.asides, forged: [] };
  const warnings = [
    ...snapshot.warnings,
    ...(another === undefined ? [] : [forgedMark(of, { key: MARK.stable, ...another })]),
    ...forged.map((what) => forgedMark(of, { key: MARK.restore, ...what })),
  ];
  return { ...snapshot, stable, warnings, ...(asides === undefined ? {} : { asides }) };
}

/** The order that gives up what is delivered, asked for, or on its way back already. */
function orderBack(
  { rollout, workload }: Snapshot,
  { digest, marks }: { readonly digest: string; readonly marks: Marks },
): AbortIntent | undefined {
  const [last] = marks.step?.kind === 'rollback' ? marks.aborted : [marks.release];
  const isMeant = ({ release }: AbortIntent): boolean =>
    sameRelease(release, last) || (marks.step === undefined && release.digest === digest);
  const orders = [rollout?.intents.abort, workload?.workload.abort];
  return orders.find((order) => order !== undefined && isMeant(order));
}

/** Whether it puts a text back, or would if there were one. */
function goesBack({ commit, holds }: Plan): boolean {
  if (holds.some(({ reason }) => reason === 'StableUnavailable')) return true;
  if (commit === undefined || commit.reason === 'Retried') return false;
  return commit.way === 'back' || workloadIn(commit.changes)?.content.source !== undefined;
}

/** Whether fields of other objects become what the mark says that they were. */
function bringsHome({ commit }: Plan): boolean {
  const marks = commit === undefined ? undefined : workloadIn(commit.changes)?.marks;
  const [before, after] = [marks?.from?.restore?.objects ?? [], marks?.to.restore?.objects ?? []];
  return before.length > after.length;
}

/** A mark that main's own line does not bear out: what was seen, why it does not count, and what to do. */
export function forgedMark(
  { entry }: Pick<Observation, 'entry'>,
  { key, seen, hint }: { readonly key: string; readonly seen: string; readonly hint: string },
): Issue {
  const document = Object.values(MARK).some((mark) => mark === key) ? entry.workload : entry.rollout;
  const path = ['metadata', 'annotations', key];
  return {
    file: document?.file ?? entry.identity?.file ?? '',
    line: document?.lineOf(path) ?? 0,
    path: path.join('.'),
    reason: 'MarkNotBorneOut',
    message: `${entry.key.namespace}/${entry.key.name}: ${key} ${seen}, so it does not count`,
    hint,
  };
}
