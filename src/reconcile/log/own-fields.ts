/** What of a workload tranche alone writes, commit by commit of main. */

import { canonicalJson, at as valueAt } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { MARK, parseMarks } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import { stringsIn } from '../../api/service.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import type { Git, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { stepText } from '../../rollout/commits/messages.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { isReadHere } from '../documents/manifest-index.ts';
import { fieldsAt } from '../roots/build-at.ts';
import type { BuildWorld } from '../roots/over-builds.ts';

/** As one commit has it: `key` is all of it, and `text` the file. */
type OwnFields = {
  readonly key: string;
  readonly release: string;
  readonly step: string;
  readonly text: string;
};

type Builds = Pick<BuildWorld, 'builder' | 'cache'>;

/**
 * Reads one file of each commit, and makes a value of it only where it is another one. Of a workload that kustomize builds it is
 * what the commit builds: a patch that nothing applies any more has no marks. What is not built has those of the patch.
 */
export function ownReader(
  git: Pick<Git, 'readAt'>,
  { identity }: DesiredRollout,
  builds: Builds | undefined,
): (commit: Oid) => Promise<OwnFields | undefined> {
  const byBlob = new Map<Oid, OwnFields | undefined>();
  const byCommit = new Map<Oid, OwnFields | undefined>();
  return async (commit) => {
    if (identity === undefined) return undefined;
    if (byCommit.has(commit)) return byCommit.get(commit);
    const { files } = await git.readAt(commit, { paths: [identity.file], suffixes: [], markers: [] });
    const [file] = files;
    const text = file?.content.kind === 'text' ? file.content.text : undefined;
    const inFile =
      file === undefined || text === undefined
        ? undefined
        : byBlob.has(file.oid)
          ? byBlob.get(file.oid)
          : ownIn(text, identity);
    if (file !== undefined) byBlob.set(file.oid, inFile);
    const { root } = identity;
    const document =
      root === undefined || builds === undefined
        ? undefined
        : await documentBuilt({ git, builds }, commit, { ...identity, root });
    const own = document === undefined ? inFile : ownOf(document, text ?? '');
    byCommit.set(commit, own);
    return own;
  };
}

/** undefined: kustomize is missing, refuses the folder of that time, or builds no such object, or several. */
async function documentBuilt(
  { git, builds }: { readonly git: Pick<Git, 'readAt'>; readonly builds: Builds },
  commit: Oid,
  of: Parameters<typeof fieldsAt>[2],
): Promise<ManifestDocument | undefined> {
  try {
    const { documents } = await fieldsAt({ git, ...builds }, commit, of);
    return documents.length === 1 ? documents[0] : undefined;
  } catch (error) {
    if (error instanceof PortError && error.port === 'builder') return undefined;
    throw error;
  }
}

function ownIn(text: string, identity: { readonly file: string; readonly name: string }): OwnFields | undefined {
  const found = parseManifestFile(identity.file, text, [LWS_KIND]).documents.filter(
    (one) => one.object.name === identity.name && isReadHere(one),
  );
  const [document] = found;
  return document === undefined || found.length > 1 ? undefined : ownOf(document, text);
}

function ownOf({ value }: ManifestDocument, text: string): OwnFields {
  const annotations = stringsIn(valueAt(value, ['metadata', 'annotations']));
  const own = Object.fromEntries(
    Object.values(MARK).flatMap((key) => (annotations[key] ? [[key, annotations[key]]] : [])),
  );
  const parsed = parseMarks(annotations);
  const marks = parsed !== undefined && 'release' in parsed ? parsed : undefined;
  const partition = valueAt(value, PARTITION_PATH);
  const key = canonicalJson({ ...own, partition: partition ?? '' });
  const release = marks === undefined ? '' : printRelease(marks.release);
  return { key, release, step: marks === undefined ? '' : stepText(marks), text };
}
