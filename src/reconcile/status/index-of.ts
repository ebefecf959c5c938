/** What a pass leaves for the next one in the index of the status branch. */

import { RECORD_VERSION, type RolloutRecord } from '../../api/record.ts';
import type { Folders } from '../../ports/git.ts';
import { mergedFolders, namedFolders } from '../observe/named-folders.ts';
import type { PassOptions, PassResult, Reading } from '../pass.ts';
import { overridesText, type StatusIndex } from './record-store.ts';

/** Whether all is settled at this commit, when the next audit is due, and where the next pass is going to look. */
export function indexOf(
  reading: Reading,
  pass: {
    readonly records: ReadonlyMap<string, RolloutRecord>;
    readonly result: PassResult;
    readonly options: PassOptions;
    /** Read in commits before main. */
    readonly folders: Folders;
  },
): StatusIndex {
  const { records, result, options, folders } = pass;
  const { auditSeconds, intervalSeconds, paths } = reading.desired.config;
  const audits = [...records.values()].map((record) => record.auditedAt);
  return {
    version: RECORD_VERSION,
    main: reading.main,
    // A pass over some of the rollouts knows nothing of the others.
    settled: options.only.length === 0 && !result.failed && [...records.values()].every((record) => record.settled),
    nextAuditAt: audits.length === 0 ? undefined : Math.min(...audits) + auditSeconds,
    auditSeconds,
    intervalSeconds,
    paths,
    folders: namedFolders(mergedFolders(folders, reading.desired.folders), reading.status.index?.folders ?? []),
    overrides: overridesText(options.overrides),
  };
}
