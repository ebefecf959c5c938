/**
 * Carries a delivery into freshly rendered manifests: what tranche has written on a branch that a pipeline renders again
 * would be lost with the next render, and a lost partition lets every group go. Pure; knows no Git and no cluster.
 */

import { ABSENT, type FieldValue, sameValue } from '../api/field.ts';
import { INTENT } from '../api/intents.ts';
import type { Issue } from '../api/issue.ts';
import { at, type Json } from '../api/json.ts';
import { LWS_KIND } from '../api/kinds.ts';
import { MARK } from '../api/marks.ts';
import { RELEASE_PATHS } from '../api/release-content.ts';
import { isOfOtherWorkload, LWS_API_VERSION } from '../api/rollout.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../api/workload-paths.ts';
import { type ManifestDocument, parseManifestFile } from '../manifests/parse-file.ts';
import { applyEdits } from '../manifests/splice/apply-edits.ts';
import { fieldEdit, markEdits } from '../rollout/edits/change-edits.ts';
import type { Edit } from '../rollout/edits/edit.ts';
import type { WorkloadFile } from '../rollout/snapshot.ts';
import { readWorkload } from './documents/read-workload.ts';

/** Texts of manifests by path: those of the branch, or those that were rendered. */
type Texts = ReadonlyMap<string, string>;

/** `texts`: the files that change, whole. Issues: nothing is carried. `notes`: what people should know of it. */
export type Carried =
  | { readonly kind: 'ok'; readonly texts: Texts; readonly notes: readonly string[] }
  | { readonly kind: 'refused'; readonly issues: readonly Issue[] };

const PAUSED = ['spec', 'strategy', 'paused'];
/** What a step and its rollback write, as issues name them. */
const NUMBERS = [REPLICAS_PATH, MAX_UNAVAILABLE_PATH, PARTITION_PATH].map((path) => path.join('.'));
const KINDS = [LWS_KIND, 'Rollout'];

type Pair = { readonly before: ManifestDocument; readonly after: ManifestDocument | undefined };
type Edited = { readonly edits: readonly Edit[]; readonly notes: readonly string[] };

/**
 * `before` is the branch as it is, `after` what is to be committed on it. Each LeaderWorkerSet that tranche steps gets its
 * annotations, its partition, and the numbers that the delivery has put aside; where the render brings a release that was
 * aborted, the template of the branch stays. A Rollout gets the orders that stand on it. All else is as rendered. Refused:
 * what cannot be read, a workload that the render has lost or that is there twice, and a delivery that has changed other
 * objects.
 */
export function carryOver(before: Texts, after: Texts): Carried {
  const old = documentsIn(before);
  const fresh = documentsIn(after);
  const issues = [...old.issues, ...fresh.issues];
  const texts = new Map<string, string>();
  const notes: string[] = [];
  for (const document of old.documents) {
    const [, twin] = sameAs(document, old.documents);
    const [there, another] = sameAs(document, fresh.documents);
    const pair = { before: document, after: there };
    const edited = document.object.kind === LWS_KIND ? workloadEdits(pair) : rolloutEdits(pair);
    if (edited === undefined) continue;
    const twice = twin ?? another;
    if ('reason' in edited) issues.push(edited);
    else if (twice !== undefined) issues.push(issue(twice, ['metadata', 'name'], TWICE));
    else if (there !== undefined) {
      const { file, object } = there;
      const made = applyEdits(texts.get(file) ?? after.get(file) ?? '', { file, object, edits: edited.edits });
      if (made.kind === 'refused') issues.push(made.issue);
      else if (made.text !== after.get(file)) texts.set(file, made.text);
      notes.push(...edited.notes);
    }
  }
  return issues.length > 0 ? { kind: 'refused', issues } : { kind: 'ok', texts, notes };
}

function documentsIn(texts: Texts): { readonly documents: readonly ManifestDocument[]; readonly issues: Issue[] } {
  const files = [...texts].map(([file, text]) => parseManifestFile(file, text, KINDS));
  const documents = files.flatMap((file) => file.documents).filter(isOurs);
  return { documents, issues: files.flatMap((file) => file.issues) };
}

function isOurs({ object, value }: ManifestDocument): boolean {
  if (object.kind === LWS_KIND) return object.apiVersion === LWS_API_VERSION;
  return object.apiVersion.startsWith('rollouts.kruise.io/') && !isOfOtherWorkload(value);
}

function sameAs(
  { object: one }: ManifestDocument,
  documents: readonly ManifestDocument[],
): readonly ManifestDocument[] {
  return documents.filter(
    ({ object: { kind, name, namespace } }) => kind === one.kind && name === one.name && namespace === one.namespace,
  );
}

/** undefined: nothing of tranche is in it. */
function workloadEdits({ before, after }: Pair): Edited | Issue | undefined {
  const old = readWorkload(before);
  // A number that nobody can read must not be taken for one that is not there: without a partition every group goes.
  const unread = old.issues.find(({ path }) => NUMBERS.includes(path));
  if (old.workload === undefined || unread !== undefined) return unread ?? old.issues[0] ?? issue(before, [], UNREAD);
  const { marks } = old.workload.workload;
  if (marks === undefined) return isMarked(before) ? (old.issues[0] ?? issue(before, [], UNREAD)) : undefined;
  if (after === undefined) return issue(before, ['metadata', 'name'], LOST);
  const isLarger = marks.at !== undefined || marks.serves !== undefined || marks.restore?.objects !== undefined;
  if (isLarger) return issue(before, ['metadata', 'annotations', MARK.restore], OTHER_OBJECTS);
  const fresh = readWorkload(after).workload;
  if (fresh === undefined) return readWorkload(after).issues[0] ?? issue(after, [], UNREAD);
  return stepped(old.workload, fresh, { before, after });
}

