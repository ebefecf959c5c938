/** What a sentence of a story is, and what many of them do alike. */

import type { Player } from './play.ts';

export type Sentence = {
  readonly pattern: RegExp;
  /** What it does; an answer is told below it. */
  readonly act: (
    player: Player,
    words: readonly string[],
  ) => string | undefined | void | Promise<string | undefined | void>;
};

/** Anyone who has a name, or none: `Ada`, `Somebody`, `A colleague`, `An image bot`. */
export const WHO = '((?!Tranche|An? (?:hook|container|autoscaler))(?:[A-Z][A-Za-z-]*|An? [a-z -]*?[a-z]))';

/** What a quoted part of a sentence means: `\n` is a line break. */
export function text(quoted: string | undefined): string {
  return (quoted ?? '').replaceAll('\\n', '\n');
}

/** A time of this many of a unit; seconds where none is named. */
export function secondsOf(count: string, unit: string | undefined): number {
  return Number(count) * (unit === 'hours' ? 3600 : unit === 'minutes' ? 60 : 1);
}

/** How a transcript tells a commit of people. */
export function committed(player: Player, oid: string): string {
  return `→ ${player.name(oid)}`;
}

/** Sets or, for an empty value, removes one field of an object in Git. */
export function setField(
  player: Player,
  who: string,
  of: {
    readonly kind: string;
    readonly name: string;
    readonly path: readonly string[];
    readonly value: string | number | boolean;
    readonly message: string;
  },
): string {
  const { path, value } = of;
  const edits = [value === '' ? ({ kind: 'remove', path } as const) : ({ kind: 'set', path, value } as const)];
  return committed(player, player.stage.splice(who, of, { edits, message: of.message }));
}
