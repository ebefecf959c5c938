/** Reads a file of manifests: which documents it has, which of them concern us, and what is wrong with those. */

import type { Issue } from '../api/issue.ts';
import { at, isJsonObject, type JsonObject } from '../api/json.ts';
import { ANALYSIS_KIND, POLICY_KIND, POLICY_TEST_KIND, ROUTE_PROVIDER_KIND } from '../api/kinds.ts';
import type { FieldPath, ObjectRef } from '../rollout/edits/edit.ts';
import { identityOf } from './identity.ts';
import type { KnownTexts, ReadText } from './known-texts.ts';
import { MAX_DOCUMENTS, MAX_FILE_CHARACTERS, MAX_FILE_WORK, MAX_SYNTAX_ISSUES } from './limits.ts';
import { lineBreak } from './lines.ts';
import { itemOfList, objectInList } from './listed-objects.ts';
import { type Ambiguous, type ParsedDocument, parseDocumentText } from './parse-document.ts';
import { fileTooLarge, listIssue, notAnObject, tooManyDocuments, tooMuchWork } from './parse-issues.ts';
import { find, type SourceMap, type SourceNode } from './source-tree.ts';
import { type DocumentSlice, splitDocuments } from './split-documents.ts';

export type ManifestDocument = {
  readonly file: string;
  /** Place among the documents of the file, from 0. */
  readonly index: number;
  /** Offsets of `text` in the text of the file. */
  readonly start: number;
  readonly end: number;
  /** 1-based line of the file on which `text` starts. */
  readonly firstLine: number;
  /** As written: no namespace in the manifest is an empty namespace. */
  readonly object: ObjectRef;
  readonly text: string;
  /** The line break of the file. */
  readonly lineBreak: '\n' | '\r\n';
  /** What Kubernetes reads, with aliases followed and merge keys merged. */
  readonly value: JsonObject;
  readonly root: SourceMap;
  /** Places that YAML readers take differently; `value` has Kubernetes' reading. */
  readonly ambiguous: readonly Ambiguous[];
  /** A line for each key that stands in one map twice; `value` has the last. No edit is made of it as it is. */
  readonly twice: readonly Issue[];
  /** The 1-based line of the field, or of the nearest parent that is written down. */
  readonly lineOf: (path: FieldPath) => number;
  /** What `text` was read as, wherever it stands. */
  readonly read: ReadText;
};

export type ManifestFile = {
  readonly file: string;
  readonly text: string;
  readonly documents: readonly ManifestDocument[];
  /** Documents that are of no interest: not parsed, or of another kind. */
  readonly others: readonly DocumentSlice[];
  readonly issues: readonly Issue[];
};

/** The kinds that are read; `everything` for a file that is all ours, whatever its kinds. */
type Interests = readonly string[] | 'everything';

const KUSTOMIZATION_NAMES: ReadonlySet<string> = new Set(['kustomization.yaml', 'kustomization.yml', 'Kustomization']);

/**
 * Parses only documents whose text names a wanted kind, so a repository of thousands of other files costs a text
 * search each. Issues are those of wanted documents, and of documents that may be wanted but cannot be read.
 */
export function parseManifestFile(file: string, text: string, interests: Interests, known?: KnownTexts): ManifestFile {
  const wanted = isKustomizationFile(file) ? 'everything' : interests;
  const nothing = { file, text, documents: [], others: [], issues: [] };
  if (!mentions(text, wanted)) return nothing;
  if (text.length > MAX_FILE_CHARACTERS) return { ...nothing, issues: [fileTooLarge(file, text.length)] };
  const documents: ManifestDocument[] = [];
  const others: DocumentSlice[] = [];
  const issues: Issue[] = [];
  let interpreted = 0;
  let work = 0;
  for (const slice of splitDocuments(file, text)) {
    const body = text.slice(slice.start, slice.end);
    if (!mentions(body, wanted)) {
      others.push(slice);
      continue;
    }
    if (interpreted >= MAX_DOCUMENTS) {
      issues.push(tooManyDocuments(file, slice.firstLine));
      break;
    }
    if (work > MAX_FILE_WORK) {
      issues.push(tooMuchWork(file, slice.firstLine));
      break;
    }
    const parsed = parseDocumentText({ file, text: body, firstLine: slice.firstLine, doubt: slice.doubt }, known);
    work += parsed.work;
    const read = interpret({ file, slice, body, fileBreak: lineBreak(text), wanted, parsed });
    if (read.kind === 'document') documents.push(read.document);
    else others.push(slice);
    // One that is wrong was interpreted as well: a file has this many faults at most.
    if (read.kind !== 'other') interpreted += 1;
    if (read.kind === 'wrong') issues.push(...read.issues);
  }
  return { file, text, documents, others, issues };
}

/**
 * The same file with documents that keep no tree: where one is asked for, the text is parsed again, and `known` keeps
 * what was asked for last. A tree takes fifteen times the room of its text.
 */
export function withoutTrees(file: ManifestFile, known: KnownTexts): ManifestFile {
  return { ...file, documents: file.documents.map((document) => withoutTree(document, known)) };
}

