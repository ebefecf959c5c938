/** Tries on a manifest what a delivery is going to write into it: reports before it starts what would be refused then. */

import { type Issue, oncePerLine } from '../../api/issue.ts';
import { MARK } from '../../api/marks.ts';
import { RELEASE_PATHS } from '../../api/release-content.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import { applyEdits } from '../../manifests/splice/apply-edits.ts';
import type { Edit } from '../../rollout/edits/edit.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import type { Trials } from '../desired/trials.ts';
import type { LintFacts } from './lint-finding.ts';

/** Every planned edit that the text cannot take: it would stall a pass, at the worst the one that goes back. */
export function unwritable(facts: LintFacts, trials: Trials): readonly Issue[] {
  const { document, fileText } = facts;
  const stable = facts.stable?.text;
  const before = trials.workloads.get(document);
  if (before !== undefined && before.stable === stable) return before.issues;
  trials.known.set(document.text, document.read);
  const refusals = (edits: readonly Edit[]): readonly Issue[] => {
    const tried = applyEdits(
      fileText,
      { file: document.file, object: document.object, edits },
      { known: trials.known },
    );
    return tried.kind === 'refused' ? [tried.issue] : [];
  };
  const edits = editsToCome(facts);
  const issues = refusals(edits).length === 0 ? [] : oncePerLine(edits.flatMap((edit) => refusals([edit])));
  trials.workloads.set(document, { stable, issues });
  return issues;
}

/** In a delivery, as our last step left it: whatever was to be tried has been tried before the first. */
export function isTried({ workload: { marks }, digest }: WorkloadFile): boolean {
  return marks?.step !== undefined && marks.release.digest === digest;
}

/** The fields of all steps, each with a value that it does not have, and the rollback. */
function editsToCome({ document, file, stable }: LintFacts): readonly Edit[] {
  const { partition, maxUnavailable, replicas, marks } = file.workload;
  const there = [MARK.step, MARK.stable, MARK.restore, MARK.aborted].filter(() => marks !== undefined);
  const set = (path: readonly string[], value: string | number): Edit => ({ kind: 'set', path, value });
  const numbers = [
    set(PARTITION_PATH, (partition ?? 0) + 1),
    set(MAX_UNAVAILABLE_PATH, typeof maxUnavailable === 'number' ? maxUnavailable + 1 : 1),
    ...(replicas === undefined ? [] : [set(REPLICAS_PATH, replicas + 1)]),
  ];
  const source = stable?.text ?? document.text;
  return [
    ...[MARK.release, ...there].map((key) => set(['metadata', 'annotations', key], 'tried')),
    ...numbers,
    ...RELEASE_PATHS.map((path): Edit => ({ kind: 'restore', path, source })),
  ];
}
