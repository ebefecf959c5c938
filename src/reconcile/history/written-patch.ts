/** Our patch over a kustomize folder as the last commit of tranche left it: what an order puts back where somebody lost or edited it. */

import { LWS_KIND } from '../../api/kinds.ts';
import { parseManifestFile } from '../../manifests/parse-file.ts';
import { patchFile, rootOfPatch } from '../../manifests/patch-place.ts';
import { applyEdits } from '../../manifests/splice/apply-edits.ts';
import type { WrittenPatch } from '../../rollout/orders/repair-patch.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import { foreignIn } from '../roots/patch-issues.ts';
import type { GitReader } from './git-reader.ts';
import { lastCommitOf } from './last-commit.ts';

/**
 * By the newest commit of main's own line that says it is ours, at the place where it has one. undefined: none has, or what main
 * has there is as we write it. A forged message has an older patch of this very workload put back, by somebody who is shown the
 * difference. Throws PortError where Git fails.
 */
export async function writtenPatch(
  git: GitReader,
  entry: DesiredRollout,
  { blobs, commit: main }: Pick<Desired, 'blobs' | 'commit'>,
): Promise<WrittenPatch | undefined> {
  const name = entry.identity?.name ?? entry.reading.rollout?.rollout.workload.name ?? '';
  const workload = { namespace: entry.key.namespace, name };
  const { over } = entry;
  const isWhole =
    over !== undefined &&
    blobs.get(over.file) !== undefined &&
    !over.issues.some(({ reason }) => reason === 'PatchEdited');
  if (isWhole || name === '') return undefined;
  const commit = await lastCommitOf(git, entry);
  if (commit === undefined || (await git.line.has(commit.oid)) !== true) return undefined;
  const { files } = await git.treeAt(commit.oid);
  const found = files.flatMap(({ path, content }) => {
    const root = rootOfPatch(path);
    const isOurs = root !== undefined && path === patchFile(root, workload) && content.kind === 'text';
    return isOurs ? [{ file: path, text: content.text }] : [];
  });
  const [patch] = found;
  if (patch === undefined || found.length > 1) return undefined;
  return {
    ...patch,
    text: withoutForeign(patch),
    now: blobs.get(patch.file) === undefined ? undefined : await git.fileAt(main, patch.file),
  };
}

/** A rollback goes over what a hand has put into the patch, and leaves it: that is no word of ours. */
function withoutForeign({ file, text }: Pick<WrittenPatch, 'file' | 'text'>): string {
  const [document] = parseManifestFile(file, text, [LWS_KIND]).documents;
  const paths = document === undefined ? [] : foreignIn(document);
  if (document === undefined || paths.length === 0) return text;
  const edits = paths.map((path) => ({ kind: 'remove', path }) as const);
  const made = applyEdits(text, { file, object: document.object, edits });
  return made.kind === 'ok' ? made.text : text;
}
