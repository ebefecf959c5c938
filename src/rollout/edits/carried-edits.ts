/** The edits that a commit makes in a Flux HelmRelease: its inputs as another version has them, and the entry of ours. */

import { type FieldValue, samePath, sameValue } from '../../api/field.ts';
import {
  INPUTS,
  isLast,
  patchPath,
  patchText,
  RENDERERS_PATH,
  type RendererEntry,
  type Renderers,
  rendererItem,
} from '../../api/helm-release.ts';
import { type IntOrPercent, isIntOrPercent } from '../../api/int-or-percent.ts';
import { jsonEqual } from '../../api/json.ts';
import { SENTINEL } from '../../api/workload.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import type { Carried, CarriedChange } from './carried.ts';
import type { FieldChange, WorkloadPart } from './change.ts';
import type { Edit, FieldPath } from './edit.ts';

type Change = {
  readonly fields: readonly FieldChange[];
  readonly workload: WorkloadPart;
  readonly carried: CarriedChange;
};

/** Fields of the document that change where the inputs of another version come back; the entries are looked at one by one. */
export const INPUT_PATHS: readonly FieldPath[] = INPUTS.filter((key) => key !== 'postRenderers').map((key) => [
  'spec',
  key,
]);

/** Our entry as it is after the commit: with the digest of the inputs that it then stands next to. */
export function entryAfter({ fields, workload, carried: { now, source } }: Change): RendererEntry {
  const { entry } = now.renderers;
  const { restore } = workload.marks.from ?? {};
  const partition = fieldAt(fields, PARTITION_PATH);
  const replicas = overChart(fieldAt(fields, REPLICAS_PATH), entry?.replicas, restore?.replicas?.was);
  const budget = overChart(fieldAt(fields, MAX_UNAVAILABLE_PATH), entry?.maxUnavailable, restore?.maxUnavailable?.was);
  return {
    name: entry?.name ?? now.name,
    namespace: entry?.namespace,
    ...namedAfter({ now, source }, workload.content.digest),
    partition: typeof partition === 'number' ? partition : (entry?.partition ?? SENTINEL),
    maxUnavailable: budget,
    replicas: typeof replicas === 'number' ? replicas : undefined,
  };
}

/** Named again where others had stood there in between: what is live with the same words proves nothing then. */
function namedAfter({ now, source }: CarriedChange, inputs: string): Pick<RendererEntry, 'inputs' | 'again'> {
  const { entry } = now.renderers;
  // Those of another version were not looked for.
  if (now.between !== undefined && source === undefined) return { inputs, again: now.between.times + 1 };
  return entry?.inputs === inputs ? { inputs, again: entry.again } : { inputs };
}

function fieldAt(fields: readonly FieldChange[], path: FieldPath): FieldValue | undefined {
  const field = fields.find((one) => samePath(one.path, path));
  return field === undefined || sameValue(field.from, field.to) ? undefined : field.to;
}

/** A number that a delivery gives back goes from the entry: what the chart says counts, whatever that is by then. */
function overChart(
  to: FieldValue | undefined,
  now: IntOrPercent | undefined,
  was: IntOrPercent | undefined,
): IntOrPercent | undefined {
  if (to === undefined) return now;
  return !isIntOrPercent(to) || to === was ? undefined : to;
}

/** The edits of inputs and entry, but for those of marks: what people have written stays or comes back byte for byte. */
export function carriedEdits(change: Change): readonly Edit[] {
  const { now, source } = change.carried;
  const text = change.workload.content.source;
  const taken = (path: FieldPath): readonly Edit[] =>
    text === undefined ? [] : [{ kind: 'restore', path, source: text }];
  const isListTaken =
    text !== undefined && source !== undefined && !jsonEqual(source.renderers.others, now.renderers.others);
  const list = isListTaken ? source.renderers : now.renderers;
  return [
    ...INPUT_PATHS.flatMap(taken),
    ...(isListTaken ? taken(RENDERERS_PATH) : []),
    ...entryEdits(list, entryAfter(change)),
  ];
}

/** The edits that put our entry back where somebody has lost, moved, doubled or edited it; none: it is there, as the last. */
export function entryBack({ renderers }: Carried, to: RendererEntry): readonly Edit[] {
  return isLast(renderers) ? [] : entryEdits(renderers, to);
}

/** The edits of the list and of our entry in it, as the last: one that somebody has moved, doubled or edited goes first. */
export function entryEdits(list: Renderers, to: RendererEntry): readonly Edit[] {
  const last = list.others.length;
  if (isLast(list)) return [{ kind: 'set', path: patchPath(last), value: patchText(to) }];
  return [...gone(list), { kind: 'insertItem', path: itemPath(last), value: rendererItem(to) }];
}

/** The edits that take our entry out again. */
export function entryGone({ renderers }: Carried): readonly Edit[] {
  return gone(renderers);
}

/** The last of them first: none moves one that goes after it. */
function gone({ places }: Renderers): readonly Edit[] {
  return places.toReversed().map((place): Edit => ({ kind: 'removeItem', path: itemPath(place) }));
}

function itemPath(place: number): FieldPath {
  return [...RENDERERS_PATH, String(place)];
}
