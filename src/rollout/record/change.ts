/** Which images a release has, and what it changes: for people alone, no decision reads any of it. */

import { imagesOf } from '../../api/images.ts';
import type { JsonObject } from '../../api/json.ts';
import type { Marks } from '../../api/marks.ts';
import type { ReleaseChange } from '../../api/record-change.ts';
import { changedFields } from '../proposals/release-changes.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';

/** Images and fields that are kept: a record stays small, whatever a template holds. */
const KEPT_MOST = 10;

/**
 * What is delivered, is asked for, or stands, by the marks as they are or will be. Read from the files and from the stable
 * template; what neither of them has (the release that a rollback leaves, a newer template in the file) is kept from the
 * record. undefined: nothing is known of it.
 */
export function changeAfter(
  snapshot: Snapshot,
  situation: Situation | undefined,
  marks: Marks | undefined,
): ReleaseChange | undefined {
  const before = snapshot.record?.change;
  if (situation === undefined || marks === undefined) return before;
  const { release, step } = marks;
  const isRequested = step === undefined && situation.digest !== release.digest;
  const of = isRequested ? situation.digest : release.digest;
  const to = contentOf(snapshot, situation, of);
  const kept = before?.of === of ? before : undefined;
  if (to === undefined) return kept;
  const images = imagesOf(to).slice(0, KEPT_MOST);
  if (step === undefined && !isRequested) return { of, to: images };
  if (step?.kind === 'rollback') return { of, ...leaving(kept, before), to: images };
  const { stable } = snapshot;
  if (stable.kind !== 'known' || stable.value.release.digest === of) return { ...kept, of, to: images };
  const fields = changedFields(stable.value.content, to, KEPT_MOST);
  const from = imagesOf(stable.value.content).slice(0, KEPT_MOST);
  return { of, from, to: images, ...(fields.length === 0 ? {} : { fields }) };
}

/** A rollback leaves what was delivered before it: the files do not have that any more. */
function leaving(
  kept: ReleaseChange | undefined,
  before: ReleaseChange | undefined,
): Pick<ReleaseChange, 'from' | 'fields'> {
  const { from, fields } = kept ?? { from: before?.to, fields: before?.fields };
  return { ...(from === undefined ? {} : { from }), ...(fields === undefined ? {} : { fields }) };
}

/** The template of this digest, where the file or the stable version is it. */
function contentOf({ stable }: Snapshot, { digest, workload }: Situation, of: string): JsonObject | undefined {
  if (digest === of) return workload.content;
  return stable.kind === 'known' && stable.value.release.digest === of ? stable.value.content : undefined;
}
