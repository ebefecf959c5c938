/** Whether a Rollout was pointed at another workload while a delivery is under way: by what main had when that began. */

import { at as valueAt } from '../../api/json.ts';
import { MARK } from '../../api/marks.ts';
import type { Retargeted } from '../../rollout/snapshot.ts';
import type { Desired, DesiredRollout } from './desired.ts';
import type { Observation } from './observe.ts';
import type { GitReader } from './observe-git.ts';
import { readRollout } from './read-rollout.ts';

type Asked = Pick<Observation, 'desired' | 'entry' | 'git'>;

/**
 * Kruise refuses another workloadRef in mid-delivery (rollout_create_update_handler.go:158-174); a file can be edited all
 * the same. Either the workload that it names now was being delivered for another Rollout, or the one that it named when
 * its last commit was written still is. A Rollout that got another name says nothing: it was not there then. Throws
 * PortError where Git fails for now.
 */
export async function retargetedOf({ desired, entry, git }: Asked): Promise<Retargeted | undefined> {
  const { identity, rollout } = entry;
  if (identity === undefined || rollout === undefined) return undefined;
  for (const one of [entry, ...underWay(desired, entry)]) {
    const name = one.identity?.name;
    const was = name === undefined || !isStepped(one) ? undefined : await namedAtBegin(git, entry, one);
    const isOther = name === identity.name ? was !== name : was === name;
    if (name !== undefined && was !== undefined && isOther) return { was, underWay: name };
  }
  return undefined;
}

/** Other workloads of its namespace whose delivery is under way. */
function underWay({ rollouts }: Desired, { key, identity }: DesiredRollout): readonly DesiredRollout[] {
  return rollouts.filter(
    (one) => one.key.namespace === key.namespace && one.identity?.name !== identity?.name && isStepped(one),
  );
}

function isStepped({ workload }: DesiredRollout): boolean {
  return valueAt(workload?.value, ['metadata', 'annotations', MARK.step]) !== undefined;
}

/** The workload that a Rollout named in the commit that began a delivery; undefined: it was not in its file, or nobody knows. */
async function namedAtBegin(
  git: GitReader,
  { rollout }: DesiredRollout,
  delivered: DesiredRollout,
): Promise<string | undefined> {
  const begun = await git.arrival(delivered, (there) => there?.step !== undefined);
  if (rollout === undefined || begun === undefined) return undefined;
  const documents = await git.documentsAt(begun.commit.oid, { kinds: ['Rollout'], paths: [rollout.file] });
  const then = documents.find(({ object }) => object.name === rollout.object.name);
  return then === undefined ? undefined : readRollout(then).rollout?.rollout.workload.name;
}
