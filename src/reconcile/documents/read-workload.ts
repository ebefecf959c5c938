/** From a document to a workload: its numbers read strictly, its marks parsed, its release hashed. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { inputsOf, renderersIn } from '../../api/helm-release.ts';
import { type IntOrPercent, isBudget } from '../../api/int-or-percent.ts';
import { INTENT, parseIntents } from '../../api/intents.ts';
import type { Issue } from '../../api/issue.ts';
import { isRecord, at as valueAt } from '../../api/json.ts';
import { MADE_FOR, MARK, type Marks, parseMarks, TEXT } from '../../api/marks.ts';
import { releaseContent } from '../../api/release-content.ts';
import { versionIn } from '../../api/version-label.ts';
import type { Workload } from '../../api/workload.ts';
import { MAX_SURGE_PATH, MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import { MAX_SYNTAX_ISSUES } from '../../manifests/limits.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { type StrictRead, strictInteger, strictIntOrPercent } from '../../manifests/strict-scalar.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import { releaseDigest } from './digests.ts';
import { markIssue, unknownAnnotations } from './read-rollout.ts';

export const SIZE_PATH: FieldPath = ['spec', 'leaderWorkerTemplate', 'size'];
const ROLLOUT_ID = 'rollouts.kruise.io/rollout-id';

type WorkloadReading = {
  /**
   * undefined where a mark or the budget cannot be read: then nothing may be written. A number that cannot be read
   * strictly is an issue, which stops every step forward; the rollback, which must stay open, does with what is there.
   */
  readonly workload: WorkloadFile | undefined;
  readonly issues: readonly Issue[];
};

/** Of an order the abort alone: all others stand on the Rollout. */
const READ_HERE = [...Object.values(MARK), MADE_FOR, TEXT, INTENT.abort];

/** Reads a LeaderWorkerSet manifest, or the HelmRelease that one is rendered by. */
export function readWorkload(document: ManifestDocument): WorkloadReading {
  if (document.object.kind === CARRIER_KIND) return readCarried(document);
  const issues: Issue[] = document.twice.slice(0, MAX_SYNTAX_ISSUES);
  const count = (path: FieldPath): number | undefined => {
    const read = strictInteger(document, path);
    if (read.kind === 'wrong') issues.push(read.issue);
    return read.kind === 'ok' ? read.value : aliasedCount(document, path, read);
  };
  const budget = strictIntOrPercent(document, MAX_UNAVAILABLE_PATH);
  const surge = strictIntOrPercent(document, MAX_SURGE_PATH);
  for (const read of [budget, surge]) if (read.kind === 'wrong') issues.push(read.issue);
  const maxUnavailable = budget.kind === 'ok' ? budget.value : aliasedBudget(document, budget);
  const annotations = stringsAt(document, ['metadata', 'annotations']);
  const marks = parseMarks(annotations);
  if (isFaults(marks)) issues.push(...marks.map((fault) => markIssue(document, fault)));
  const abort = abortIn(document, annotations);
  issues.push(...abort.issues);
  issues.push(...unknownAnnotations(document, { annotations, known: READ_HERE }));
  const content = releaseContent(document.value);
  const version = versionIn(document.value);
  const workload: Workload = {
    replicas: count(REPLICAS_PATH),
    partition: count(PARTITION_PATH),
    maxUnavailable,
    maxSurge: surge.kind === 'ok' ? surge.value : undefined,
    size: count(SIZE_PATH) ?? 1,
    rolloutId: stringsAt(document, ['metadata', 'labels'])[ROLLOUT_ID],
    content,
    ...(version === undefined ? {} : { version }),
    marks: isFaults(marks) ? undefined : marks,
    ...(abort.order === undefined ? {} : { abort: abort.order }),
  };
  // Anyone who raises a budget that nobody can read may lower it, and writes down a wrong number to go back to.
  const budgetUnread = budget.kind === 'wrong' && maxUnavailable === undefined;
  const marksUnread = isFaults(marks) && marks.some(({ missing }) => missing === undefined);
  if (marksUnread || budgetUnread) return { workload: undefined, issues };
  const { file, object, text } = document;
  return { workload: { file, object, workload, digest: releaseDigest(content), text }, issues };
}

/** The marks stand on the HelmRelease itself, the numbers in its entry of ours; what no entry says is as the chart has it. */
function readCarried(document: ManifestDocument): WorkloadReading {
  const annotations = stringsAt(document, ['metadata', 'annotations']);
  const marks = parseMarks(annotations);
  const abort = abortIn(document, annotations);
  const issues = [
    ...document.twice.slice(0, MAX_SYNTAX_ISSUES),
    ...(isFaults(marks) ? marks.map((fault) => markIssue(document, fault)) : []),
    ...abort.issues,
    ...unknownAnnotations(document, { annotations, known: READ_HERE }),
  ];
  if (isFaults(marks) && marks.some(({ missing }) => missing === undefined)) return { workload: undefined, issues };
  const renderers = renderersIn(document.value);
  const inputs = inputsOf(document.value);
  const { entry } = renderers;
  const workload: Workload = {
    replicas: entry?.replicas,
    partition: entry?.partition,
    maxUnavailable: entry?.maxUnavailable,
    maxSurge: undefined,
    size: 1,
    rolloutId: undefined,
    content: inputs,
    marks: isFaults(marks) ? undefined : marks,
    ...(abort.order === undefined ? {} : { abort: abort.order }),
  };
  const { file, object, text } = document;
  const carried = { name: entry?.name ?? '', inputs, renderers };
  return { workload: { file, object, workload, digest: releaseDigest(inputs), text, carried }, issues };
}

/** The one order that may stand on a LeaderWorkerSet; all others are of its Rollout. */
function abortIn(document: ManifestDocument, annotations: Readonly<Record<string, string>>) {
  const text = annotations[INTENT.abort];
  const { intents, faults } = parseIntents(text === undefined ? {} : { [INTENT.abort]: text });
  return { order: intents.abort, issues: faults.map((fault) => markIssue(document, fault)) };
}

/** Behind an alias every reader finds the same value; in any other spelling they may not. */
function aliased(document: ManifestDocument, path: FieldPath, read: StrictRead<unknown>): unknown {
  return read.kind === 'wrong' && read.issue.reason === 'AliasInField' ? valueAt(document.value, path) : undefined;
}

function aliasedCount(document: ManifestDocument, path: FieldPath, read: StrictRead<unknown>): number | undefined {
  const value = aliased(document, path, read);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function aliasedBudget(document: ManifestDocument, read: StrictRead<unknown>): IntOrPercent | undefined {
  const value = aliased(document, MAX_UNAVAILABLE_PATH, read);
  return isBudget(value) ? value : undefined;
}

function isFaults(
  marks: ReturnType<typeof parseMarks>,
): marks is Exclude<ReturnType<typeof parseMarks>, Marks | undefined> {
  return Array.isArray(marks);
}

function stringsAt(document: ManifestDocument, path: FieldPath): Readonly<Record<string, string>> {
  const value = valueAt(document.value, path);
  if (!isRecord(value)) return {};
  const entries: [string, string][] = [];
  for (const [key, text] of Object.entries(value)) if (typeof text === 'string') entries.push([key, text]);
  return Object.fromEntries(entries);
}
