/** Which commit of main brought the approval that a step rests on. */

import { INTENT } from '../../api/intents.ts';
import { at as valueAt } from '../../api/json.ts';
import { stringsIn } from '../../api/service.ts';
import type { Oid } from '../../ports/git.ts';
import { orderIn } from '../../rollout/commits/order-trailers.ts';
import { wantsEvidence } from '../../rollout/gates/evidence.ts';
import { isDelivered, type Plan } from '../../rollout/plan.ts';
import { restsOn } from '../../rollout/proposals/approved-by.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import { documentCalled } from '../documents/manifest-index.ts';
import type { GitReader } from './git-reader.ts';
import type { Observation } from './observation.ts';

/**
 * The snapshot with that commit, for texts alone; undefined: no step rests on one, the forge shows a pull request
 * instead, or nobody knows. By an author nothing is decided: who may write on main may approve, whatever a commit says of its own.
 */
export async function approvalFound(of: Observation, snapshot: Snapshot, plan: Plan): Promise<Snapshot | undefined> {
  const { rollout, approvedBy } = snapshot;
  const { commit } = plan;
  const marks = commit?.progress.marks;
  if (rollout === undefined || commit === undefined || marks === undefined || approvedBy !== undefined)
    return undefined;
  if (!isDelivered(plan)) return undefined;
  if (wantsEvidence(snapshot) || restsOn(snapshot, { way: commit.way, marks }) === undefined) return undefined;
  const word = rollout.rollout.annotations[INTENT.approve];
  const brought = await of.git.arrivalOf(async (at) => (await wordAt(of, snapshot, at)) === word);
  if (brought === undefined) return undefined;
  const { oid, message, author } = brought.commit;
  return { ...snapshot, approvedBy: oid, approver: orderIn(message)?.by ?? author.name };
}

type Reader = { readonly git: Pick<GitReader, 'documentsAt'>; readonly desired: Pick<Desired, 'config'> };

/** The approval in the Rollout as a commit has it; undefined: there is none in that file. Throws PortError. */
async function wordAt(
  { git, desired }: Reader,
  { key, rollout }: Pick<Snapshot, 'key' | 'rollout'>,
  at: Oid,
): Promise<string | undefined> {
  if (rollout === undefined) return undefined;
  const documents = await git.documentsAt(at, { kinds: [rollout.object.kind], paths: [rollout.file] });
  const found = documentCalled(documents, { ...key, kind: 'Rollout' }, desired.config);
  return stringsIn(valueAt(found?.value, ['metadata', 'annotations']))[INTENT.approve];
}

/**
 * Whether each of these commits has the approval that the Rollout has now. A revert takes it back, and anyone who merges can
 * write the same annotation again: so each is asked, and none is stepped over. Throws PortError.
 */
export async function isKeptIn(
  reader: Reader,
  snapshot: Pick<Snapshot, 'key' | 'rollout'>,
  line: readonly Oid[],
): Promise<boolean> {
  const word = snapshot.rollout?.rollout.annotations[INTENT.approve];
  const words = await Promise.all(line.map((at) => wordAt(reader, snapshot, at)));
  return words.every((there) => there === word);
}
