/** What one commit says of a workload: the version of its document that main's own line is followed by. */

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

/** Whether nothing is in progress by the annotations: a hand may have taken the step out alone. */
export function isAtRest(version: Version): boolean {
  const marks = version.kind === 'read' ? version.workload.workload.marks : undefined;
  return version.kind === 'read' && marks?.step === undefined && marks?.restore === undefined;
}
