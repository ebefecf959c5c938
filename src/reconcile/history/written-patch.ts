/** Our files over a kustomize folder as the last commit of tranche left them: what an order puts back where somebody lost or edited them. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { applyAgain, foreignInApply } from '../../manifests/apply-file.ts';
import { parseManifestFile } from '../../manifests/parse-file.ts';
import { applyFile, type Patched, patchFile, rootOfPatch } from '../../manifests/patch-place.ts';
import { applyEdits } from '../../manifests/splice/apply-edits.ts';
import type { WrittenPatch } from '../../rollout/orders/repair-patch.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import { wantedBy } from '../helm/named-releases.ts';
import { foreignIn } from '../roots/patch-issues.ts';
import type { GitReader } from './git-reader.ts';
import { lastCommitOf } from './last-commit.ts';

const OF_PATCH = ['PatchEdited', 'PatchNotApplied', 'PatchNotLast'];

type Main = Pick<Desired, 'blobs' | 'commit' | 'rollouts'>;

/**
 * By the newest commit of main's own line that says it is ours, at the place where it has one. None: no commit has, or what main
 * has there is as we write it. A forged message has an older patch of this very workload put back, by somebody who is shown the
 * difference. Throws PortError where Git fails.
 */
export async function writtenFiles(
  git: GitReader,
  entry: DesiredRollout,
  desired: Main,
): Promise<readonly WrittenPatch[]> {
  const name = entry.identity?.name ?? entry.reading.rollout?.rollout.workload.name ?? '';
  if (name === '') return [];
  const { over } = entry;
  const workload = { namespace: entry.key.namespace, name };
  const named = over?.named ?? wantedBy(entry.rollout, workload);
  const isLost = over === undefined || desired.blobs.get(over.file) === undefined;
  // What is wrong with the entry in a HelmRelease is said of the workload.
  const said = [...(over?.issues ?? []), ...entry.issues];
  // Out of what is built, by a line that no commit of ours writes: nobody knows what comes back without it.
  const isOut = over?.takenOut !== undefined && over.takenOut.document === undefined;
  const isWhole =
    !isLost && !isOut && !said.some(({ reason, file }) => OF_PATCH.includes(reason) && file === over.file);
  const last = async (): Promise<string | undefined> => {
    const commit = await lastCommitOf(git, entry);
    return commit !== undefined && (await git.line.has(commit.oid)) === true ? commit.oid : undefined;
  };
  const patch = isWhole
    ? undefined
    : await writtenPatch(git, { commit: await last(), named, own: over?.file }, desired);
  const root = patch === undefined ? over?.root : rootOfPatch(patch.file);
  const apply = root === undefined ? undefined : await writtenApply(git, { root, named, last }, desired);
  return [patch, apply].filter((one) => one !== undefined);
}

async function writtenPatch(
  git: GitReader,
  {
    commit,
    named,
    own,
  }: { readonly commit: string | undefined; readonly named: Patched; readonly own: string | undefined },
  { blobs, commit: main }: Main,
): Promise<WrittenPatch | undefined> {
  if (commit === undefined) return undefined;
  const { files } = await git.treeAt(commit);
  const found = files.flatMap(({ path, content }) => {
    const root = rootOfPatch(path);
    const isOurs = root !== undefined && path === patchFile(root, named) && content.kind === 'text';
    return isOurs ? [{ file: path, text: content.text }] : [];
  });
  // A folder of others may have one as well.
  const patch = found.length > 1 ? found.find(({ file }) => file === own) : found[0];
  if (patch === undefined) return undefined;
  return {
    ...patch,
    text: withoutForeign(patch),
    now: blobs.get(patch.file) === undefined ? undefined : await git.fileAt(main, patch.file),
  };
}

/** What applies the patches of the folder, where a hand was in it; one that is not there comes with the entry. */
async function writtenApply(
  git: GitReader,
  of: { readonly root: string; readonly named: Patched; readonly last: () => Promise<string | undefined> },
  { blobs, commit: main, rollouts }: Main,
): Promise<WrittenPatch | undefined> {
  const { root, named, last } = of;
  const file = applyFile(root);
  const now = blobs.get(file) === undefined ? undefined : await git.fileAt(main, file);
  if (now === undefined || foreignInApply(now) === undefined) return undefined;
  const commit = await last();
  const earlier = commit === undefined ? '' : ((await git.fileAt(commit, file)) ?? '');
  const isThere = (path: string): boolean => blobs.get(root === '' ? path : `${root}/${path}`) !== undefined;
  const others = rollouts.flatMap(({ over }) =>
    over?.root === root && blobs.get(over.file) !== undefined ? [over.named] : [],
  );
  return { file, text: applyAgain({ earlier, now, workloads: [named, ...others], isThere }), now };
}

/** A rollback goes over what a hand has put into the patch, and leaves it: that is no word of ours. */
function withoutForeign({ file, text }: Pick<WrittenPatch, 'file' | 'text'>): string {
  const [document] = parseManifestFile(file, text, [LWS_KIND, CARRIER_KIND]).documents;
  const paths = document === undefined ? [] : foreignIn(document);
  if (document === undefined || paths.length === 0) return text;
  const edits = paths.map((path) => ({ kind: 'remove', path }) as const);
  const made = applyEdits(text, { file, object: document.object, edits });
  return made.kind === 'ok' ? made.text : text;
}
