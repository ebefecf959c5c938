/**
 * Computes which files of the repository a kustomize folder is built from, and refuses what no build may follow: before
 * anything runs, because kustomize fetches addresses and, without restrictions, reads any file of the machine.
 */

import type { Issue } from '../api/issue.ts';
import type { KnownTexts } from './known-texts.ts';
import { SHORTEN, shownEntry, TOO_LONG } from './kustomize-entries.ts';
import { referencesOf } from './kustomize-references.ts';
import type { Reference, References, Refusal } from './kustomize-rules.ts';
import { referencesOfTransformers } from './kustomize-transformers.ts';
import { MAX_CLOSURE_CHARACTERS, MAX_CLOSURE_FILES, MAX_CLOSURE_LEVELS } from './limits.ts';
import { isKustomizationFile, type ManifestDocument, parseManifestFile } from './parse-file.ts';
import { pathText } from './path-text.ts';
import { folderOf, isTooLong } from './paths.ts';

/** A file of the repository as it was read. */
export type ClosureFile =
  | { readonly kind: 'text'; readonly path: string; readonly oid: string; readonly text: string }
  /** Over the size limit, a link, or not UTF-8. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly why: string };

/** What is known of the repository so far. */
export type Looked = {
  /** Paths that were looked for; what is not among `files` then is no file. */
  readonly paths: ReadonlySet<string>;
  readonly files: ReadonlyMap<string, ClosureFile>;
  /** How their texts read: each look, and each folder that shares a base, meets the same ones again. */
  readonly known?: KnownTexts;
};

/** What an object of an agent adds to the folder that it applies: the files that say so, and what they name. */
export type ClosurePart = References & { readonly document: ManifestDocument; readonly files: readonly string[] };

type Text = Extract<ClosureFile, { readonly kind: 'text' }>;

export type Closure =
  /** Look for these first. */
  | { readonly kind: 'open'; readonly paths: readonly string[] }
  /** With what was read all the same: it tells what the folder is about. */
  | { readonly kind: 'refused'; readonly issues: readonly Issue[]; readonly files: readonly Text[] }
  | {
      readonly kind: 'whole';
      /** The folder that is built. */
      readonly root: string;
      /** Sorted by path. */
      readonly files: readonly Text[];
      /** Folders of its kustomizations, the root first. */
      readonly folders: readonly string[];
    };

/** Of which names the file of a kustomization is: kustomize refuses a folder with two of them. */
const NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Paths at which the kustomization of a folder may be. */
export function kustomizationsAt(folder: string): readonly string[] {
  return NAMES.map((name) => (folder === '' ? name : `${folder}/${name}`));
}

/** The closure of the kustomization in `root`, as far as `looked` says; asked again with more until it is not open. */
export function closureOf(root: string, looked: Looked, part?: ClosurePart): Closure {
  if (isTooLong(root)) return { kind: 'refused', issues: [issueAt(shownEntry(root), TOO_LONG, SHORTEN)], files: [] };
  const walk = new Walk(root, looked);
  walk.folder(root, undefined);
  if (part !== undefined) walk.part(part);
  walk.rest();
  return walk.answer();
}

/** Who names something: the file, the line and the field. What the folder that is built names itself is of level 1. */
type From = { readonly document: ManifestDocument; readonly reference: Reference; readonly level: number };

/** One walk over what is known; it holds what it has found, and is dropped with its answer. */
class Walk {
  private readonly root: string;
  private readonly looked: Looked;
  private readonly files = new Map<string, Text>();
  private readonly folders: string[] = [];
  private readonly unseen = new Set<string>();
  private readonly issues: Issue[] = [];
  private readonly pending: From[] = [];

  constructor(root: string, looked: Looked) {
    this.root = root;
    this.looked = looked;
  }

