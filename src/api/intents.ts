/** What people want of a delivery, as annotations on the Rollout: every one names its release, so an old one never applies again. */

import { ACCEPTABLE, type AcceptableReason } from './acceptable.ts';
import { type AcknowledgeIntent, parseAcknowledge } from './acknowledge-intent.ts';
import { ANALYSED_WANTED, parseAnalysed } from './analysed-intent.ts';
import { BRAKE_NOTE, type BrakeNote, parseBrakeNote } from './brake-note.ts';
import { annotationReader, type MarkFault } from './marks.ts';
import { parseRecreating, type Recreating } from './recreating.ts';
import { DIGEST_PATTERN, parseRelease, printRelease, type Release } from './release.ts';
import { parseUndo, UNDO_WANTED, type UndoIntent } from './undo-intent.ts';

export { ACCEPTABLE, type AcceptableReason };

export const INTENT = {
  approve: 'tranche.dev/approve',
  jump: 'tranche.dev/jump',
  accept: 'tranche.dev/accept',
  abort: 'tranche.dev/abort',
  retry: 'tranche.dev/retry',
  undo: 'tranche.dev/undo',
  acknowledge: 'tranche.dev/acknowledge',
  propose: 'tranche.dev/propose',
  /** Analyses that may lead back by themselves, each as the file was when that was allowed. */
  analysed: 'tranche.dev/analysed',
  /** Who has paused the Rollout, and why: for people. */
  paused: BRAKE_NOTE,
  /** Not someone's: what tranche keeps while the LeaderWorkerSet is deleted to be re-created. */
  recreating: 'tranche.dev/recreating',
} as const;

/**
 * On a Service or a route: the Rollouts, as `namespace/name`, whose deliveries may change it from another folder. Who owns
 * the object says so, so that nobody can write on main through a Rollout what is not theirs.
 */
export const ALLOWED_ROLLOUTS = 'tranche.dev/allowed-rollouts';

/** Whether the annotation names this Rollout. */
export function isRouteOf(
  text: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): boolean {
  return text.split(',').some((part) => part.trim() === `${namespace}/${name}`);
}

/** A step of one release; step 0 is the one in which extra groups start. */
export type StepIntent = { readonly index: number; readonly release: Release };

/** The end of one pause, as far as its giver saw the step go: `partition` is the one that Git had then. */
export type ApproveIntent = StepIntent & {
  readonly partition: number | undefined;
  /** Of the commit that was proposed: no other one is approved. Not there: whatever comes after the step. */
  readonly digest?: string | undefined;
};

/** One of them for one release; `facts`: digest of what its giver saw. */
export type AcceptIntent = { readonly reason: AcceptableReason; readonly release: Release; readonly facts: string };

/** A release to abort, and the digest of a newer template that stood in the file when that was ordered: it goes as well. */
export type AbortIntent = {
  readonly release: Release;
  readonly newer: string | undefined;
  /** Requests leave the new version in the first commit, whether or not the stable version serves. Not there: they wait. */
  readonly now?: true | undefined;
  /** The commit of main that has the template to go back to, where nothing else tells it. Not there: history does. */
  readonly from?: string | undefined;
  /** With `now`: even where no group of the stable version serves, so that every request fails. Not there: then they wait. */
  readonly outage?: true | undefined;
};

/**
 * A release that was aborted, to be delivered after all. `after` is the highest serial that the workload remembered
 * when that was ordered: once there is a higher one, something else came next, and the order is void.
 */
export type RetryIntent = { readonly release: Release; readonly after: number };

/** The end of a pull request that counts no longer: up to this one. */
type ProposeIntent = StepIntent & { readonly number: number };

export type Intents = {
  readonly approve: ApproveIntent | undefined;
  readonly jump: StepIntent | undefined;
  readonly accept: readonly AcceptIntent[] | undefined;
  readonly abort: AbortIntent | undefined;
  readonly retry: RetryIntent | undefined;
  readonly undo: UndoIntent | undefined;
  readonly acknowledge: AcknowledgeIntent | undefined;
  readonly propose: ProposeIntent | undefined;
  /** Not there: nothing is paused, or it was paused by hand. */
  readonly paused?: BrakeNote | undefined;
  readonly recreating: Recreating | undefined;
  /** `name@blob`. Not there: none. */
  readonly analysed?: readonly string[] | undefined;
};

const ACCEPT = new RegExp(`^([A-Za-z]+)@([^#]+)#(${DIGEST_PATTERN})$`);
const ABORT = new RegExp(`^(\\S+)(?: (${DIGEST_PATTERN}))?( now)?( outage)?(?: from ([0-9a-f]{40}))?$`);
const APPROVE = new RegExp(`^([^#]+)(?:#(0|[1-9][0-9]{0,6})(?:#(${DIGEST_PATTERN}))?)?$`);

const ACCEPT_WANTED =
  '<hold>@<release>#<digest of what was seen>, each digest of 32 hex digits, or several, comma-separated';

