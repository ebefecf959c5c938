/** One commit of the product on main, with everything that the laws about commits ask for. */

import { parse } from 'yaml';
import type { JsonObject } from '../../src/api/json.ts';
import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import { pickedBy } from './client-routes.ts';
import { type FileMarks, marksIn, numberIn, rolloutFile, versionInText } from './files.ts';
import type { WorldLaws } from './laws.ts';
import { Remembered } from './remembered/remembered.ts';
import { routedFiles } from './routed-files.ts';
import type { Scene } from './scene.ts';
import type { WorkloadSetup } from './setup.ts';

import type { Truth } from './truth.ts';
import type { Universe } from './universe.ts';

export const SENTINEL = 1_000_000;

export type Fields = {
  readonly text: string;
  readonly marks: FileMarks | undefined;
  readonly partition: number;
  readonly maxUnavailable: number;
  readonly replicas: number;
  readonly version: number | undefined;
};

/** Groups that people want: without those that are there for the delivery only. */
export function askedGroups({ replicas, marks }: Fields): number {
  return marks?.surge !== undefined && marks.surge.set === replicas ? marks.surge.was : replicas;
}

/** Reasons of commits that start a rollback. */
export const GOING_BACK = ['Aborted', 'Reverted', 'Failed', 'Undone', 'AbortedTemplateRemoved'];

/** Reasons of commits that come before step 1 and let only groups go that are there as well. */
export const SURGING = ['SurgePrepared', 'Surged'];

export type Plan = {
  readonly steps: readonly {
    readonly replicas: string;
    /** Per cent of the requests. */
    readonly share: number;
    readonly pause: 'none' | 'manual' | number;
  }[];
  readonly annotations: Readonly<Record<string, string>>;
  /** Someone said stop. */
  readonly stopped: boolean;
};

export type OurCommit = {
  readonly universe: Universe;
  readonly workload: WorkloadSetup;
  readonly oid: string;
  readonly parent: string;
  readonly plannedFrom: string;
  readonly reason: string;
  readonly subject: string;
  readonly before: Fields;
  readonly after: Fields;
  readonly plan: Plan;
  /** All that was so since our commit before this one. */
  readonly since: readonly Truth[];
  /** The same of both sides, where a second workload is filled; else empty. */
  readonly scenes: readonly Scene[];
  /** The version of the release in the marks before; undefined: not known. */
  readonly releaseVersion: number | undefined;
  /** Whether the objects of the workload are others than when the release started. */
  readonly remade: boolean;
  /** The commit of main that the record stood on before this one; undefined: there was no record. */
  readonly recordedMain: string | undefined;
  /** The laws of the cluster as they stand, over a copy of the world. */
  readonly clusterLaws: (fork: Universe) => readonly WorldLaws[];
};

/** What the past of a workload says. */
export type Known = Pick<OurCommit, 'since' | 'scenes' | 'releaseVersion' | 'remade' | 'recordedMain' | 'clusterLaws'>;

export function fieldsOf(text: string): Fields {
  return {
    text,
    marks: marksIn(text),
    partition: numberIn(text, 'partition') ?? 0,
    maxUnavailable: numberIn(text, 'maxUnavailable') ?? 1,
    replicas: numberIn(text, 'replicas') ?? 1,
    version: versionInText(text),
  };
}

type StepValue = { replicas: string | number; traffic?: string; matches?: JsonObject[]; pause?: { duration?: number } };

type RolloutValue = {
  metadata?: { annotations?: Record<string, string> };
  spec?: {
    disabled?: boolean;
    strategy?: {
      paused?: boolean;
      canary?: { steps?: StepValue[] };
      blueGreen?: { steps?: StepValue[] };
    };
  };
};

const plans = new Remembered<Plan>(600);

function planIn(text: string): Plan {
  return plans.of(text, () => planAfresh(text));
}

/** What the Rollout of a workload says at a commit. */
export function planAt(universe: Universe, name: string, commit: string): Plan {
  return planIn(universe.text(commit, rolloutFile(name)) ?? '');
}

function planAfresh(text: string): Plan {
  const value = parse(text) as RolloutValue | null;
  const { canary, blueGreen } = value?.spec?.strategy ?? {};
  const steps = (canary ?? blueGreen)?.steps ?? [];
  return {
    steps: steps.map(({ replicas, traffic, matches, pause }) => ({
      replicas: String(replicas),
      share: matches === undefined ? Number((traffic ?? '0%').replace('%', '')) : pickedBy(matches),
      pause: pause === undefined ? 'none' : (pause.duration ?? 'manual'),
    })),
    annotations: value?.metadata?.annotations ?? {},
    stopped: value?.spec?.disabled === true || value?.spec?.strategy?.paused === true,
  };
}

/** Kruise's arithmetic once more: percentages round up, within 0…N. */
export function planned(step: string, replicas: number): number {
  const percent = step.endsWith('%');
  const amount = Number(step.replace('%', ''));
  return Math.max(0, Math.min(replicas, percent ? Math.ceil((amount * replicas) / 100) : amount));
}

