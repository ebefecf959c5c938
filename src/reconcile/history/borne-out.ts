/** Holds the marks that a planned commit goes by against main's own line, before anything is written for them. */

import { sameValue } from '../../api/field.ts';
import type { AbortIntent } from '../../api/intents.ts';
import type { Issue } from '../../api/issue.ts';
import { canonicalJson, at as valueAt } from '../../api/json.ts';
import { unknown } from '../../api/known.ts';
import { MARK, type Marks, printStep } from '../../api/marks.ts';
import { sameRelease, shortRelease } from '../../api/release.ts';
import { startedWith } from '../../api/restore.ts';
import { MAX_UNAVAILABLE_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import { type ObjectChange, workloadIn } from '../../rollout/edits/change.ts';
import { stableRendered } from '../../rollout/observed/rendered.ts';
import type { Plan } from '../../rollout/plan.ts';
import type { Snapshot, Stable, WorkloadFile } from '../../rollout/snapshot.ts';
import { command } from '../../rollout/texts/command-text.ts';
import { asidesBorneOut } from './asides-in-history.ts';
import { drainBorneOut, drainsByMark } from './drain-in-history.ts';
import { settledText } from './label-in-history.ts';
import { marksInHistory } from './marks-in-history.ts';
import type { Observation } from './observation.ts';
import { ownFieldsBorneOut } from './own-fields-in-history.ts';
import { isSeenUnproven, isSettledByHand, leftOpen } from './rest-in-history.ts';
import { type BorneOut, type Forged, stableBorneOut } from './stable-in-history.ts';

/**
 * The snapshot with what history says of the marks that this plan goes by; undefined: it goes by none. Steps forward ask
 * nothing, and neither does a pass without a commit: who does not go back needs no proof of where to.
 */
export async function borneOut(of: Observation, snapshot: Snapshot, plan: Plan): Promise<Snapshot | undefined> {
  const { workload, lostMarks } = snapshot;
  const inFile = lostMarks ?? workload?.workload.marks;
  if (workload === undefined || inFile === undefined) return undefined;
  const order = orderBack(snapshot, { digest: workload.digest, marks: inFile });
  const isStuck = order !== undefined && plan.commit === undefined && lostMarks === undefined;
  const written = isStuck ? await marksWritten(of, inFile) : undefined;
  const marks = written ?? inFile;
  const isBack = goesBack(plan) || written !== undefined;
  const leaving = restoresRoute(plan);
  const isOwn = isBack || writesOwn(plan) || forgetsOwn(plan);
  if (!leaving && !isOwn) return undefined;
  const {
    stable,
    forged: another,
    collision,
  }: BorneOut = isBack
    ? await stableBorneOut(of, { marks, from: order?.from, isAborted: order !== undefined })
    : { stable: snapshot.stable };
  const { asides, forged } = leaving ? await asidesBorneOut(of, marks) : { asides: snapshot.asides, forged: [] };
  const own =
    lostMarks === undefined && (isOwn || written !== undefined)
      ? await ownFieldsBorneOut(of, marks, workload.workload)
      : { marks, forged: [] };
  const warnings = [
    ...snapshot.warnings,
    ...(written === undefined ? [] : [forgedMark(of, { key: MARK.step, ...notWritten(inFile, written) })]),
    ...(another === undefined ? [] : [forgedMark(of, { key: MARK.stable, ...another })]),
    ...(collision === undefined ? [] : [collision]),
    ...[...forged, ...own.forged].map((what) => forgedMark(of, { key: MARK.restore, ...what })),
  ];
  const file = own.marks === inFile ? workload : withMarks(workload, own.marks);
  return {
    ...snapshot,
    workload: file,
    stable: stableRendered(stable, snapshot),
    warnings,
    ...(asides === undefined ? {} : { asides }),
  };
}

/** The same where the plan waits for requests: undefined: it does not, or the mark asks for no drain that main does not bear out. */
export async function drainProven(of: Observation, snapshot: Snapshot, plan: Plan): Promise<Snapshot | undefined> {
  const marks = snapshot.workload?.workload.marks;
  const isAsked = marks !== undefined && drainsByMark(marks, plan.holds, snapshot);
  const proven = isAsked ? await drainBorneOut(of, marks) : undefined;
  if (proven === undefined) return undefined;
  const warning = forgedMark(of, { key: MARK.restore, ...proven.forged });
  return { ...snapshot, drainMost: proven.most, warnings: [...snapshot.warnings, warning] };
}

/**
 * The same for an order that hands the workload back: it writes at once what a rollback would by and by, and after it no
 * pass looks any more. A template, a size or a budget that main's own line does not bear out is not written. Throws PortError.
 */
export async function handingBack(of: Observation, read: Snapshot): Promise<Snapshot> {
  const open = await leftOpen(of, read);
  const seen: Snapshot = (await isSeenUnproven(of, read)) ? { ...read, seenUnproven: true } : read;
  const snapshot = open === undefined ? seen : { ...seen, lostMarks: open };
  const { workload, lostMarks } = snapshot;
  const inFile = lostMarks ?? workload?.workload.marks;
  if (workload === undefined || inFile === undefined) return snapshot;
  const isOpen = inFile.step !== undefined || inFile.release.digest !== workload.digest;
  const back: BorneOut = isOpen ? await stableBorneOut(of, { marks: inFile, isAborted: true }) : snapshot;
  const own = await ownFieldsBorneOut(of, inFile, workload.workload);
  const proven =
    lostMarks === undefined ? { workload: withMarks(workload, own.marks) } : { workload, lostMarks: own.marks };
  const warnings = [
    ...snapshot.warnings,
    ...(back.forged === undefined ? [] : [forgedMark(of, { key: MARK.stable, ...back.forged })]),
    ...(back.collision === undefined ? [] : [back.collision]),
    ...own.forged.map((what) => forgedMark(of, { key: MARK.restore, ...what })),
  ];
  // An order sees no groups, and they may never have been on what a hand has said to have settled.
  const stable = (await isSettledByHand(of, snapshot)) ? unknown(notLeft(inFile, snapshot)) : back.stable;
  const settled = isOpen ? undefined : await settledOtherwise(of, workload);
  const as = settled === undefined ? {} : { settledAs: settled };
  return { ...snapshot, ...proven, ...as, stable: stableRendered(stable, snapshot), warnings };
}

/** The template as it settled, where its label was another. What kustomize or Helm makes has one by a hand alone, and takes long to look at. */
async function settledOtherwise(of: Observation, file: WorkloadFile): Promise<Stable | undefined> {
  const { version } = file.workload;
  if (version === undefined && (file.beneath ?? file.carried) !== undefined) return undefined;
  const settled = await settledText(of, file.digest);
  return settled?.version === version ? undefined : settled;
}

function notLeft({ release }: Marks, { key }: Snapshot): string {
  return `no commit of tranche on main has left ${shortRelease(release)} as settled, so nobody knows here whether groups run it: ${command('abort', key)} asks them`;
}

/**
 * What the last commit of tranche wrote, where an order to go back waits and the marks say another kind of delivery than
 * that did: a hand may hold steps by that, and not the rollback. undefined: they say the same, or nobody knows.
 */
async function marksWritten({ git, entry }: Observation, inFile: Marks): Promise<Marks | undefined> {
  const written = await marksInHistory(git, entry, undefined);
  if (written.kind !== 'known' || !sameRelease(written.value.release, inFile.release)) return undefined;
  if (isBeforeRollback(written.value, inFile)) return undefined;
  return kindOf(written.value) === kindOf(inFile) ? undefined : written.value;
}

/** Whether it is from before the release that goes back was aborted: of a line that was squashed nothing else is left, and the rollback goes on. */
function isBeforeRollback(written: Marks, { step, aborted: [last] }: Marks): boolean {
  const isOver = written.aborted.some((one) => sameRelease(one, last));
  return step?.kind === 'rollback' && written.step === undefined && last !== undefined && !isOver;
}

/** By what a delivery is read: its stage, its rung, its strategy and routing, and which colour serves. */
function kindOf({ step, at, restore, serves }: Marks): string {
  return JSON.stringify([step?.kind, at, startedWith(restore), serves]);
}

function notWritten(inFile: Marks, written: Marks): Forged {
  const said = ({ step, at, restore }: Marks): string =>
    [step === undefined ? 'no step' : printStep(step), at, startedWith(restore)]
      .filter((word) => word !== undefined && word !== '')
      .join(', ');
  return {
    seen: `says ${said(inFile)}, and the last commit of tranche wrote ${said(written)}`,
    hint: 'The rollback goes by what that commit wrote. git log -p of the file shows who changed the marks.',
  };
}

/** The file as it would be with other marks, which the commit then writes. */
function withMarks(file: WorkloadFile, marks: Marks): WorkloadFile {
  return { ...file, workload: { ...file.workload, marks, marksInFile: file.workload.marks } };
}

/** Whether it writes `replicas` or `maxUnavailable`: as a rule, to what the mark says that they were. */
function writesOwn({ commit }: Plan): boolean {
  return (commit?.changes ?? []).some((change) => {
    if (change.kind === 'exact')
      return (
        change.workload !== undefined &&
        OWN_FIELDS.some(
          (path) =>
            canonicalJson(valueAt(change.from, path) ?? null) !== canonicalJson(valueAt(change.to, path) ?? null),
        )
      );
    if (change.kind !== 'edit' || change.workload === undefined) return false;
    return change.fields.some(({ path, from, to }) => path.at(-1) !== 'partition' && !sameValue(from, to));
  });
}

/** Whether a delivery ends whose marks remember a field of the workload: after it nothing does. */
function forgetsOwn({ commit }: Plan): boolean {
  const marks = commit === undefined ? undefined : workloadIn(commit.changes)?.marks;
  return marks?.from?.restore !== undefined && marks.to.restore === undefined;
}

/** What `restore` puts back in the user's LeaderWorkerSet. */
const OWN_FIELDS = [REPLICAS_PATH, MAX_UNAVAILABLE_PATH] as const;

/** The order that aborts what is delivered, asked for, or in its rollback already; undefined: nobody has ordered that. */
export function orderBack(
  { rollout, workload }: Snapshot,
  { digest, marks }: { readonly digest: string; readonly marks: Marks },
): AbortIntent | undefined {
  const [last] = marks.step?.kind === 'rollback' ? marks.aborted : [marks.release];
  const isMeant = ({ release }: AbortIntent): boolean =>
    sameRelease(release, last) || (marks.step === undefined && release.digest === digest);
  const orders = [rollout?.intents.abort, workload?.workload.abort];
  return orders.find((order) => order !== undefined && isMeant(order));
}

/** Whether it puts a text back, or would if there were one. Where an order names that, it was found in history before. */
function goesBack({ commit, holds }: Plan): boolean {
  if (holds.some(({ reason }) => reason === 'StableUnavailable')) return true;
  if (commit === undefined || commit.reason === 'Retried' || commit.reason === 'Undone') return false;
  // Which groups it takes back next hangs on the stable version as well.
  const isBack = commit.way === 'back' || commit.reason === 'RollbackWidened';
  return isBack || workloadIn(commit.changes)?.content.source !== undefined;
}

/** Whether fields of other objects become what the mark says that they were. */
function restoresRoute({ commit }: Plan): boolean {
  const marks = commit === undefined ? undefined : workloadIn(commit.changes)?.marks;
  const [before, after] = [marks?.from?.restore?.objects ?? [], marks?.to.restore?.objects ?? []];
  if (marks === undefined || after.length > 0) return before.length > after.length;
  return before.length > 0 || touchesRoute(commit?.changes ?? [], marks.from) || endsWithoutWord(marks);
}

/** A delivery that puts fields of other objects aside ends, and its mark has none: an autoscaler's floor may be out of it. */
function endsWithoutWord({ from, to }: { readonly from: Marks | undefined; readonly to: Marks }): boolean {
  return from?.step !== undefined && to.step === undefined && from.restore?.style !== undefined;
}

/** Whether a commit writes a route that the delivery was started with: without a word in the mark of what it was. */
function touchesRoute(changes: readonly ObjectChange[], marks: Marks | undefined): boolean {
  const routes = marks?.restore?.routing?.routes ?? [];
  return changes.some(({ object }) => routes.some(({ kind, name }) => object.kind === kind && object.name === name));
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
    message: `${entry.key.namespace}/${entry.key.name}: ${key} ${seen}, so the annotation does not count`,
    hint,
  };
}
