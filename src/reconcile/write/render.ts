/** From a plan to the new texts of files, checked: what is about to be written says exactly what was decided. */

import type { Issue } from '../../api/issue.ts';
import { asWritten, canonicalJson } from '../../api/json.ts';
import { printMarks } from '../../api/marks.ts';
import { unifiedDiff } from '../../manifests/diff.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { applyEdits } from '../../manifests/splice/apply-edits.ts';
import type { FileWrite } from '../../ports/git.ts';
import type { ObjectEdits } from '../../rollout/edit.ts';
import type { PlannedCommit } from '../../rollout/plan.ts';
import { readWorkload } from '../observe/read-workload.ts';

type Rendered =
  | { readonly kind: 'ok'; readonly writes: readonly FileWrite[]; readonly diff: string }
  | { readonly kind: 'refused'; readonly issue: Issue };

/** Applies the edits to `texts`, which hold what earlier commits of the same push have already changed. */
export function render(edits: readonly ObjectEdits[], texts: ReadonlyMap<string, string>): Rendered {
  const after = new Map<string, string>();
  for (const object of edits) {
    const there = after.get(object.file) ?? texts.get(object.file);
    // Somebody may have removed the file of a document that is to come back.
    const text = there ?? (object.document?.kind === 'insert' ? '' : undefined);
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
export function checkStep(commit: PlannedCommit, writes: readonly FileWrite[]): Issue | undefined {
  const { expected } = commit;
  const { file, object } = expected;
  const text = writes.find((write) => write.path === file)?.text;
  if (text === undefined) return undefined;
  const documents = parseManifestFile(file, text, [object.kind]).documents;
  const document = documents.find(
    (found) => found.object.name === object.name && found.object.namespace === object.namespace,
  );
  const wrong = wrongDocument(expected, document);
  if (wrong === undefined) return undefined;
  return {
    file,
    line: 0,
    path: '',
    reason: 'StepCheckFailed',
    message: `${object.kind} ${object.name}: the rendered step is not the planned one: ${wrong}`,
    hint: 'This is a bug of tranche; nothing was written. Please report it with the files of --save-pass.',
  };
}

function wrongDocument(
  expected: PlannedCommit['expected'],
  document: ManifestDocument | undefined,
): string | undefined {
  if (expected.kind === 'absent') return document === undefined ? undefined : 'it is still there';
  const read = document === undefined ? undefined : readWorkload(document).workload;
  if (read === undefined) return 'it cannot be read back';
  const { partition, replicas, marks } = read.workload;
  if (partition !== expected.partition) return `partition ${partition ?? 'missing'}, wanted ${expected.partition}`;
  if (replicas !== expected.replicas) return `replicas ${replicas ?? 'missing'}, wanted ${expected.replicas ?? 'none'}`;
  const printed = marks === undefined ? undefined : canonicalJson(asWritten(printMarks(marks)));
  if (printed !== canonicalJson(asWritten(printMarks(expected.marks)))) return 'its annotations differ';
  return read.digest === expected.digest
    ? undefined
    : `the template is ${read.digest}, wanted ${expected.digest ?? 'none'}`;
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
