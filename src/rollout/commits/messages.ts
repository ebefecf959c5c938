/** The messages of the commits that tranche writes. What others read back from them is in their trailers. */

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
import { oneLine, paragraphsOf, printTrailers, TRAILER, type Trailers } from './trailers.ts';

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
  const image = callingNobody(oneLine(at.image ?? ''));
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
  return typeof value === 'object' ? 'unset' : callingNobody(oneLine(String(value)));
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
  const subject = `rollout(${at.key.namespace}/${at.key.name}): ${callingNobody(oneLine(what))}`;
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
  return `${[subject, ...of.body.map((text) => callingNobody(oneLine(text))).filter((text) => text !== ''), trailers].join('\n\n')}\n`;
}

function orderedBy(by: string): readonly string[] {
  const line = callingNobody(oneLine(by));
  return line === '' ? [] : [`${TRAILER.orderedBy}: ${line}`];
}
