/** Where a document was before the commit that brought it to its file: in a file that was moved, or that was copied. */

import { jsonEqual } from '../../api/json.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Oid } from '../../ports/git.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { Version } from './version.ts';

/** Where more files than this have a document of the name, nobody says which of them was moved. */
const TWINS_MOST = 20;

/** Documents of this name in these files of a commit; `paths` undefined: all that main is read for. */
export type DocumentReader = (
  commit: Oid,
  entry: DesiredRollout,
  paths: readonly string[] | undefined,
) => Promise<readonly ManifestDocument[]>;

/** The file of which main's own line had the document first, as a commit has it; undefined: nobody knows. */
export type FirstReader = (commit: Oid, documents: readonly ManifestDocument[]) => Promise<string | undefined>;

export type FileReading = {
  readonly documentsAt: DocumentReader;
  readonly versionAt: (commit: Oid, entry: DesiredRollout, file: string) => Promise<Version>;
  readonly firstOf: FirstReader;
};

type Brought = { readonly entry: DesiredRollout; readonly file: string; readonly since: Oid; readonly before: Oid };

/**
 * Another file where one commit took the document out of that alone and put it into this. What stays where it was is a twin, but
 * for a copy: where the commit brought what the first of all had, field by field, both have one past. Nobody makes a past of their own
 * count by a copy, because the first alone is followed.
 */
export async function fileBefore(reading: FileReading, brought: Brought): Promise<string> {
  const { documentsAt, versionAt } = reading;
  const { entry, file, since, before } = brought;
  if ((await versionAt(before, entry, file)).kind !== 'absent') return file;
  const there = await documentsAt(before, entry, undefined);
  const others = new Set(there.map((document) => document.file));
  if (others.size > TWINS_MOST) return file;
  const left: string[] = [];
  for (const other of others) if ((await versionAt(since, entry, other)).kind === 'absent') left.push(other);
  const [from, ...more] = left;
  if (from !== undefined) return more.length > 0 ? file : from;
  return (await copiedFrom(reading, brought, there)) ?? file;
}

async function copiedFrom(
  { versionAt, firstOf }: FileReading,
  { entry, file, since, before }: Brought,
  there: readonly ManifestDocument[],
): Promise<string | undefined> {
  const copy = await versionAt(since, entry, file);
  if (copy.kind !== 'read' || !there.some(({ value }) => jsonEqual(value, copy.document.value))) return undefined;
  const first = await firstOf(before, there);
  const model = there.find((document) => document.file === first);
  return model !== undefined && jsonEqual(model.value, copy.document.value) ? first : undefined;
}
