/** The ways of making one edit, and the place that it means. */

import type { Edit, EditPath, PlacedEdit } from '../../rollout/edits/edit.ts';
import type { ManifestDocument } from '../parse-file.ts';
import type { Change } from './change.ts';
import { misfit } from './choose.ts';
import { insertItem } from './insert-item.ts';
import { type Located, locate } from './locate.ts';
import { removeField } from './remove-field.ts';
import { removeItem } from './remove-item.ts';
import { restoreField } from './restore-field.ts';
import { setField } from './set-field.ts';
import type { Sources } from './sources.ts';

const FORBIDDEN_SEGMENTS: ReadonlySet<string> = new Set(['', '__proto__', 'constructor', 'prototype']);

/** The edit with every item named by its place, or why it means none. */
export function placed(document: ManifestDocument, edit: Edit): Located {
  if (!isForbidden(edit.path)) return locate(document, edit);
  return misfit(document.file, document.object, {
    reason: 'UnsupportedEdit',
    what: `no field can have the path ${JSON.stringify(edit.path)}`,
  });
}

function isForbidden(path: EditPath): boolean {
  return path.length === 0 || path.some((part) => FORBIDDEN_SEGMENTS.has(typeof part === 'string' ? part : part.key));
}

/** The ways of making one edit, the most faithful first. */
export function changesFor(document: ManifestDocument, edit: PlacedEdit, sources: Sources): readonly Change[] {
  switch (edit.kind) {
    case 'set':
      return [setField(document, edit)];
    case 'remove':
      return [removeField(document, edit.path, 'leave')];
    case 'insertItem':
      return [insertItem(document, edit)];
    case 'removeItem':
      return [removeItem(document, edit)];
    case 'restore':
      break;
  }
  return restoreField(document, edit, sources(document, edit));
}
