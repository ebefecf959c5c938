/** Why an order has no LeaderWorkerSet to be about, and what comes before the order. */

import type { Issue } from '../../api/issue.ts';
import { MARK } from '../../api/marks.ts';
import type { Snapshot } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { type Refused, refused } from './ordered.ts';

const MARK_PATHS = Object.values(MARK).map((name) => `metadata.annotations.${name}`);

/** The refusal. `so`: what nobody knows for that reason. */
export function unreadWorkload(snapshot: Snapshot, so: string): Refused {
  const why = `the LeaderWorkerSet cannot be read from the files, ${so}`;
  const mark = unreadMark(snapshot);
  return mark === undefined
    ? refused(`${why}. Correct the file (tranche lint says where), then order again`)
    : refused(
        `${why}. ${mark.file}:${mark.line}: ${mark.message}. Write the annotations back: ${command('repair', snapshot.key)}, then order again`,
      );
}

/** The annotation of tranche that cannot be read; undefined: something else is in the way, or nothing is. */
export function unreadMark({ issues }: Snapshot): Issue | undefined {
  return issues.find(({ path, reason }) => reason === 'BadAnnotation' && MARK_PATHS.includes(path));
}
