/** Whether a Rollout was pointed at another workload while a delivery is in progress: by what main had when that started. */

import type { Retargeted } from '../../rollout/snapshot.ts';
import { type Desired, type DesiredRollout, isStepped } from '../desired/desired-rollout.ts';
import { documentCalled } from '../documents/manifest-index.ts';
import { readRollout } from '../documents/read-rollout.ts';
import type { Observation } from './observation.ts';

type RetargetInputs = Pick<Observation, 'desired' | 'entry' | 'git' | 'stored' | 'proof'>;

/**
 * Kruise refuses another workloadRef in mid-delivery (rollout_create_update_handler.go:158-174); a file can be edited all
 * the same. Either the workload that it names now was being delivered for another Rollout, or the one that it named when
 * its last commit was written still is. A Rollout that got another name says nothing: it was not there then. Throws
 * PortError where Git fails for now.
 */
export async function retargetedOf(of: RetargetInputs): Promise<Retargeted | undefined> {
  const { desired, entry } = of;
  const { identity, rollout } = entry;
  if (identity === undefined || rollout === undefined || isAsLookedAt(of, rollout.file)) return undefined;
  const delivered = [...(isStepped(entry) ? [entry] : []), ...underWay(desired, entry)];
  const named = await Promise.all(
    delivered.map(async (one) => ({
      name: one.identity?.name,
      was: one.identity === undefined ? undefined : await namedAtBegin(of, one),
    })),
  );
  for (const { name, was } of named) {
    const isOther = name === identity.name ? was !== name : was === name;
    if (name !== undefined && was !== undefined && isOther) return { was, underWay: name };
  }
  return undefined;
}

/** A pass whose record is proven has asked, and nobody has written the Rollout since: a look at main's history costs two rounds. */
function isAsLookedAt({ desired, stored, proof }: RetargetInputs, file: string): boolean {
  if (stored?.kind !== 'read' || (proof !== 'signed' && proof !== 'seen')) return false;
  const { blobs, retargeted } = stored.record;
  return retargeted === undefined && blobs[file] !== undefined && blobs[file] === desired.blobs.get(file);
}

/** Other workloads of its namespace whose delivery is in progress. */
function underWay({ inDelivery }: Desired, { key, identity }: DesiredRollout): readonly DesiredRollout[] {
  return inDelivery.filter((one) => one.key.namespace === key.namespace && one.identity?.name !== identity?.name);
}

/** The workload that a Rollout named in the commit that started a delivery; undefined: it was not in its file, or nobody knows. */
async function namedAtBegin(
  { git, desired, entry: { key, rollout } }: RetargetInputs,
  delivered: DesiredRollout,
): Promise<string | undefined> {
  const begun = await git.arrival(delivered, (there) => there?.step !== undefined);
  if (rollout === undefined || begun === undefined) return undefined;
  const documents = await git.documentsAt(begun.commit.oid, { kinds: ['Rollout'], paths: [rollout.file] });
  const then = documentCalled(documents, { ...key, kind: 'Rollout' }, desired.config);
  return then === undefined ? undefined : readRollout(then).rollout?.rollout.workload.name;
}