function withoutTree(document: ManifestDocument, known: KnownTexts): ManifestDocument {
  const { root: _root, read: _read, lineOf: _lineOf, ...kept } = document;
  const { file, text, firstLine } = kept;
  const again = (): { readonly parsed: ParsedDocument & { readonly kind: 'ok' }; readonly root: SourceMap } => {
    const parsed = parseDocumentText({ file, text, firstLine, doubt: undefined }, known);
    if (parsed.kind === 'wrong' || parsed.root.kind !== 'map') throw new Error(`bug: ${file} was a map before`);
    return { parsed, root: parsed.root };
  };
  return {
    ...kept,
    get root() {
      return again().root;
    },
    get read() {
      return again().parsed.read;
    },
    lineOf: (path) => {
      const { parsed, root } = again();
      return lineOfPath(parsed, root, path);
    },
  };
}

/** The file names under which kustomize looks for its own file, in any folder. */
export function isKustomizationFile(file: string): boolean {
  return KUSTOMIZATION_NAMES.has(file.slice(file.lastIndexOf('/') + 1));
}

type Candidate = {
  readonly file: string;
  readonly slice: DocumentSlice;
  readonly body: string;
  readonly fileBreak: ManifestDocument['lineBreak'];
  readonly wanted: Interests;
  readonly parsed: ParsedDocument;
};

type Read =
  | { readonly kind: 'document'; readonly document: ManifestDocument }
  | { readonly kind: 'other' }
  | { readonly kind: 'wrong'; readonly issues: readonly Issue[] };

function interpret({ file, slice, body, fileBreak, wanted, parsed }: Candidate): Read {
  const { firstLine } = slice;
  if (parsed.kind === 'wrong') return mayBeWanted(body, wanted) ? parsed : { kind: 'other' };
  const { root, value, ambiguous, twice } = parsed;
  if (root.kind !== 'map' || !isJsonObject(value)) {
    const issue = wanted === 'everything' ? notAnObject(file, firstLine) : objectInList(file, parsed, wanted);
    return issue === undefined ? { kind: 'other' } : { kind: 'wrong', issues: [issue] };
  }
  const kind = value['kind'];
  if (twice.length > 0 && !isReadable(file, parsed))
    return mayBeWanted(body, wanted) ? { kind: 'wrong', issues: twice.slice(0, MAX_SYNTAX_ISSUES) } : { kind: 'other' };
  if (wanted !== 'everything' && !(typeof kind === 'string' && wanted.includes(kind))) {
    const inside = itemOfList(value, wanted);
    return inside === undefined ? { kind: 'other' } : { kind: 'wrong', issues: [listIssue(file, firstLine, inside)] };
  }
  const lineOf = (path: FieldPath): number => lineOfPath(parsed, root, path);
  const strict = wanted !== 'everything';
  const identity = identityOf({ file, value, lineOf, strict });
  if (identity.kind === 'wrong') return identity;
  const { index, start, end } = slice;
  const document = {
    file,
    index,
    start,
    end,
    firstLine,
    object: identity.object,
    text: body,
    lineBreak: fileBreak,
    value,
    root,
    ambiguous,
    twice,
    lineOf,
    read: parsed.read,
  };
  return { kind: 'document', document };
}

/**
 * The kinds whose documents are not read where a key is there twice, because another reader may take the other one: rules, which
 * only hold by it, and what says how an agent builds. All others are: a workload, the HelmRelease that renders one, a Service, a
 * route of any kind or an autoscaler that counts as missing keeps a rollback waiting for its author, or leaves requests with a
 * release that was aborted.
 */
const READ_WITH_ONE: ReadonlySet<string> = new Set([
  POLICY_KIND,
  POLICY_TEST_KIND,
  ROUTE_PROVIDER_KIND,
  ANALYSIS_KIND,
  'Application',
  'ApplicationSet',
  'Kustomization',
  'Component',
]);

/** What says which object it is must be there once. */
const IDENTITY: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'metadata.name',
  'metadata.namespace',
]);

function isReadable(file: string, { value, twice }: ParsedDocument & { readonly kind: 'ok' }): boolean {
  const kind = at(value, ['kind']);
  // Of a kustomization, and of what runs in one, the other reader is kustomize.
  if (typeof kind !== 'string' || READ_WITH_ONE.has(kind) || isKustomizationFile(file) || file.includes('#'))
    return false;
  return !twice.some(({ path }) => IDENTITY.has(path));
}

function mentions(text: string, wanted: Interests): boolean {
  return wanted === 'everything' || wanted.some((kind) => text.includes(kind));
}

/** For text that does not parse: does a line look as if it set a wanted kind? */
function mayBeWanted(text: string, wanted: Interests): boolean {
  if (wanted === 'everything') return true;
  for (const match of text.matchAll(/\bkind["']?[ \t]*:[ \t]*["']?([A-Za-z]+)/g)) {
    if (wanted.includes(match[1] ?? '')) return true;
  }
  return false;
}

function lineOfPath(parsed: ParsedDocument & { readonly kind: 'ok' }, root: SourceNode, path: FieldPath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const found = find(root, path.slice(0, length));
    if (found.kind === 'found') return parsed.lineAt(found.entry?.keyStart ?? found.node.start);
    if (found.kind === 'blocked') return parsed.lineAt(found.at);
  }
  return parsed.lineAt(root.start);
}
