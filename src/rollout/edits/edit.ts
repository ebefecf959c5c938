/** What a plan wants changed in the user's files, as data. `manifests` turns it into bytes. */

import type { EditPath, FieldPath } from '../../api/field.ts';
import type { Json } from '../../api/json.ts';

export type { EditPath, FieldPath, ItemMatch } from '../../api/field.ts';

type EditOf<Path> =
  /** The scalar at `path` becomes `value`; missing parents and the key itself are inserted. `null`: a patch takes the key out. */
  | { readonly kind: 'set'; readonly path: Path; readonly value: string | number | boolean | null }
  /** The key goes, with its line and with the parents that it leaves empty. No key: nothing to do. */
  | { readonly kind: 'remove'; readonly path: Path }
  /**
   * The node at `path` becomes what it is in `source`, the text of another version of the same document:
   * byte for byte, moved to this file's indentation. Absent there: removed here. `of`: in the document of that name, which
   * this one was made from.
   */
  | { readonly kind: 'restore'; readonly path: FieldPath; readonly source: string; readonly of?: string }
  /**
   * A list gets the item that `path` names: a match goes to the end, is not there yet and holds for `value`; a place
   * is that of the new item. A missing list is inserted with its parents.
   */
  | { readonly kind: 'insertItem'; readonly path: Path; readonly value: Json }
  /** The item that `path` names goes. The only one takes the key of its list along, and parents left empty. */
  | { readonly kind: 'removeItem'; readonly path: Path };

export type Edit = EditOf<EditPath>;

/** The same with every item named by its place in one text. */
export type PlacedEdit = EditOf<FieldPath>;

/** Names one object of the repository. An empty namespace: the manifest names none. */
export type ObjectRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

/** The document as a whole. `note` is the comment line that stands in the place of a document that comes back. */
export type DocumentEdit =
  | { readonly kind: 'remove'; readonly note: string }
  /** `source` is the text of the document, byte for byte; `edits` are then made in it. */
  | { readonly kind: 'insert'; readonly note: string; readonly source: string }
  /**
   * A copy of `of`, right behind it and under the name of the object; `edits` are then made in it. It is copied as it
   * stands in the file, or as in `source`, the text of another version of the file or of the document.
   */
  | { readonly kind: 'copy'; readonly of: ObjectRef; readonly source: string | undefined }
  /** The document goes with its separator and leaves nothing: a copy made and deleted gives the same bytes. */
  | { readonly kind: 'delete' };

export type ObjectEdits = {
  /** The file, relative to the root of the repository. */
  readonly file: string;
  /** Which document of it: as written there, so the namespace may be empty. */
  readonly object: ObjectRef;
  readonly edits: readonly Edit[];
  readonly document?: DocumentEdit | undefined;
};