/** Reads the intents of a Rollout; one that cannot be read is reported and counts as not given. */
export function parseIntents(annotations: Readonly<Record<string, string>>): {
  readonly intents: Intents;
  readonly faults: readonly MarkFault[];
} {
  const { read, faults } = annotationReader(annotations);
  const stepWanted = '<step>@<release>, as 2@<32 hex digits>.7';
  const intents = {
    approve: read(INTENT.approve, '<step>@<release>#<partition>, as 2@<32 hex digits>.7#6', parseApprove),
    // Nobody jumps back to step 0.
    jump: read(INTENT.jump, stepWanted, (text) => (text.startsWith('0') ? undefined : parseStepIntent(text))),
    accept: read(INTENT.accept, ACCEPT_WANTED, parseAccepts),
    abort: read(
      INTENT.abort,
      '<release>, <release> <digest of a newer template>, or either with now (and outage), each digest of 32 hex digits',
      parseAbort,
    ),
    retry: read(
      INTENT.retry,
      '<release>, or <release> <highest serial so far>, its digest of 32 hex digits',
      parseRetry,
    ),
    undo: read(INTENT.undo, UNDO_WANTED, parseUndo),
    acknowledge: read(
      INTENT.acknowledge,
      'two commits of 40 hex digits: the one that main has lost, and main',
      parseAcknowledge,
    ),
    propose: read(
      INTENT.propose,
      '<step>@<release>#<number of a pull request>, as 2@<32 hex digits>.7#12',
      parsePropose,
    ),
    paused: read(INTENT.paused, 'the JSON that tranche pause wrote', parseBrakeNote),
    analysed: read(INTENT.analysed, ANALYSED_WANTED, parseAnalysed),
    recreating: read(INTENT.recreating, 'the JSON that the last commit of tranche wrote', parseRecreating),
  };
  return { intents, faults };
}

/** `2@<release>`, as `parseIntents` reads it. */
export function printStepIntent(intent: StepIntent): string {
  return `${intent.index}@${printRelease(intent.release)}`;
}

/**
 * `2@<release>#6`, of a pull request `2@<release>#6#<digest>`; without a partition, as people write it by hand, it
 * stands for the step however far that goes.
 */
export function printApprove({ partition, digest, ...step }: ApproveIntent): string {
  return [printStepIntent(step), partition, digest].filter((part) => part !== undefined).join('#');
}

/** `Recreated@<release>#<digest>`, several comma-separated. */
export function printAccepts(accepts: readonly AcceptIntent[]): string {
  return accepts.map(({ reason, release, facts }) => `${reason}@${printRelease(release)}#${facts}`).join(',');
}

function parseAccepts(text: string): readonly AcceptIntent[] | undefined {
  const parts = text.split(',').map((part) => parseAccept(part.trim()));
  const read = parts.filter((part) => part !== undefined);
  return read.length === parts.length && read.length <= ACCEPTABLE.length ? read : undefined;
}

function parseAccept(text: string): AcceptIntent | undefined {
  const match = ACCEPT.exec(text);
  const reason = ACCEPTABLE.find((known) => known === match?.[1]);
  const release = match?.[2] === undefined ? undefined : parseRelease(match[2]);
  const facts = match?.[3];
  return reason === undefined || release === undefined || facts === undefined ? undefined : { reason, release, facts };
}

/** `<release>`, with a newer template that goes as well `<release> <digest>`, and with all `<release> <digest> now from <commit>`. */
export function printAbort({ release, newer, now, outage, from }: AbortIntent): string {
  return [
    printRelease(release),
    newer,
    now === true ? 'now' : undefined,
    outage === true ? 'outage' : undefined,
    from === undefined ? undefined : `from ${from}`,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** `<release>`, or where releases came after it `<release> 9`. */
export function printRetry({ release, after }: RetryIntent): string {
  return after === release.serial ? printRelease(release) : `${printRelease(release)} ${after}`;
}

function parseAbort(text: string): AbortIntent | undefined {
  const match = ABORT.exec(text);
  const release = match?.[1] === undefined ? undefined : parseRelease(match[1]);
  const [, , newer, now, outage, from] = match ?? [];
  if (release === undefined || (now === undefined && outage !== undefined)) return undefined;
  return {
    release,
    newer,
    ...(now === undefined ? {} : { now: true }),
    ...(outage === undefined ? {} : { outage: true }),
    ...(from === undefined ? {} : { from }),
  };
}

function parseRetry(text: string): RetryIntent | undefined {
  const match = /^(\S+)(?: ([1-9][0-9]{0,8}))?$/.exec(text);
  const release = match?.[1] === undefined ? undefined : parseRelease(match[1]);
  if (release === undefined) return undefined;
  const after = match?.[2] === undefined ? release.serial : Number(match[2]);
  return after < release.serial ? undefined : { release, after };
}

function parseApprove(text: string): ApproveIntent | undefined {
  const match = APPROVE.exec(text);
  const step = match?.[1] === undefined ? undefined : parseStepIntent(match[1]);
  if (step === undefined) return undefined;
  const partition = match?.[2] === undefined ? undefined : Number(match[2]);
  return { ...step, partition, ...(match?.[3] === undefined ? {} : { digest: match[3] }) };
}

/** `2@<release>#12`. */
export function printPropose({ number, ...step }: ProposeIntent): string {
  return `${printStepIntent(step)}#${number}`;
}

function parsePropose(text: string): ProposeIntent | undefined {
  const match = /^([^#]+)#([1-9][0-9]{0,8})$/.exec(text);
  const step = match?.[1] === undefined ? undefined : parseStepIntent(match[1]);
  return step === undefined ? undefined : { ...step, number: Number(match?.[2]) };
}

function parseStepIntent(text: string): StepIntent | undefined {
  const match = /^(0|[1-9][0-9]?)@(.+)$/.exec(text);
  const release = match?.[2] === undefined ? undefined : parseRelease(match[2]);
  return release === undefined ? undefined : { index: Number(match?.[1]), release };
}
