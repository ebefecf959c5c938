/** Documents that tranche has made next to a workload at rest: no render knows them, and with one that serves all requests would go. */

import type { Issue } from '../../api/issue.ts';
import { at, isJsonObject, type JsonObject, jsonEqual } from '../../api/json.ts';
import { LWS_KIND, SERVICE_KIND } from '../../api/kinds.ts';
import { LWS_NAME } from '../../api/lws-labels.ts';
import { MADE_FOR, MARK } from '../../api/marks.ts';
import { refusedGroup } from '../../api/route-groups.ts';
import { REPLICAS_PATH } from '../../api/workload-paths.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import type { Edit, ObjectEdits } from '../../rollout/edits/edit.ts';
import { madeFor } from '../documents/manifest-index.ts';
import { namesIn } from '../documents/names-in.ts';
import { annotationIn } from './fields.ts';
import { carryIssue } from './issues.ts';

type Texts = ReadonlyMap<string, string>;
type Documents = readonly ManifestDocument[];
type Sides = { readonly old: Documents; readonly fresh: Documents };
type Made = { readonly document: ManifestDocument; readonly owner: ManifestDocument };

const SELECTOR = ['spec', 'selector', LWS_NAME];
const NAME = ['metadata', 'name'];

/** Each made document is inserted where its model stands in the render; a Service that selects a made workload goes on to do so. */
export function madeEdits(before: Texts, after: Texts): readonly (ObjectEdits | Issue)[] {
  const texts = [...before].filter(([, text]) => text.includes(MADE_FOR));
  if (texts.length === 0) return [];
  const old = documentsIn(before);
  const sides = { old, fresh: documentsIn(after) };
  return old.flatMap((document) => {
    const name = madeFor(document);
    if (name === undefined) return selectorEdits(document, sides);
    if (!mayBeMade(document)) return [carryIssue(document, ['metadata', 'annotations', MADE_FOR], 'notMade')];
    const owner = old.find((one) => one.object.kind === LWS_KIND && isNamed(one, { ...document.object, name }));
    const isStepped = owner !== undefined && annotationIn(owner, MARK.release) !== undefined;
    if (!isStepped) return [carryIssue(document, ['metadata', 'annotations', MADE_FOR], 'orphan')];
    return insertion({ document, owner }, sides);
  });
}

/** Of whatever kind; what cannot be read is an issue of the workloads, or of no interest. */
function documentsIn(texts: Texts): Documents {
  return [...texts].flatMap(([file, text]) => parseManifestFile(file, text, 'everything').documents);
}

/** A render takes away what a hand has put onto its branch: an annotation is no way to have it put there again each time. */
function mayBeMade({ object: { apiVersion, kind } }: ManifestDocument): boolean {
  return kind === LWS_KIND || refusedGroup(apiVersion.split('/')[0] ?? '', kind) === undefined;
}

function isNamed({ object }: ManifestDocument, { name, namespace }: ManifestDocument['object']): boolean {
  return object.name === name && object.namespace === namespace;
}

function sameIn(documents: Documents, document: ManifestDocument): ManifestDocument | undefined {
  return documents.find((one) => one.object.kind === document.object.kind && isNamed(one, document.object));
}

function insertion({ document, owner }: Made, { old, fresh }: Sides): readonly (ObjectEdits | Issue)[] {
  const there = sameIn(fresh, document);
  if (there !== undefined) return isCarried(there, document) ? [] : [carryIssue(there, NAME, 'taken')];
  const beside = sameIn(fresh, modelOf(document, old) ?? owner) ?? sameIn(fresh, owner);
  if (beside === undefined) return [];
  const { object, text: source } = document;
  const edits = groupsEdits({ document, owner }, sameIn(fresh, owner));
  return [{ file: beside.file, object, edits, document: { kind: 'insert', note: '', source } }];
}

/** The document that stands before it and that is somebody's own: it is a copy of that. */
function modelOf({ file, index, object }: ManifestDocument, old: Documents): ManifestDocument | undefined {
  return old.findLast(
    (one) => one.file === file && one.index < index && one.object.kind === object.kind && madeFor(one) === undefined,
  );
}

/** Carried before: only the number of groups follows the render. */
function isCarried(there: ManifestDocument, document: ManifestDocument): boolean {
  return jsonEqual(withoutGroups(there.value), withoutGroups(document.value));
}

function withoutGroups(value: JsonObject): JsonObject {
  const spec = at(value, ['spec']);
  if (!isJsonObject(spec)) return value;
  const { replicas: _, ...rest } = spec;
  return { ...value, spec: rest };
}

/** Green serves: the groups that the render asks for are its own. */
function groupsEdits({ document, owner }: Made, fresh: ManifestDocument | undefined): readonly Edit[] {
  const asked = fresh === undefined ? undefined : at(fresh.value, REPLICAS_PATH);
  const serves = document.object.kind === LWS_KIND && annotationIn(owner, MARK.serves) === 'green';
  const isAsked = serves && typeof asked === 'number' && asked !== at(document.value, REPLICAS_PATH);
  return isAsked ? [{ kind: 'set', path: REPLICAS_PATH, value: asked }] : [];
}

/** The user's own Service, which selects the colour that serves. Anything else of the user's that names a made workload is not known. */
function selectorEdits(document: ManifestDocument, { old, fresh }: Sides): readonly (ObjectEdits | Issue)[] {
  const made = old.filter((one) => one.object.kind === LWS_KIND && madeFor(one) !== undefined);
  const named = made.find(
    (one) => one.object.namespace === document.object.namespace && namesIn(document, one.object.name),
  );
  if (named === undefined || document.object.kind === 'Rollout') return [];
  if (document.object.kind !== SERVICE_KIND || at(document.value, SELECTOR) !== named.object.name)
    return [carryIssue(document, NAME, 'otherObjects')];
  const there = sameIn(fresh, document);
  if (there === undefined) return [carryIssue(document, NAME, 'lost')];
  const selected = at(there.value, SELECTOR);
  if (selected === named.object.name) return [];
  if (selected !== madeFor(named)) return [carryIssue(there, SELECTOR, 'otherObjects')];
  const { file, object } = there;
  return [{ file, object, edits: [{ kind: 'set', path: SELECTOR, value: named.object.name }] }];
}
