/** Our patch while its workload is out of what kustomize builds, to be re-created: the line that does so, and the patch without it. */

import type { Issue } from '../../api/issue.ts';
import { shellWord } from '../../api/shell-word.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { BuildInput } from '../../ports/builder.ts';

/** Whether the patch takes its whole object out. */
export function takesOut({ value }: Pick<ManifestDocument, 'value'>): boolean {
  return value['$patch'] === 'delete';
}

/** The text without the line of ours, however somebody has spelt it. In a document of one line it stays: then it is not known what comes back. */
export function withoutRemoval(text: string): string {
  return text.replace(/^(["']?)\$patch\1[ \t]*:[ \t]*(["']?)delete\2[ \t]*(?:#[^\r\n]*)?(?:\r?\n|$)/m, '');
}

/** The files with the patch as it is without that line. */
export function returning(input: BuildInput, file: string): BuildInput {
  const files = input.files.map((one) => (one.path === file ? { ...one, text: withoutRemoval(one.text) } : one));
  return { ...input, files };
}

/** Where nothing is to be re-created: the agent deletes the workload, with all its groups. */
export function removedByHand({ file, object, lineOf }: Pick<ManifestDocument, 'file' | 'object' | 'lineOf'>): Issue {
  return {
    file,
    line: lineOf(['$patch']),
    path: '$patch',
    reason: 'PatchEdited',
    message: `$patch: delete in the patch of ${object.name} takes it out of what is built, so that the agent deletes it, and no commit of tranche re-creates it`,
    hint: `Take the line out, or order tranche repair of its Rollout, which writes the patch as it was. git log -p ${shellWord(file)} shows who wrote it.`,
  };
}
