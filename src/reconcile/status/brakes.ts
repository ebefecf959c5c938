/** What people have stopped or paused, as main says it: shown before all else, also at rest, where nothing is held. */

import { BRAKE_NOTE, type BrakeNote, parseBrakeNote } from '../../api/brake-note.ts';
import { at as valueAt } from '../../api/json.ts';
import { shellWord } from '../../api/shell-word.ts';
import { type Instant, parseInstant, printInstant } from '../../api/time.ts';
import { command } from '../../rollout/texts/command-text.ts';
import type { Desired } from '../desired/desired-rollout.ts';

/** `stop` is for all Rollouts, `pause` for the one that is named, as `namespace/name`. */
export type BrakeShown = {
  readonly kind: 'stop' | 'pause';
  readonly rollout: string | undefined;
  /** Where it is written down. */
  readonly file: string;
  /** Not there: it was not written by a command; the log of the file tells. */
  readonly note: BrakeNote | undefined;
  /** When it ends by itself; undefined: it does not. */
  readonly until: Instant | undefined;
  /** The command that ends it. */
  readonly ends: string;
};

/** What goes on while steps do not start. */
export const STOP_MEANWHILE =
  'No step of any Rollout starts. Groups that are restarting finish, and rollbacks and tranche abort go on';
const PAUSE_MEANWHILE =
  'No step of it goes forward. Groups that are restarting finish, and rollbacks and tranche abort go on';

/** All that count now; the stop comes first. */
export function brakesIn({ config, files, rollouts }: Desired, now: Instant): readonly BrakeShown[] {
  const stops = files
    .filter(({ file }) => file === config.stopFile)
    .flatMap(({ documents }) => documents)
    .map((document): BrakeShown => {
      const to = valueAt(document.value, ['spec', 'deny', '0', 'to']);
      const until = typeof to === 'string' ? parseInstant(to) : undefined;
      const note = noteIn(valueAt(document.value, ['metadata', 'annotations', BRAKE_NOTE]));
      return { kind: 'stop', rollout: undefined, file: document.file, note, until, ends: 'tranche go' };
    });
  const pauses = rollouts.flatMap(({ key, reading }): readonly BrakeShown[] => {
    const found = reading.rollout;
    if (found?.rollout.paused !== true || found.rollout.disabled) return [];
    const { file, intents } = found;
    const rollout = `${key.namespace}/${key.name}`;
    return [{ kind: 'pause', rollout, file, note: intents.paused, until: undefined, ends: command('resume', key) }];
  });
  return [...stops.filter(({ until }) => until === undefined || until > now), ...pauses];
}

/** Those that a Rollout is held by. */
export function brakesOf(
  brakes: readonly BrakeShown[],
  { namespace, name }: { readonly namespace: string; readonly name: string },
): readonly BrakeShown[] {
  return brakes.filter(({ rollout }) => rollout === undefined || rollout === `${namespace}/${name}`);
}

/** One line: what, since when, by whom, why, until when, how it ends, and what goes on. */
export function brakeLine({ kind, rollout, file, note, until, ends }: BrakeShown): string {
  const who = note === undefined || note.by === '' ? '' : ` by ${note.by}`;
  const since =
    note === undefined
      ? `, as ${file} says (git log ${shellWord(file)} says who and since when)`
      : ` since ${printInstant(note.since)}${who}`;
  const why = note === undefined || note.why === '' ? '' : `: ${note.why}`;
  const end = until === undefined ? `Ends with: ${ends}` : `Ends at ${printInstant(until)}, or with: ${ends}`;
  const [head, meanwhile] =
    kind === 'stop' ? ['STOPPED', STOP_MEANWHILE] : [`PAUSED ${rollout ?? ''}`, PAUSE_MEANWHILE];
  return `${head}${since}${why}. ${meanwhile}. ${end}`;
}

/** The same as data, for scripts: absent what nobody knows. Times are RFC 3339. */
export function brakeJson({ note, until, ...brake }: BrakeShown): object {
  return {
    ...brake,
    since: note === undefined ? undefined : printInstant(note.since),
    by: note?.by === '' ? undefined : note?.by,
    why: note?.why === '' ? undefined : note?.why,
    until: until === undefined ? undefined : printInstant(until),
  };
}

function noteIn(value: unknown): BrakeNote | undefined {
  return typeof value === 'string' ? parseBrakeNote(value) : undefined;
}
