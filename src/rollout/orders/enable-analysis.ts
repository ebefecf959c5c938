/** The order that lets a failure of an Analysis lead back by itself: for its file as it is now, written on the Rollout. */

import type { Snapshot } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { type Ordered, refused } from './ordered.ts';
import { annotate } from './said.ts';

/** `blob`: of the file that was tried, 12 hex digits. Refused where policies name another one, or none of this name. */
export function planEnable(
  { name, blob }: { readonly name: string; readonly blob: string },
  { rollout, analyses = [], key }: Snapshot,
): Ordered {
  if (rollout === undefined)
    return refused(
      'there is no Rollout that can be read, so nothing can be written on it; tranche lint says what is wrong',
    );
  const seen = analyses.find((one) => one.name === name);
  if (seen === undefined)
    return refused(
      `no RolloutPolicy of ${key.name} names ${name} in analyses, so nothing waits for it. Name it there first`,
    );
  if (seen.wrong !== undefined) return refused(`Analysis ${name} does not count: ${seen.wrong}`);
  if (seen.blob !== blob)
    return refused(
      `the file of Analysis ${name} has changed meanwhile. Try it again: ${command('analyze', key, '--enable')}`,
    );
  const word = `${name}@${blob}`;
  const others = (rollout.intents.analysed ?? []).filter((one) => !one.startsWith(`${name}@`));
  const said = annotate('analysed', [...others, word].join(','), `let a failure of Analysis ${word} lead back`);
  const { file, object } = rollout;
  return { kind: 'write', commits: [{ edits: [{ file, object, edits: said.edits }], what: said.what }] };
}
