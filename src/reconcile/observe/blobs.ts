/** Which files a decision hangs on. */

import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import { trafficFiles } from './observe-traffic.ts';

/** The blob ids, by path, of the files that the decision about one rollout hangs on. */
export function blobsOf(desired: Desired, entry: DesiredRollout): Readonly<Record<string, string>> {
  const traffic = trafficFiles({ desired, entry });
  const named = [entry.rollout?.file, entry.identity?.file, ...entry.policy.files, ...traffic];
  const files = named.filter((file) => file !== undefined);
  const blobs = Object.fromEntries(files.map((file) => [file, desired.blobs.get(file) ?? '']));
  // What is built hangs on all that it is built from.
  return entry.over === undefined ? blobs : { ...blobs, [entry.over.file]: entry.over.key };
}
