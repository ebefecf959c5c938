/** The edits of a rung as changes of objects: each with all that it was, and all that it is to be. */

import { type JsonObject, jsonEqual } from '../../api/json.ts';
import { MARK } from '../../api/marks.ts';
import type { ObjectChange, WorkloadPart } from '../edits/change.ts';
import { markEdits } from '../edits/change-edits.ts';
import type { DocumentEdit, Edit, ObjectEdits, ObjectRef } from '../edits/edit.ts';
import { editedValue } from '../edits/edited-value.ts';
import type { RouteDocument } from '../traffic/provider.ts';
import type { Delivery } from './delivery.ts';

/**
 * The user's LeaderWorkerSet first, with its marks and, where the stable template is put back, with that by its digest.
 * undefined: what an object would be cannot be worked out, so that nobody could check it.
 */
export function changesOf(
  delivery: Delivery,
  objects: readonly ObjectEdits[],
  part: WorkloadPart,
): readonly ObjectChange[] | undefined {
  const { own } = delivery;
  const isOwn = ownIn(delivery);
  const ownEdits = objects.filter(isOwn).flatMap(({ edits }) => edits.filter((edit) => !isOfPart(edit)));
  const first = changeOf(delivery, { file: own.file, object: own.object, edits: ownEdits }, part);
  const others = otherChangesOf(delivery, objects);
  return first === undefined || others === undefined ? undefined : [first, ...others];
}

/** Those of all objects but the user's LeaderWorkerSet; undefined: what one of them would be cannot be worked out. */
export function otherChangesOf(
  delivery: Delivery,
  objects: readonly ObjectEdits[],
): readonly ObjectChange[] | undefined {
  const isOwn = ownIn(delivery);
  const all = objects.filter((one) => !isOwn(one)).map((one) => changeOf(delivery, one, undefined));
  const known = all.filter((change) => change !== undefined);
  return known.length < all.length ? undefined : known;
}

function ownIn({ own }: Delivery): (of: Pick<ObjectEdits, 'file' | 'object'>) => boolean {
  return ({ file, object }) => file === own.file && jsonEqual(object, own.object);
}

const OWN_MARKS: readonly string[] = Object.values(MARK);

/** Marks, and the template that is put back into the user's own document: the change says them by themselves. */
function isOfPart(edit: Edit): boolean {
  if (edit.kind === 'restore') return edit.of === undefined;
  const [metadata, annotations, key] = edit.path;
  return metadata === 'metadata' && annotations === 'annotations' && OWN_MARKS.some((mark) => mark === key);
}

function changeOf(
  delivery: Delivery,
  { file, object, edits, document }: ObjectEdits,
  workload: WorkloadPart | undefined,
): ObjectChange | undefined {
  const made = document?.kind === 'copy' ? document : undefined;
  if (document !== undefined && made === undefined) return undefined;
  const from = documentOf(delivery, made === undefined ? object : made.of);
  if (from === undefined) return undefined;
  const marks = workload === undefined ? [] : markEdits(workload.marks.from, workload.marks.to);
  const named: readonly Edit[] =
    made === undefined ? [] : [{ kind: 'set', path: ['metadata', 'name'], value: object.name }];
  const to = editedValue(from.value, [...named, ...marks, ...edits], (edit) =>
    edit.source === delivery.own.text ? delivery.own.value : undefined,
  );
  return to === undefined
    ? undefined
    : { kind: 'exact', file, object, edits, ...madeOf(made), from: from.value, to, ...partOf(workload) };
}

function madeOf(document: Extract<DocumentEdit, { readonly kind: 'copy' }> | undefined) {
  return document === undefined ? {} : { document };
}

function partOf(workload: WorkloadPart | undefined) {
  return workload === undefined ? {} : { workload };
}

/** A document that the delivery has read. */
function documentOf(
  { own, second, scaler, service, canaryService, routes }: Delivery,
  object: ObjectRef,
): (Pick<RouteDocument, 'object'> & { readonly value: JsonObject }) | undefined {
  const all = [own, second, scaler, service, canaryService, ...routes.flatMap(({ route, canary }) => [route, canary])];
  return all.find((one) => one !== undefined && jsonEqual(one.object, object));
}
