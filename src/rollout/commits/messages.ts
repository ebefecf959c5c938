/** The commits that tranche writes, as text: printed and parsed here only, because people and tools read them for years. */

import { callingNobody } from '../../api/calling-nobody.ts';
import { type FieldValue, sameValue } from '../../api/field.ts';
import { type Marks, printStep } from '../../api/marks.ts';
import { printRelease, type Release } from '../../api/release.ts';
import type { ObjectChange } from '../edits/change.ts';
import type { EditPath } from '../edits/edit.ts';
import type { Move } from '../move.ts';
import type { RolloutKey } from '../snapshot.ts';
import { printKey } from '../texts/key-text.ts';
import { capital } from '../texts/sentences.ts';
import { wrap } from '../texts/wrap.ts';

/** Changing one of these breaks every reader of the history. */
export const TRAILER = {
  rollout: 'Rollout',
  release: 'Rollout-Release',
  step: 'Rollout-Step',
  reason: 'Rollout-Reason',
  plannedFrom: 'Planned-From',
  /** Only where the file tells: images of the version that is replaced, and of the release. */
  image: 'Rollout-Image',
  /** Only where policies govern it that can say no: as they were. */
  policies: 'Rollout-Policies',
  /** Only where windows are shut for other releases: whose exceptions let it pass. */
  exceptions: 'Rollout-Exceptions',
  /** Only where metrics were judged, a line each: the metric, its verdict, and bad of all requests of both versions. */
  analysis: 'Rollout-Analysis',
  /** Only where a step rests on an approval: the commit of main that brought it, or the pull request that the forge showed. */
  approvedBy: 'Approved-By',
  /** Only in orders: who gave it, as far as the environment or `--by` says. */
  orderedBy: 'Ordered-By',
} as const;

/** Those that every step has. */
export type Trailers = Readonly<
  Record<
    Exclude<keyof typeof TRAILER, 'image' | 'policies' | 'exceptions' | 'analysis' | 'approvedBy' | 'orderedBy'>,
    string
  >
>;

/** Subject, why and trailers of one step. */
export function stepMessage(
  move: Move,
  at: {
    readonly key: RolloutKey;
    readonly main: string;
    readonly image?: string | undefined;
    readonly governing?: readonly string[] | undefined;
    readonly exceptions?: readonly string[] | undefined;
    readonly analysed?: readonly string[];
    readonly approvedBy?: string | undefined;
  },
): { readonly subject: string; readonly message: string } {
  const subject = `rollout(${at.key.namespace}/${at.key.name}): ${[move.label, ...fieldTexts(move.changes)].join(', ')}`;
  const trailers: Trailers = {
    rollout: printKey(at.key),
    release: printRelease(move.marks.release),
    step: stepText(move.marks),
    reason: move.reason,
    plannedFrom: at.main,
  };
  const { governing = [], exceptions = [], analysed = [] } = at;
  // Nobody is mentioned behind a letter or a digit: digests stay what people copy.
  const image = callingNobody(oneLine(at.image ?? '')).replace(/(?<=\w@)\u200b/g, '');
  const more = [
    ...(image === '' ? [] : [`${TRAILER.image}: ${image}`]),
    ...(at.approvedBy === undefined ? [] : [`${TRAILER.approvedBy}: ${oneLine(at.approvedBy)}`]),
    ...(governing.length === 0 ? [] : [`${TRAILER.policies}: ${oneLine(governing.join(', '))}`]),
    ...(exceptions.length === 0 ? [] : [`${TRAILER.exceptions}: ${oneLine(exceptions.join('; '))}`]),
    ...analysed.map((line) => `${TRAILER.analysis}: ${oneLine(line)}`),
  ];
  const why = wrap(callingNobody(capital(oneLine(move.why))), isTrailer);
  return { subject, message: `${subject}\n\n${why}\n\n${[printTrailers(trailers), ...more].join('\n')}\n` };
}

/** Words of others do not start a line with the name of one of ours. */
const isTrailer = (word: string): boolean => Object.values(TRAILER).some((name) => word === `${name}:`);

/** Where marks say that a delivery stands: `2/4`, `rollback`, `settled`. */
export function stepText({ step }: Pick<Marks, 'step'>): string {
  return step === undefined ? 'settled' : printStep(step);
}

/** These first; what else there is follows in the order of the change. */
const FIRST_FIELDS = ['replicas', 'partition', 'maxUnavailable'];

/**
 * `partition 3 → 2` for every field that changes, but for annotations and labels; other objects than the first by their names. What
 * becomes of whole objects is in the label.
 */
function fieldTexts(changes: readonly ObjectChange[]): readonly string[] {
  return changes.flatMap((change, place) => {
    if (change.kind === 'delete' || change.kind === 'exact') return [];
    const whose = place === 0 ? '' : `${change.object.name} `;
    return change.fields
      .filter(
        ({ path, from, to }) =>
          path[0] !== 'metadata' && path.length > 1 && path.at(-2) !== 'labels' && !sameValue(from, to),
      )
      .map(({ path, from, to }) => ({ name: fieldName(path), text: `${valueText(from)} → ${valueText(to)}` }))
      .sort((left, right) => rankOf(left.name) - rankOf(right.name))
      .map(({ name, text }) => `${whose}${name} ${text}`);
  });
}

function fieldName(path: EditPath): string {
  const last = path.at(-1);
  return typeof last === 'object' ? String(last.value) : (last ?? '');
}

function rankOf(name: string): number {
  const rank = FIRST_FIELDS.indexOf(name);
  return rank < 0 ? FIRST_FIELDS.length : rank;
}

