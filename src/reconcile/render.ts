/** From a plan to the new texts of files, checked: what is about to be written says exactly what was decided. */

import type { Issue } from '../api/issue.ts';
import { canonicalJson } from '../api/json.ts';
import { printMarks } from '../api/marks.ts';
import { unifiedDiff } from '../manifests/diff.ts';
import { parseManifestFile } from '../manifests/parse-file.ts';
import { applyEdits } from '../manifests/splice/apply-edits.ts';
import type { FileWrite } from '../ports/git.ts';
import type { ObjectEdits } from '../rollout/edit.ts';
import type { PlannedCommit } from '../rollout/plan.ts';
import type { Snapshot } from '../rollout/snapshot.ts';
import { readWorkload } from './read-workload.ts';

export type Rendered =
  | { readonly kind: 'ok'; readonly writes: readonly FileWrite[]; readonly diff: string }
  | { readonly kind: 'refused'; readonly issue: Issue };

/** Applies the edits to `texts`, which hold what earlier commits of the same push have already changed. */
export function render(edits: readonly ObjectEdits[], texts: ReadonlyMap<string, string>): Rendered {
  const after = new Map<string, string>();
  for (const object of edits) {
    const text = after.get(object.file) ?? texts.get(object.file);
    if (text === undefined) return { kind: 'refused', issue: notRead(object) };
    const spliced = applyEdits(text, object);
    if (spliced.kind === 'refused') return spliced;
    after.set(object.file, spliced.text);
  }
  const changed = [...after].filter(([file, text]) => text !== texts.get(file));
  return {
    kind: 'ok',
    writes: changed.map(([path, text]) => ({ path, text })),
    diff: changed.map(([file, text]) => unifiedDiff({ file, before: texts.get(file) ?? '', after: text })).join(''),
  };
}

/**
 * Reads the rendered workload back as the next pass will, and compares it with the decision: marks, partition,
 * replicas and template. The last guard before a push; a difference is a bug of ours and nothing is written.
 */
export function checkStep(snapshot: Snapshot, commit: PlannedCommit, writes: readonly FileWrite[]): Issue | undefined {
  const file = snapshot.workload;
  const text = writes.find((write) => write.path === file?.file)?.text;
  if (file === undefined || text === undefined) return undefined;
  const documents = parseManifestFile(file.file, text, [file.object.kind]).documents;
  const document = documents.find(
    (found) => found.object.name === file.object.name && found.object.namespace === file.object.namespace,
  );
  const read = document === undefined ? undefined : readWorkload(document).workload;
  const wrong =
    read === undefined
      ? 'it cannot be read back'
      : differs(snapshot, commit, {
          partition: read.workload.partition,
          replicas: read.workload.replicas,
          marks: read.workload.marks,
          digest: read.digest,
        });
  if (wrong === undefined) return undefined;
  return {
    file: file.file,
    line: 0,
    path: '',
    reason: 'StepCheckFailed',
    message: `${file.object.kind} ${file.object.name}: the rendered step is not the planned one: ${wrong}`,
    hint: 'This is a bug of tranche; nothing was written. Please report it with the files of --save-pass.',
  };
}

type ReadBack = Pick<NonNullable<Snapshot['workload']>['workload'], 'partition' | 'replicas' | 'marks'> & {
  readonly digest: string;
};

function differs({ workload }: Snapshot, commit: PlannedCommit, read: ReadBack): string | undefined {
  const { expected } = commit;
  if (read.partition !== expected.partition)
    return `partition ${read.partition ?? 'missing'}, wanted ${expected.partition}`;
  if (read.replicas !== expected.replicas)
    return `replicas ${read.replicas ?? 'missing'}, wanted ${expected.replicas ?? 'none'}`;
  const marks =
    read.marks === undefined ? undefined : canonicalJson(JSON.parse(JSON.stringify(printMarks(read.marks))));
  if (marks !== canonicalJson(JSON.parse(JSON.stringify(printMarks(expected.marks))))) return 'its annotations differ';
  const digest = expected.digest ?? workload?.digest;
  return read.digest === digest ? undefined : `the template is ${read.digest}, wanted ${digest ?? 'none'}`;
}

function notRead(object: ObjectEdits): Issue {
  return {
    file: object.file,
    line: 0,
    path: '',
    reason: 'FileNotRead',
    message: `${object.file} was not read in this pass`,
    hint: 'Check paths in tranche.yaml.',
  };
}
