/** What one commit says of a workload: the version of its document that main's own line is followed by. */

import type { Marks } from '../../api/marks.ts';
import { type Release, sameRelease } from '../../api/release.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { PortError } from '../../ports/port-error.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import { readWorkload } from '../documents/read-workload.ts';

/** The LeaderWorkerSet of a Rollout as one commit has it. */
export type Version =
  /** Not in its file. */
  | { readonly kind: 'absent' }
  /** There, with marks that nobody can read, or in a folder that kustomize did not build then: what was before counts. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'read'; readonly document: ManifestDocument; readonly workload: WorkloadFile };

/** A commit whose folder does not build says nothing of the workload, and hides nothing of those before it. */
export function unbuilt(error: unknown): Version {
  if (error instanceof PortError && error.port === 'builder' && error.operation === 'build')
    return { kind: 'unreadable' };
  throw error;
}

/** What these documents of one name say: several are twins, of which nobody can say which is meant. */
export function versionOf(documents: readonly ManifestDocument[]): Version {
  const [document, ...twins] = documents;
  if (document === undefined) return { kind: 'absent' };
  const { workload } = twins.length > 0 ? { workload: undefined } : readWorkload(document);
  return workload === undefined ? { kind: 'unreadable' } : { kind: 'read', document, workload };
}

/** The release that has put fields aside; undefined in a rollback: its marks name the one that it puts back. */
export function deliveredBy({ release, step }: Marks): Release | undefined {
  return step?.kind === 'rollback' ? undefined : release;
}

/**
 * Whether it is from before the delivery of that release: nothing is in progress by its annotations, and they name another one. A hand may
 * take the step out of them in between, or all that a delivery keeps. undefined: of a rollback, which may start from rest.
 */
export function isBefore(version: Version, delivered: Release | undefined): boolean {
  if (version.kind !== 'read') return false;
  const { marks } = version.workload.workload;
  if (marks === undefined) return true;
  return marks.step === undefined && marks.restore === undefined && !sameRelease(marks.release, delivered);
}
