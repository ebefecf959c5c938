/** What of a workload tranche alone writes, commit by commit of main. */

import { canonicalJson, at as valueAt } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { MARK, parseMarks } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import { stringsIn } from '../../api/service.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import { parseManifestFile } from '../../manifests/parse-file.ts';
import type { Git, Oid } from '../../ports/git.ts';
import { stepText } from '../../rollout/commits/messages.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';

/** As one commit has it: `key` is all of it, and `text` the file. */
type OwnFields = {
  readonly key: string;
  readonly release: string;
  readonly step: string;
  readonly text: string;
};

/** Reads one file of each commit, and makes a value of it only where it is another one. */
export function ownReader(
  git: Pick<Git, 'readAt'>,
  { identity }: DesiredRollout,
): (commit: Oid) => Promise<OwnFields | undefined> {
  const byBlob = new Map<Oid, OwnFields | undefined>();
  const byCommit = new Map<Oid, OwnFields | undefined>();
  return async (commit) => {
    if (identity === undefined) return undefined;
    if (byCommit.has(commit)) return byCommit.get(commit);
    const { files } = await git.readAt(commit, { paths: [identity.file], suffixes: [], markers: [] });
    const [file] = files;
    const text = file?.content.kind === 'text' ? file.content.text : undefined;
    const own =
      file === undefined || text === undefined
        ? undefined
        : byBlob.has(file.oid)
          ? byBlob.get(file.oid)
          : ownIn(text, identity);
    if (file !== undefined) byBlob.set(file.oid, own);
    byCommit.set(commit, own);
    return own;
  };
}

function ownIn(text: string, identity: { readonly file: string; readonly name: string }): OwnFields | undefined {
  const found = parseManifestFile(identity.file, text, [LWS_KIND]).documents.filter(
    ({ object }) => object.name === identity.name,
  );
  const [document] = found;
  if (document === undefined || found.length > 1) return undefined;
  const annotations = stringsIn(valueAt(document.value, ['metadata', 'annotations']));
  const own = Object.fromEntries(
    Object.values(MARK).flatMap((key) => (annotations[key] ? [[key, annotations[key]]] : [])),
  );
  const parsed = parseMarks(annotations);
  const marks = parsed !== undefined && 'release' in parsed ? parsed : undefined;
  const partition = valueAt(document.value, PARTITION_PATH);
  const key = canonicalJson({ ...own, partition: partition ?? '' });
  const release = marks === undefined ? '' : printRelease(marks.release);
  return { key, release, step: marks === undefined ? '' : stepText(marks), text };
}