/** As a subject says it: `unset` where there is no such field. */
export function valueText(value: FieldValue): string {
  return typeof value === 'object' ? 'unset' : oneLine(String(value));
}

/**
 * The message of a step that people merge themselves: its trailers, on this base. The evidence of `message`, which
 * changes by the hour, is left to the pull request.
 */
export function proposedStep(message: string, base: string): string {
  const [subject = ''] = message.split('\n\n');
  const counts = new RegExp(`^(${TRAILER.analysis}: \\S+ \\S+) .*$`, 'gm');
  const trailers = plannedOn(paragraphsOf(message).at(-1) ?? '', base).replace(counts, '$1');
  return `${subject}\n\nThe merge of its pull request wrote this commit. The pull request shows the evidence.\n\n${trailers}\n`;
}

/** The same message, of a commit that was made on this base. */
export function plannedOn(message: string, base: string): string {
  return message.replace(new RegExp(`^${TRAILER.plannedFrom}: .*$`, 'm'), `${TRAILER.plannedFrom}: ${base}`);
}

/** The release that an order is about, and the step that the files had when it was given: `2/4`, `requested`, `settled`. */
export type OrderedAt = { readonly release: Release; readonly step: string };

/**
 * The message of a commit that carries someone's intent. Its trailers are those of no step, which always has a reason. `by`
 * proves nothing: an environment says what its owner wants, and so does `--by`.
 */
export function intentMessage(
  what: string,
  at: { readonly key: RolloutKey; readonly main: string; readonly by: string; readonly at?: OrderedAt | undefined },
): string {
  const subject = `rollout(${at.key.namespace}/${at.key.name}): ${oneLine(what)}`;
  const trailers = [
    `${TRAILER.rollout}: ${printKey(at.key)}`,
    ...(at.at === undefined
      ? []
      : [`${TRAILER.release}: ${printRelease(at.at.release)}`, `${TRAILER.step}: ${oneLine(at.at.step)}`]),
    ...orderedBy(at.by),
    `${TRAILER.plannedFrom}: ${at.main}`,
  ];
  return `${subject}\n\n${trailers.join('\n')}\n`;
}

/** The message of a commit that stops all Rollouts, or lets steps start again: about none of them in particular. */
export function lineMessage(
  subject: string,
  of: { readonly body: readonly string[]; readonly by: string; readonly main: string },
): string {
  const trailers = [...orderedBy(of.by), `${TRAILER.plannedFrom}: ${of.main}`].join('\n');
  return `${[subject, ...of.body.map(oneLine).filter((text) => text !== ''), trailers].join('\n\n')}\n`;
}

function orderedBy(by: string): readonly string[] {
  return oneLine(by) === '' ? [] : [`${TRAILER.orderedBy}: ${oneLine(by)}`];
}

/** The last paragraph of a step commit, as `parseTrailers` reads it. */
export function printTrailers(trailers: Trailers): string {
  const keys: readonly (keyof Trailers)[] = ['rollout', 'release', 'step', 'reason', 'plannedFrom'];
  return keys.map((key) => `${TRAILER[key]}: ${oneLine(trailers[key])}`).join('\n');
}

/** The policies that a step commit names, as they governed it; undefined: it names none. */
export function policiesIn(message: string): readonly string[] | undefined {
  const key = `${TRAILER.policies}: `;
  // A squash has those of several steps: the last is that of the newest.
  const line = message.split(/\r?\n/).findLast((one) => one.startsWith(key));
  return line?.slice(key.length).split(', ');
}

/** The exceptions that a step commit says it passed by, as `freeze by Ada until 2026-12-27T00:00:00Z`; empty: none. */
export function exceptionsIn(message: string): readonly string[] {
  const key = `${TRAILER.exceptions}: `;
  const line = message.split(/\r?\n/).findLast((one) => one.startsWith(key));
  return line?.slice(key.length).split('; ') ?? [];
}

/** The trailers of one of our step commits, from its last paragraph; undefined for any other message. */
export function parseTrailers(message: string): Trailers | undefined {
  const last = paragraphsOf(message).at(-1) ?? '';
  return last.split('\n').every((line) => line.includes(': ')) ? trailersOf(last) : undefined;
}

/**
 * The steps that a message names anywhere: a squash puts several messages into one and adds paragraphs of its own, a
 * cherry-pick a line. What it names it need not have done.
 */
export function trailersIn(message: string): readonly Trailers[] {
  return paragraphsOf(message).flatMap((paragraph) => trailersOf(paragraph) ?? []);
}

/** The paragraphs of a message. */
export function paragraphsOf(message: string): readonly string[] {
  // Web forms and mail write other line ends than we do.
  return message
    .replaceAll('\r\n', '\n')
    .trimEnd()
    .split(/\n{2,}/);
}

/** `Key: value` lines of a paragraph; of several with one key the last. */
export function linesOf(paragraph: string): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const line of paragraph.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon < 0) continue;
    lines.set(line.slice(0, colon), line.slice(colon + 2));
  }
  return lines;
}

function trailersOf(paragraph: string): Trailers | undefined {
  const lines = linesOf(paragraph);
  const [rollout, release, step] = [lines.get(TRAILER.rollout), lines.get(TRAILER.release), lines.get(TRAILER.step)];
  const [reason, plannedFrom] = [lines.get(TRAILER.reason), lines.get(TRAILER.plannedFrom)];
  if (
    rollout === undefined ||
    release === undefined ||
    step === undefined ||
    reason === undefined ||
    plannedFrom === undefined
  )
    return undefined;
  return { rollout, release, step, reason, plannedFrom };
}

/** Text of the cluster or of people must not be able to add a line, and so a trailer, of its own. */
function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what must go
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
}
