/** Snapshots of a workload whose document is out of its file, to be re-created. */

import { absent, known, unknown } from '../../src/api/known.ts';
import type { Recreating } from '../../src/api/recreating.ts';
import type { Live, Snapshot, StableDocument } from '../../src/rollout/snapshot.ts';
import { commitOf, digestOf, letterOf, marksOf, WORKLOAD_FILE } from './marks-notation.ts';

/** What of a world decides how its workload is gone. */
type Gone = {
  readonly stable?: string;
  readonly retryText?: string;
  readonly left?: 'pods' | 'sets' | 'unknown';
  readonly live?: unknown;
};

/** `forward B.2 aborted=C.1` as Git keeps it. */
export function keptOf(notation: string): Recreating {
  const [way = '', ...rest] = notation.split(' ');
  const marks = marksOf(rest.join(' '));
  if ((way !== 'forward' && way !== 'back') || marks === undefined) throw new Error(`no recreation: ${notation}`);
  const { release, aborted } = marks;
  const text = commitOf(letterOf(way === 'back' ? 'b' : release.digest));
  return { way, release, text, stable: { commit: commitOf('A'), digest: digestOf('A') }, aborted, file: WORKLOAD_FILE };
}

/** The document is out of its file: its last text is in the commit that the Rollout names. Deleted unless `live` says more. */
export function outOfFile<W extends Gone>(of: W, inPlace: (of: W) => Snapshot): Snapshot {
  const there = inPlace({ stable: 'A', ...of });
  const { workload } = there;
  if (workload === undefined) throw new Error('nothing to take out');
  const { digest, text } = workload;
  const { content } = workload.workload;
  const source: StableDocument = {
    commit: commitOf(letterOf(digest)),
    release: { digest, serial: 9 },
    content,
    text,
    manifest: workload,
  };
  const { leaders, workerSets } = inPlace({ ...of, live: {} }).live;
  const left = of.left === 'unknown' ? unknown('pods: 503') : known([]);
  const deleted: Live = {
    ...inPlace({ ...of, live: 'absent' }).live,
    leaders: of.left === 'pods' ? leaders : left,
    workerSets: of.left === 'sets' ? workerSets : left,
  };
  return {
    ...there,
    workload: undefined,
    recreateText: of.retryText === 'unknown' ? unknown('the commit could not be fetched') : known(source),
    retryText: absent,
    live: of.live === undefined ? deleted : there.live,
  };
}
