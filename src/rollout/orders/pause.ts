/** The orders pause and resume: a field of the Rollout, with who says so and why next to it. */

import { type BrakeNote, printBrakeNote } from '../../api/brake-note.ts';
import { INTENT } from '../../api/intents.ts';
import type { Edit } from '../edits/edit.ts';
import type { RolloutFile, Snapshot } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { refused } from './ordered.ts';
import type { Said } from './said.ts';

export type PauseOrder =
  /** `note`: for people; not there: nobody says who or why. */
  { readonly kind: 'pause'; readonly note?: Omit<BrakeNote, 'since'> } | { readonly kind: 'resume' };

const PAUSED = ['spec', 'strategy', 'paused'] as const;
const NOTE = ['metadata', 'annotations', INTENT.paused] as const;

/** Sets the field, or takes it out; no edit where it is so already. */
export function pause(order: PauseOrder, { file, rollout, intents }: RolloutFile, { now }: Snapshot): Said {
  const { kind } = order;
  // After eject the Rollout is still there, and asks for nothing.
  if (rollout.disabled)
    return refused(
      `the Rollout is disabled (spec.disabled), as eject leaves it, so there is nothing to ${kind}. To deliver by it again, remove spec.disabled in ${file}`,
    );
  if (kind === 'resume') {
    const told: readonly Edit[] = intents.paused === undefined ? [] : [{ kind: 'remove', path: NOTE }];
    const edits: readonly Edit[] = rollout.paused ? [{ kind: 'remove', path: PAUSED }] : [];
    return { kind: 'write', edits: [...edits, ...told], what: kind };
  }
  if (rollout.paused) return { kind: 'write', edits: [], what: kind };
  const told: readonly Edit[] =
    order.note === undefined ? [] : [{ kind: 'set', path: NOTE, value: printBrakeNote({ ...order.note, since: now }) }];
  return { kind: 'write', edits: [{ kind: 'set', path: PAUSED, value: true }, ...told], what: kind };
}

/** What goes on while nothing goes forward, and how that ends. */
export function pauseMeanwhile({ key }: Pick<Snapshot, 'key'>): string {
  return `From the next pass on no step of it goes forward; groups that are restarting finish, and rollbacks and tranche abort go on. To end it: ${command('resume', key)}`;
}
