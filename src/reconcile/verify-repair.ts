/** Annotations that a change makes what the last commit of tranche wrote, as `tranche repair` does: no word of anybody else. */

import { at } from '../api/json.ts';
import { MARK } from '../api/marks.ts';
import { type ManifestDocument, parseManifestFile } from '../manifests/parse-file.ts';
import type { CommitHeader, Git } from '../ports/git.ts';
import { trailersIn } from '../rollout/commits/trailers.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import type { Desired } from './desired/desired-rollout.ts';

/**
 * The workloads of `after` whose annotations are all as they are in the newest commit of `line` that says it is of tranche.
 * One alone next to others of another time would be what no commit ever meant. Throws PortError.
 */
export async function repairedIn(
  git: Git,
  line: readonly CommitHeader[],
  { after, changed }: { readonly after: Desired; readonly changed: ReadonlySet<string> },
): Promise<ReadonlySet<ManifestDocument>> {
  const found = new Set<ManifestDocument>();
  for (const { key, workload } of after.rollouts) {
    if (workload === undefined || !changed.has(workload.file)) continue;
    const own = printKey(key);
    const last = line.find(({ message }) => trailersIn(message).some(({ rollout }) => rollout === own));
    if (last === undefined) continue;
    const { files } = await git.readAt(last.oid, { paths: [workload.file], suffixes: [], markers: [] });
    const there = files.flatMap(({ path, content }) =>
      content.kind === 'text' ? parseManifestFile(path, content.text, 'everything').documents : [],
    );
    const written = there.filter(({ object }) => isSameObject(object, workload.object));
    if (written.length === 1 && written.every((one) => marksIn(one) === marksIn(workload))) found.add(workload);
  }
  return found;
}

function isSameObject(left: ManifestDocument['object'], right: ManifestDocument['object']): boolean {
  return left.kind === right.kind && left.name === right.name && left.namespace === right.namespace;
}

function marksIn({ value }: ManifestDocument): string {
  return JSON.stringify(Object.values(MARK).map((key) => at(value, ['metadata', 'annotations', key]) ?? null));
}
