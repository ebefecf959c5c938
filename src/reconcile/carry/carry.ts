/**
 * Carries a delivery into freshly rendered manifests: what tranche has written on a branch that a pipeline renders again
 * would be lost with the next render, and a lost partition releases every group for update. Pure; knows no Git and no cluster.
 */

import { INTENT } from '../../api/intents.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { MARK } from '../../api/marks.ts';
import { isOfOtherWorkload, LWS_API_VERSION } from '../../api/rollout.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { applyEdits } from '../../manifests/splice/apply-edits.ts';
import type { Edit, ObjectEdits } from '../../rollout/edits/edit.ts';
import { noteOf } from '../../rollout/edits/out-of-file.ts';
import { readWorkload } from '../documents/read-workload.ts';
import { annotationIn, annotationsKept, type Edited, type Pair, steppedEdits } from './fields.ts';
import { carryIssue } from './issues.ts';
import { madeEdits } from './made.ts';

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

/**
 * `before` is the branch as it is, `after` what is to be committed on it. Each LeaderWorkerSet that tranche steps gets its
 * annotations, its partition, and the numbers that the delivery has put aside; where the render brings a release that was
 * aborted, the template of the branch stays. A Rollout gets the orders that stand on it, and what tranche has made next to a
 * workload comes along. All else is as rendered. Refused:
 * what cannot be read, a workload that the render has lost or that is there twice, and a delivery that has changed other
 * objects.
 */
export function carryOver(before: Texts, after: Texts): Carried {
  const old = documentsIn(before);
  const fresh = documentsIn(after);
  const issues = [...old.issues, ...fresh.issues, ...outOfFile(before, fresh.documents)];
  const texts = new Map<string, string>();
  const notes: string[] = [];
  const planned: ObjectEdits[] = [];
  for (const document of old.documents) {
    const [, twin] = sameAs(document, old.documents);
    const [there, another] = sameAs(document, fresh.documents);
    const pair = { before: document, after: there };
    const edited = document.object.kind === LWS_KIND ? workloadEdits(pair) : rolloutEdits(pair);
    if (edited === undefined) continue;
    const twice = twin ?? another;
    if ('reason' in edited) issues.push(edited);
    else if (twice !== undefined) issues.push(carryIssue(twice, ['metadata', 'name'], 'twice'));
    else if (there !== undefined) {
      planned.push({ file: there.file, object: there.object, edits: edited.edits });
      notes.push(...edited.notes);
    }
  }
  for (const edits of [...planned, ...madeEdits(before, after)]) {
    const made = 'reason' in edits ? edits : applyEdits(texts.get(edits.file) ?? after.get(edits.file) ?? '', edits);
    if ('reason' in made) issues.push(made);
    else if (made.kind === 'refused') issues.push(made.issue);
    else if (made.text !== after.get(edits.file)) texts.set(edits.file, made.text);
  }
  return issues.length > 0 ? { kind: 'refused', issues } : { kind: 'ok', texts, notes };
}

function documentsIn(texts: Texts): { readonly documents: readonly ManifestDocument[]; readonly issues: Issue[] } {
  const files = [...texts].map(([file, text]) => parseManifestFile(file, text, KINDS));
  const documents = files.flatMap((file) => file.documents).filter(isOurs);
  return { documents, issues: files.flatMap((file) => file.issues) };
}

/** Rendered again while their delivery re-creates them: back in the files, they would be created before they are gone. */
function outOfFile(before: Texts, fresh: readonly ManifestDocument[]): readonly Issue[] {
  const lines = new Set([...before.values()].flatMap((text) => text.split(/\r?\n/)));
  const out = fresh.filter(({ object }) => object.kind === LWS_KIND && lines.has(`# ${noteOf(object)}`));
  return out.map((document) => carryIssue(document, ['metadata', 'name'], 'outOfFile'));
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
  if (old.workload === undefined || unread !== undefined)
    return unread ?? old.issues[0] ?? carryIssue(before, [], 'unread');
  const { marks } = old.workload.workload;
  if (marks === undefined) return isMarked(before) ? (old.issues[0] ?? carryIssue(before, [], 'unread')) : undefined;
  if (after === undefined) return carryIssue(before, ['metadata', 'name'], 'lost');
  const isLarger = marks.at !== undefined || marks.restore?.objects !== undefined;
  if (isLarger) return carryIssue(before, ['metadata', 'annotations', MARK.restore], 'otherObjects');
  const fresh = readWorkload(after).workload;
  if (fresh === undefined) return readWorkload(after).issues[0] ?? carryIssue(after, [], 'unread');
  return steppedEdits(old.workload, fresh, { before, after });
}

/** An annotation that was taken out of a delivery leaves others behind: its partition is still that of a step. */
function isMarked(document: ManifestDocument): boolean {
  return Object.values(MARK).some((key) => annotationIn(document, key) !== undefined);
}

/** Orders and brakes of people that stand on the Rollout, until they are done. */
function rolloutEdits({ before, after }: Pair): Edited | Issue | undefined {
  const orders = Object.values(INTENT).filter((key) => annotationIn(before, key) !== undefined);
  if (orders.length === 0) return undefined;
  if (after === undefined) return carryIssue(before, ['metadata', 'name'], 'lost');
  const isPaused = orders.includes(INTENT.paused) && at(before.value, PAUSED) === true;
  const paused: readonly Edit[] =
    isPaused && at(after.value, PAUSED) !== true ? [{ kind: 'set', path: PAUSED, value: true }] : [];
  return { edits: [...annotationsKept({ before, after }, orders), ...paused], notes: [] };
}
