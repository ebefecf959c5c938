/** Gates that look at the repository: its history, and whether there is a rollback. */

import { RECORD_VERSION } from '../../api/record.ts';
import { shellWord } from '../../api/shell-word.ts';
import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { printKey } from '../texts/key-text.ts';

/** The record was made from a commit that main no longer descends from: what else was undone is for someone to say. */
export function historyRewritten({ snapshot }: Situation): Hold | undefined {
  const { history } = snapshot;
  if (history.kind === 'continued' || history.acknowledged) return undefined;
  return hold('HistoryRewritten', {
    seen: `main was rewritten: ${history.recorded.slice(0, 12)}, which was read before, is no ancestor of ${snapshot.main.slice(0, 12)}`,
    action: advice`Check the files, then: ${commandLine('acknowledge', snapshot.key)}`,
  });
}

/** Never start what cannot be undone. */
export function noRollback({ snapshot, file }: Situation): Hold | undefined {
  if (snapshot.stable.kind === 'known') return undefined;
  const why = snapshot.stable.kind === 'unknown' ? snapshot.stable.why : 'the annotation tranche.dev/stable is missing';
  return hold('StableUnavailable', {
    seen: `the template to go back to was not found: ${why}`,
    action: `Put the annotation tranche.dev/stable back that the last commit of tranche wrote (git log -p ${shellWord(file.file)}), or the template to go back to into the file`,
  });
}

/** No commit of main is read that could be the stable one from here on. */
export function notDelivered({ snapshot, file }: Situation): Hold {
  const { delivered, key } = snapshot;
  const why = delivered.kind === 'unknown' ? delivered.why : 'no commit of main has the template of this release';
  return hold('StableUnavailable', {
    seen: `cannot settle: ${why}`,
    action: advice`Bring a commit with this template of ${file.file} to main, or go back: ${commandLine('abort', key)}`,
  });
}

/** What a newer tranche remembers of drains, pauses and approvals would be lost with the first record of ours: it is left alone. */
export function newerRecord({ newerRecord: version, key }: Pick<Snapshot, 'newerRecord' | 'key'>): Hold | undefined {
  if (version === undefined) return undefined;
  return hold('NewerRecord', {
    seen: `rollouts/${printKey(key)}.json on the status branch has version ${version}, and this tranche reads versions up to ${RECORD_VERSION}: a newer tranche has written it. The record counts the pause of each step, so no step goes forward. Rollbacks go on`,
    action:
      'Run the newer tranche wherever one runs for this cluster. To stay with this one, delete that file and index.json there: pauses, drains and counts start again',
  });
}

/** Where main names keys, only what is signed by one of them counts: without such a key no record can be written, and no step goes forward. */
export function keyMissing({ keyMissing: why, key }: Pick<Snapshot, 'keyMissing' | 'key'>): Hold | undefined {
  if (why === undefined) return undefined;
  return hold('StatusKeyMissing', {
    seen: `${why}. Without one this process writes no record and no step forward; rollbacks, orders and drains go on`,
    action: `Give the private half as TRANCHE_STATUS_KEY. Where it is lost: tranche status-key --cluster ${shellWord(key.cluster)}, and the new public half in statusKeys of tranche.yaml`,
  });
}