  answer(): Closure {
    const files = [...this.files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    const characters = files.reduce((sum, { text }) => sum + text.length, 0);
    if (files.length + this.unseen.size > MAX_CLOSURE_FILES || characters > MAX_CLOSURE_CHARACTERS)
      return { kind: 'refused', issues: [tooMuch(this.root)], files };
    if (this.unseen.size > 0) return { kind: 'open', paths: [...this.unseen].sort() };
    if (this.issues.length > 0) return { kind: 'refused', issues: this.issues, files };
    return { kind: 'whole', root: this.root, files, folders: this.folders };
  }

  /** Each reference once, breadth first. */
  rest(): void {
    for (const from of this.pending) {
      if (this.files.size > MAX_CLOSURE_FILES) return;
      this.follow(from);
    }
  }

  part({ document, references, refusals, files }: ClosurePart): void {
    for (const path of files) {
      const file = this.looked.files.get(path);
      if (file?.kind === 'text') this.files.set(path, file);
    }
    this.issues.push(...refusals.map((refusal) => refusedAt(document, refusal)));
    for (const reference of references) this.pending.push({ document, reference, level: 1 });
  }

  /** The kustomization of a folder, and what it names; true: there is one, or nobody has looked yet. */
  folder(folder: string, from: From | undefined): boolean {
    if (this.folders.includes(folder)) return true;
    const candidates = kustomizationsAt(folder);
    if (!this.known(candidates)) return true;
    const there = candidates.flatMap((path) => this.looked.files.get(path) ?? []);
    const [file] = there;
    if (file === undefined) {
      if (from === undefined) this.issues.push(issueAt(folder, 'has no kustomization', 'Name a folder that has one.'));
      return false;
    }
    this.folders.push(folder);
    if (there.length > 1)
      this.issues.push(issueAt(file.path, 'is not the only kustomization of its folder', 'Remove all but one.'));
    if (this.take(file, from)) this.kustomization(file, (from?.level ?? 0) + 1);
    return true;
  }

  private kustomization({ path, text }: Text, level: number): void {
    const { documents, issues } = parseManifestFile(path, text, 'everything', this.looked.known);
    this.issues.push(...issues);
    const [document] = documents;
    if (issues.length > 0) return;
    if (document === undefined || documents.length > 1) {
      this.issues.push(issueAt(path, 'is not one document', 'Write one kustomization into the file.'));
      return;
    }
    const { references, refusals } = referencesOf(document);
    this.issues.push(...refusals.map((refusal) => refusedAt(document, refusal)));
    for (const reference of references) this.pending.push({ document, reference, level });
  }

  private follow(from: From): void {
    const { path, kind } = from.reference;
    if (from.level > MAX_CLOSURE_LEVELS) {
      this.issues.push(tooDeep(from));
      return;
    }
    if (kind !== 'folder') {
      if (!this.known([path])) {
        // Both at once: one look less.
        if (kind === 'either') this.known(kustomizationsAt(path));
        return;
      }
      const file = path === '' ? undefined : this.looked.files.get(path);
      if (file !== undefined) {
        if (this.take(file, from) && kind === 'transformers') this.transformers(file, from);
        return;
      }
    }
    if ((kind === 'either' || kind === 'folder') && this.folder(path, from)) return;
    this.issues.push(missing(from));
  }

  private transformers(file: Text, { document, reference, level }: From): void {
    const folder = folderOf(document.file);
    const found = referencesOfTransformers({ file: file.path, text: file.text, folder });
    this.issues.push(...found.refusals.map((refusal) => refusedAt(document, { ...refusal, at: reference.at })));
    for (const one of found.references)
      this.pending.push({ document, reference: { ...one, at: reference.at }, level: level + 1 });
  }

  /** Adds a file; false: it cannot be read as text. */
  private take(file: ClosureFile, from: From | undefined): file is Text {
    if (file.kind === 'text') {
      this.files.set(file.path, file);
      return true;
    }
    const what = `takes ${file.path}, which cannot be read: ${file.why}`;
    const hint = 'Take what is text of this repository.';
    this.issues.push(
      from === undefined
        ? issueAt(file.path, `cannot be read: ${file.why}`, hint)
        : refusedAt(from.document, { at: from.reference.at, what, hint }),
    );
    return false;
  }

  /** Whether all of these were looked for; those that were not are to be. */
  private known(paths: readonly string[]): boolean {
    const unknown = paths.filter((path) => path !== '' && !this.looked.paths.has(path));
    for (const path of unknown) this.unseen.add(path);
    return unknown.length === 0;
  }
}

function refusedAt(document: ManifestDocument, { at, what, hint }: Refusal): Issue {
  const { file, object } = document;
  const isFlux = object.apiVersion.startsWith('kustomize.toolkit.fluxcd.io/');
  const own = object.kind === 'Component' ? 'the component' : 'the kustomization';
  const by = isFlux ? `the Flux Kustomization ${object.name}` : own;
  const message = `${by} ${what}`;
  return { file, line: document.lineOf(at), path: pathText(at), reason: 'UnsupportedLayout', message, hint };
}

function missing({ document, reference }: From): Issue {
  const { path, kind } = reference;
  const wanted =
    kind === 'folder'
      ? 'a folder with a kustomization'
      : kind === 'either'
        ? 'a file or a folder with a kustomization'
        : 'a file';
  return refusedAt(document, {
    at: reference.at,
    what: `takes ${path === '' ? 'the root of the repository' : path}, which is not ${wanted}`,
    hint: 'Correct the path, or commit what is missing.',
  });
}

function tooDeep({ document, reference }: From): Issue {
  return refusedAt(document, {
    at: reference.at,
    what: `takes ${reference.path}, which is deeper than ${MAX_CLOSURE_LEVELS} levels of bases, the limit`,
    hint: 'Let it name that base from nearer to the folder that is built.',
  });
}

function issueAt(path: string, what: string, hint: string): Issue {
  const file = isKustomizationFile(path) ? path : '';
  const subject = file === '' ? `the folder ${path === '' ? '.' : path} ` : 'the file ';
  return { file, line: file === '' ? 0 : 1, path: '', reason: 'UnsupportedLayout', message: subject + what, hint };
}

function tooMuch(root: string): Issue {
  return issueAt(
    root,
    `takes more than ${MAX_CLOSURE_FILES} files or ${MAX_CLOSURE_CHARACTERS} characters, the limit`,
    'Split it: name the folder of one cluster alone.',
  );
}
