/** Who has stopped or paused deliveries, since when and why: an annotation, so that status and pages can say it. */

import { isJsonObject, type Json } from './json.ts';
import { oneLine } from './printable.ts';
import { type Instant, parseInstant, printInstant } from './time.ts';

/** On the Rollout that is paused, and on the RolloutPolicy that `tranche stop` writes. Nothing decides by it. */
export const BRAKE_NOTE = 'tranche.dev/paused';

/** What its giver says, by the clock of then; `by` is a claim, and empty texts are not known. */
export type BrakeNote = { readonly since: Instant; readonly by: string; readonly why: string };

const TEXT_CHARACTERS_MAX = 500;

/** `{"since":"2026-11-21T01:47:25Z","by":"Ana","why":"the disks are full"}` */
export function printBrakeNote({ since, by, why }: BrakeNote): string {
  const line = (text: string): string => oneLine(text).slice(0, TEXT_CHARACTERS_MAX);
  return JSON.stringify({
    since: printInstant(since),
    ...(by === '' ? {} : { by: line(by) }),
    ...(why === '' ? {} : { why: line(why) }),
  });
}

/** undefined: it is not what `printBrakeNote` writes. */
export function parseBrakeNote(text: string): BrakeNote | undefined {
  const value = jsonOf(text);
  if (!isJsonObject(value)) return undefined;
  const { since: time, by = '', why = '' } = value;
  const since = typeof time === 'string' ? parseInstant(time) : undefined;
  return since === undefined || typeof by !== 'string' || typeof why !== 'string' ? undefined : { since, by, why };
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
