/** The annotations that the last commit of tranche wrote, as far as main's own line bears them out: an order puts them back. */

import { type Known, known, unknown } from '../../api/known.ts';
import { type Marks, printMarks } from '../../api/marks.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { GitReader } from './git-reader.ts';
import { lastWritten } from './last-commit.ts';
import type { Version } from './version.ts';

/**
 * The newest commit that says it is ours names them, and where none does the record: each says only where to look. What a
 * forged one can do is have an older set of this very document put back, by somebody who is shown the difference. Throws
 * PortError where Git fails for now.
 */
export async function marksInHistory(
  git: GitReader,
  entry: DesiredRollout,
  recorded: Marks | undefined,
): Promise<Known<Marks>> {
  const named = await lastWritten(git, entry);
  // On main's own line it bears itself out. A walk may step over it, where a hand has put an older set back over it.
  if (named !== undefined && (await git.line.has(named.commit)) === true) return known(named.marks);
  const wanted = named?.marks ?? recorded;
  if (wanted === undefined) return unknown('no commit of main tells that tranche has written annotations for it');
  const key = keyOf(wanted);
  const walked = await git.line.walk(entry, {
    keyOf: keyOfVersion,
    visit: ({ version }) => (keyOfVersion(version) === key ? wanted : undefined),
  });
  if (walked.kind === 'found') return { kind: 'known', value: walked.value };
  const why = walked.kind === 'cut' ? walked.why : 'no commit of it has them';
  return unknown(`main's own line does not tell what the last commit of tranche wrote: ${why}`);
}

function keyOfVersion(version: Version): string {
  return version.kind === 'read' ? keyOf(version.workload.workload.marks) : version.kind;
}

function keyOf(marks: Marks | undefined): string {
  return marks === undefined ? 'none' : JSON.stringify(printMarks(marks));
}
