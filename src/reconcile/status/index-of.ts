/** What a pass leaves for the next one in the index of the status branch. */

import { RECORD_VERSION, type RolloutRecord } from '../../api/record.ts';
import type { Folders, Git, Marked } from '../../ports/git.ts';
import { foldersTo, mergedFolders, namedFolders } from '../documents/named-folders.ts';
import { NO_TRAFFIC, trafficKinds } from '../documents/traffic-index.ts';
import type { PassOptions, PassResult, Reading } from '../pass.ts';
import { overridesText } from './overrides-text.ts';
import type { StatusIndex } from './record-store.ts';

/** Whether all is settled at this commit, when the next audit is due, and where the next pass is going to look. */
export async function indexOf(
  git: Pick<Git, 'readAt'>,
  reading: Reading,
  pass: {
    readonly records: ReadonlyMap<string, RolloutRecord>;
    readonly result: PassResult;
    readonly options: PassOptions;
    /** Read in commits before main. */
    readonly folders: Folders;
  },
): Promise<StatusIndex> {
  const { records, result, options, folders } = pass;
  const { main, desired, status } = reading;
  const { auditSeconds, intervalSeconds, paths } = desired.config;
  const audits = [...records.values()].map((record) => record.auditedAt);
  const files = [...new Set([...records.values()].flatMap(({ blobs }) => Object.keys(blobs)))];
  const onTheWay = paths.includes('') ? await foldersTo(git, main, files) : desired.folders;
  return {
    version: RECORD_VERSION,
    cluster: desired.config.cluster,
    main,
    // A pass over some of the rollouts knows nothing of the others.
    settled: options.only.length === 0 && !result.failed && [...records.values()].every((record) => record.settled),
    lookedAt: reading.at,
    nextAuditAt: audits.length === 0 ? undefined : audits.reduce((first, at) => Math.min(first, at)) + auditSeconds,
    auditSeconds,
    intervalSeconds,
    paths,
    traffic: desired.traffic === NO_TRAFFIC ? [] : trafficKinds(desired.customs),
    folders: namedFolders(mergedFolders(folders, onTheWay), status.index?.folders ?? []),
    marked: markedIn(desired.marked, reading),
    overrides: overridesText(options.overrides),
  };
}

/** Only of this very commit. Where it builds on what was said before, it is as old as that. */
function markedIn(marked: Marked | undefined, { main, at }: Reading): StatusIndex['marked'] {
  if (marked === undefined || marked.commit !== main) return undefined;
  const { sought, blobs, large, readAt = at } = marked;
  return { sought, blobs, large, readAt };
}