/** An annotation that was taken out of a delivery leaves others behind: its partition is still that of a step. */
function isMarked(document: ManifestDocument): boolean {
  return Object.values(MARK).some((key) => annotationIn(document, key) !== undefined);
}

/** The marks and numbers of the branch on the rendered document. */
function stepped(old: WorkloadFile, fresh: WorkloadFile, { before, after }: Required<Pair>): Edited {
  const { marks, partition } = old.workload;
  const { restore, aborted = [] } = marks ?? {};
  const isAborted = aborted.some(({ digest }) => digest === fresh.digest) && old.digest !== fresh.digest;
  const numbers: readonly (readonly [path: readonly string[], from: FieldValue, to: FieldValue])[] = [
    asideOf(REPLICAS_PATH, fresh.workload.replicas, restore?.replicas),
    asideOf(MAX_UNAVAILABLE_PATH, fresh.workload.maxUnavailable, restore?.maxUnavailable),
    // A partition that the branch has lost is no reason to take that of the render away.
    [PARTITION_PATH, fresh.workload.partition ?? ABSENT, partition ?? fresh.workload.partition ?? ABSENT],
  ];
  const template = isAborted ? RELEASE_PATHS.map((path): Edit => ({ kind: 'restore', path, source: before.text })) : [];
  const name = `${after?.file ?? ''}: LeaderWorkerSet ${before.object.name}`;
  return {
    edits: [
      ...markEdits(fresh.workload.marks, marks),
      ...annotationsKept({ before, after }, [INTENT.abort]),
      ...numbers.flatMap(([path, from, to]) => fieldEdit({ path, from, to })),
      ...template,
    ],
    notes: [
      ...(isAborted ? [`${name} brings a release that was aborted: the template of the branch stays`] : []),
      ...(fresh.workload.partition === undefined ? [`${name} is rendered without a partition. ${SENTINEL}`] : []),
    ],
  };
}

/** A number of the user's that the delivery has changed; one that the render changes as well is the user's newer one. */
function asideOf(
  path: readonly string[],
  now: FieldValue | undefined,
  aside: { readonly was: FieldValue | undefined; readonly set: FieldValue } | undefined,
): readonly [path: readonly string[], from: FieldValue, to: FieldValue] {
  const from = now ?? ABSENT;
  const isUsers = aside === undefined || !sameValue(from, aside.was ?? ABSENT);
  return [path, from, isUsers ? from : aside.set];
}

/** Orders and brakes of people that stand on the Rollout, until they are done. */
function rolloutEdits({ before, after }: Pair): Edited | Issue | undefined {
  const orders = Object.values(INTENT).filter((key) => annotationIn(before, key) !== undefined);
  if (orders.length === 0) return undefined;
  if (after === undefined) return issue(before, ['metadata', 'name'], LOST);
  const isPaused = orders.includes(INTENT.paused) && at(before.value, PAUSED) === true;
  const paused: readonly Edit[] =
    isPaused && at(after.value, PAUSED) !== true ? [{ kind: 'set', path: PAUSED, value: true }] : [];
  return { edits: [...annotationsKept({ before, after }, orders), ...paused], notes: [] };
}

/** Those of these annotations that the branch has and the render does not. */
function annotationsKept({ before, after }: Required<Pair>, keys: readonly string[]): readonly Edit[] {
  return keys.flatMap((key): readonly Edit[] => {
    const value = annotationIn(before, key);
    const isThere = after !== undefined && annotationIn(after, key) !== undefined;
    const path = ['metadata', 'annotations', key];
    return isThere || typeof value !== 'string' ? [] : [{ kind: 'set', path, value }];
  });
}

function annotationIn({ value }: ManifestDocument, key: string): Json | undefined {
  return at(value, ['metadata', 'annotations', key]);
}

type Text = Pick<Issue, 'reason' | 'message' | 'hint'>;

const SENTINEL =
  'Write partition: 1000000 in its source, so that a render that is committed without carry restarts nothing.';
const UNREAD: Text = { reason: 'WrongType', message: 'it cannot be read', hint: 'Correct the file.' };
const LOST: Text = {
  reason: 'WorkloadMissing',
  message: 'tranche has written in it, and the rendered files do not have it',
  hint: 'Render it under the same name and namespace. To remove it on purpose, run tranche eject first.',
};
const TWICE: Text = {
  reason: 'ObjectTwice',
  message: 'tranche has written in one of this name, and here is another: which of them an agent applies is not known',
  hint: 'Leave one of the two, in the files of the branch and in the rendered ones.',
};
const OTHER_OBJECTS: Text = {
  reason: 'NotSupportedYet',
  message: 'the delivery has a second LeaderWorkerSet, or has changed a Service or a route, and carry knows neither',
  hint: 'Commit the render once the delivery has settled or was aborted.',
};

function issue(document: ManifestDocument, path: readonly string[], { reason, message, hint }: Text): Issue {
  const { file, object } = document;
  const what = `${object.kind} ${object.name}: ${message}`;
  return { file, line: document.lineOf(path), path: path.join('.'), reason, message: what, hint };
}