/** Whether the product wrote a commit. */
export function isOurs({ repository }: Pick<Universe, 'repository'>, commit: string): boolean {
  const [header] = repository.history(repository.head(commit) ?? commit, undefined, 1);
  return header !== undefined && parseTrailers(header.message) !== undefined;
}

/**
 * A jump, or an edit of the plan, that only takes away groups of another release, to which no request is sent: what gives the new
 * version anything comes after it, and waits for policies and people.
 */
export function emptiesOnly({ reason, after, workload }: Pick<OurCommit, 'reason' | 'after' | 'workload'>): boolean {
  const isLed = reason === 'StepsEdited' || reason === 'Jumped';
  return isLed && workload.fills !== undefined && after.marks?.at === 'empty';
}

/**
 * A hand has undone the commit that ended a rollback: by what tranche wrote last the release is settled, and the partition alone is
 * put back.
 */
export function isLockedAgain({
  before,
  after,
  last,
}: Pick<OurCommit, 'before' | 'after'> & { readonly last: Fields | undefined }): boolean {
  const isSettled = last?.marks !== undefined && last.marks.step === undefined && after.marks?.step === undefined;
  const isSame = last?.marks?.release === after.marks?.release && before.version === after.version;
  return before.marks?.step === 'rollback' && isSettled && isSame;
}

/** The workload as our last commit for it left it, up to this commit of main; undefined: we have written none. */
export function lastWritten(universe: Universe, { name, upTo }: { name: string; upTo: string }): Fields | undefined {
  const found = universe.repository
    .log(upTo)
    .find(({ message }) => parseTrailers(message)?.rollout.split('/').at(-1) === name);
  return found === undefined ? undefined : fieldsOf(universe.lws(name, found.oid) ?? '');
}

/** Whether it writes the marks of the rollback that is in progress, as the last commit of ours has left them. */
export function isRollbackAgain({ universe, workload, parent, before, after }: OurCommit): boolean {
  const last = lastWritten(universe, { name: workload.name, upTo: parent })?.marks;
  const isOther = JSON.stringify(before.marks) !== JSON.stringify(last);
  return last?.step === 'rollback' && isOther && JSON.stringify(after.marks) === JSON.stringify(last);
}

/** Reads a commit of main; undefined where it is not one of ours. */
export function ourCommit(
  universe: Universe,
  header: { readonly oid: string; readonly message: string; readonly parent: string },
  known: (name: string) => Known,
): OurCommit | undefined {
  const trailers = parseTrailers(header.message);
  if (trailers === undefined) return undefined;
  const rollout = trailers.rollout.split('/').at(-1) ?? '';
  // By now it may be the Rollout of another workload.
  const name = /^ {4}name: (.*)$/m.exec(universe.text(header.parent, rolloutFile(rollout)) ?? '')?.[1] ?? rollout;
  const workload = universe.setup.workloads.find((one) => one.name === name);
  if (workload === undefined) return undefined;
  return {
    universe,
    workload,
    oid: header.oid,
    parent: header.parent,
    plannedFrom: trailers.plannedFrom,
    reason: trailers.reason,
    subject: header.message.split('\n')[0] ?? '',
    before: fieldsOf(universe.lws(name, header.parent) ?? ''),
    after: fieldsOf(universe.lws(name, header.oid) ?? ''),
    plan: planAt(universe, rollout, header.parent),
    ...known(name),
  };
}

/** Reasons of commits that let groups go. */
export const FORWARD = ['StepReady', 'Jumped', 'StepsEdited', 'SizeChanged'];

/** The same where a second workload is filled, next to those of steps. */
export const CLIMBING = ['RungReady', 'Promoted'];

/** k of `k/n`; 0: settled, NaN: going back. */
export function indexOf(step: string | undefined): number {
  return step === undefined ? 0 : Number(/^\d+/.exec(step)?.[0] ?? Number.NaN);
}

/** A step of another release than before: its first. */
export function begins(before: Fields, after: Fields): boolean {
  return before.marks?.step === undefined || before.marks.release !== after.marks?.release;
}

/** A whole step after its roll: only pauses are left. */
export function isLocked({ partition, marks }: Fields): boolean {
  return partition === SENTINEL && marks?.step !== undefined && marks.floor === 0;
}

/** Whether someone has accepted that hold of the release before; what was seen then is not asked here. */
export function accepts({ plan, before }: Pick<OurCommit, 'plan' | 'before'>, reason: string): boolean {
  const given = (plan.annotations['tranche.dev/accept'] ?? '').split(',');
  return given.some((one) => one.startsWith(`${reason}@${before.marks?.release}#`));
}

/** Files of people without which a delivery has no requests to share out. */
export function missingAt(
  { universe, workload }: Pick<OurCommit, 'universe' | 'workload'>,
  at: string,
): readonly string[] {
  return Object.keys(routedFiles(workload)).filter((path) => universe.text(at, path) === undefined);
}
