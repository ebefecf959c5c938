/** Whether main has lost the commit that the last pass read: what is at rest reads no history of its own. */

import type { Config } from '../../api/config.ts';
import type { Oid } from '../../ports/git.ts';
import type { PassOptions } from '../pass.ts';
import { overridesText } from '../status/overrides-text.ts';
import type { StatusBranch } from '../status/record-store.ts';
import type { GitReader } from './git-reader.ts';

/** The commit that the index says was read; undefined: it is of another cluster, or of a process with other words. */
export function tipOf(
  { index }: StatusBranch,
  { cluster }: Pick<Config, 'cluster'>,
  { overrides }: PassOptions,
): Oid | undefined {
  return index?.cluster === cluster && index.overrides === overridesText(overrides) ? index.main : undefined;
}

/** Asked at most once a pass. Where it cannot be told it counts as lost: then each record is held against main by itself. */
export function mainLost(
  { isAncestor }: Pick<GitReader, 'isAncestor'>,
  { tip, main }: { readonly tip: Oid | undefined; readonly main: Oid },
): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  return () =>
    (asked ??=
      tip === undefined || tip === main
        ? Promise.resolve(false)
        : isAncestor(tip).then(
            (found) => !found,
            () => true,
          ));
}
