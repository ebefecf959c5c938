/** What a process remembers of the records that it has pushed: by this it knows them again. */

import { isVerified } from '../../rollout/record/proof.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import { numberIn } from '../status/content.ts';
import { rememberNumber } from '../status/seen-numbers.ts';
import type { Written } from './batch.ts';
import type { Batch } from './execute.ts';

/**
 * Remembers what was written. A text is this process's own word only where nothing of it comes from a record that
 * anybody could have written.
 */
export function remember({ memory: { known }, reading, reconciled }: Written, { statusCommit }: Batch): void {
  const clean = new Set(
    reconciled
      .filter(({ snapshot }) => snapshot !== undefined && (snapshot.record === undefined || isVerified(snapshot)))
      .map(({ key }) => `rollouts/${printKey(key)}.json`),
  );
  const signer = reading.signing?.signer;
  for (const { path, text } of statusCommit?.writes ?? []) {
    const number = text === undefined ? undefined : numberIn(text);
    if (number !== undefined && signer !== undefined) rememberNumber(known, path, { key: signer.key, number });
    if (text !== undefined && clean.has(path)) known.own.set(path, text);
    else known.own.delete(path);
  }
}
