/** The text of a workload that one of our commits took out of its file: where no step commit has it. */

import { absent, type Known } from '../../api/known.ts';
import type { Release } from '../../api/release.ts';
import type { Oid } from '../../ports/git.ts';
import { trailersIn } from '../../rollout/commits/trailers.ts';
import type { Stable } from '../../rollout/snapshot.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { Ancestry } from './ancestry.ts';
import type { GitReader } from './git-reader.ts';

/** Commits of ours before which a text is looked for. Further back it is not found, and someone is asked for it. */
const TAKEN_OUT_LIMIT = 20;

/** The newest of those that `wanted` accepts. Throws PortError. */
export async function templateRemoved(
  { ancestry, textAt }: { readonly ancestry: Ancestry } & Pick<GitReader, 'textAt'>,
  entry: DesiredRollout,
  wanted: (release: Release) => boolean,
): Promise<Known<Stable>> {
  const own = printKey(entry.key);
  const tried = new Set<Oid>();
  while (tried.size < TAKEN_OUT_LIMIT) {
    const commit = await ancestry.find(({ oid, message }) => !tried.has(oid) && takesOut(message, own), undefined);
    const [parent] = commit?.parents ?? [];
    if (commit === undefined || parent === undefined) return absent;
    tried.add(commit.oid);
    const text = await textAt(parent, entry);
    if (text.kind === 'known' && wanted(text.value.release)) return text;
  }
  return absent;
}

/** Whether a commit is one of ours for this rollout that may have taken a text out: what starts or goes on takes none out. */
function takesOut(message: string, rollout: string): boolean {
  return trailersIn(message).some(
    (trailers) => trailers.rollout === rollout && ['settled', 'rollback'].includes(trailers.step),
  );
}
