/** What a plan wants changed in the user's files, as data. `manifests` turns it into bytes. */

export type FieldPath = readonly string[];

export type Edit =
  /** The scalar at `path` becomes `value`; missing parents and the key itself are inserted. */
  | { readonly kind: 'set'; readonly path: FieldPath; readonly value: string | number | boolean }
  /** The key goes, with its line and with the parents that it leaves empty. No key: nothing to do. */
  | { readonly kind: 'remove'; readonly path: FieldPath }
  /**
   * The node at `path` becomes what it is in `source`, the text of another version of the same document:
   * byte for byte, moved to this file's indentation. Absent there: removed here.
   */
  | { readonly kind: 'restore'; readonly path: FieldPath; readonly source: string };

/** Names one object of the repository. An empty namespace: the manifest names none. */
export type ObjectRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

/** The document as a whole: out of its file, or back into it. `note` is the comment line that stands in its place. */
export type DocumentEdit =
  | { readonly kind: 'remove'; readonly note: string }
  /** `source` is the text of the document, byte for byte; `edits` are then made in it. */
  | { readonly kind: 'insert'; readonly note: string; readonly source: string };

export type ObjectEdits = {
  /** The file, relative to the root of the repository. */
  readonly file: string;
  /** Which document of it: as written there, so the namespace may be empty. */
  readonly object: ObjectRef;
  readonly edits: readonly Edit[];
  readonly document?: DocumentEdit | undefined;
};
