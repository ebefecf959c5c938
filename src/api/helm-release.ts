/**
 * A Flux HelmRelease as tranche reads it: what it renders its objects from, and the entry of ours in `spec.postRenderers`, a
 * patch of one LeaderWorkerSet. Values and patch stand in one document, so that Flux applies both or neither.
 */

import { type IntOrPercent, isBudget } from './int-or-percent.ts';
import { at, isJsonObject, type Json, type JsonObject, jsonEqual } from './json.ts';
import { LWS_KIND } from './kinds.ts';
import { isDigest } from './release.ts';
import { LWS_API_VERSION } from './rollout.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from './workload-paths.ts';

/** Below `spec`: the rest of it says when and how the release is applied, and changes no object. */
export const INPUTS = [
  'chart',
  'chartRef',
  'releaseName',
  'targetNamespace',
  'storageNamespace',
  'values',
  'valuesFrom',
  'postRenderers',
  'commonMetadata',
] as const;

export const RENDERERS_PATH: readonly string[] = ['spec', 'postRenderers'];

/** In the patch, and so on the live object: the digest of the inputs that it was rendered from, as `inputsText` prints it. */
export const INPUTS_MARK = 'tranche.dev/inputs';

/** What our entry says of its LeaderWorkerSet. */
export type RendererEntry = {
  readonly name: string;
  /** Only where the chart writes one: kustomize, by which Flux patches, knows an object by the namespace that it is rendered with. */
  readonly namespace?: string | undefined;
  readonly inputs: string;
  /** How often the same inputs were named again, because others had stood there in between; not there: never. */
  readonly again?: number | undefined;
  readonly partition: number;
  readonly maxUnavailable?: IntOrPercent | undefined;
  readonly replicas?: number | undefined;
};

/** Where ours is among the entries. Two of ours are none that counts. */
export type Renderers = {
  /** Those of people. */
  readonly others: readonly Json[];
  readonly places: readonly number[];
  /** undefined: none, or one that no commit of tranche writes. */
  readonly entry: RendererEntry | undefined;
};

/** The entries of a document. */
export function renderersIn(value: JsonObject): Renderers {
  const list = at(value, RENDERERS_PATH);
  const items: readonly Json[] = Array.isArray(list) ? list : [];
  const places = items.flatMap((item, place) => (isOurs(item) ? [place] : []));
  const [place, ...more] = places;
  return {
    others: items.filter((_, index) => !places.includes(index)),
    places,
    entry: place === undefined || more.length > 0 ? undefined : parseEntry(items[place]),
  };
}

/** What a release of its workload is: all that it is rendered from but our entry. Missing parts are left out. */
export function inputsOf(value: JsonObject): JsonObject {
  const spec = isJsonObject(value['spec']) ? value['spec'] : {};
  const { others } = renderersIn(value);
  return Object.fromEntries(
    INPUTS.flatMap((key): readonly (readonly [string, Json])[] => {
      const said = spec[key];
      if (key === 'postRenderers') return others.length === 0 ? [] : [[key, others]];
      return said === undefined ? [] : [[key, said]];
    }),
  );
}

/** The whole entry. */
export function rendererItem(entry: RendererEntry): JsonObject {
  return { kustomize: { patches: [{ patch: patchText(entry) }] } };
}

/** Where the text of the patch is in the entry at this place. */
export function patchPath(place: number): readonly string[] {
  return [...RENDERERS_PATH, String(place), 'kustomize', 'patches', '0', 'patch'];
}

/** JSON on one line: a strategic-merge patch without a target, so that an object that is not rendered fails the upgrade. */
export function patchText(entry: RendererEntry): string {
  const { name, namespace, partition, maxUnavailable, replicas } = entry;
  return JSON.stringify({
    apiVersion: LWS_API_VERSION,
    kind: LWS_KIND,
    metadata: { name, namespace, annotations: { [INPUTS_MARK]: inputsText(entry) } },
    spec: { replicas, rolloutStrategy: { rollingUpdateConfiguration: { partition, maxUnavailable } } },
  });
}

/** The value of the annotation: a digest, and behind a dot how often it was named again. */
export function inputsText({ inputs, again }: Pick<RendererEntry, 'inputs' | 'again'>): string {
  return again === undefined ? inputs : `${inputs}.${again}`;
}

function parseInputs(text: Json | undefined): Pick<RendererEntry, 'inputs' | 'again'> | undefined {
  const [, inputs = '', times] = typeof text === 'string' ? (/^([^.]*)(?:\.([1-9]\d{0,5}))?$/.exec(text) ?? []) : [];
  if (!isDigest(inputs)) return undefined;
  return times === undefined ? { inputs } : { inputs, again: Number(times) };
}

/** One that somebody has edited has the annotation still, or it is nothing of ours any more. */
function isOurs(item: Json): boolean {
  const patches = at(item, ['kustomize', 'patches']);
  return Array.isArray(patches) && patches.some((one: Json) => textOf(one).includes(INPUTS_MARK));
}

function textOf(patch: Json): string {
  const text = at(patch, ['patch']);
  return typeof text === 'string' ? text : '';
}

/** Whether ours is there once, as the last: what comes after it could undo a step. */
export function isLast({ others, places, entry }: Renderers): boolean {
  return entry !== undefined && places[0] === others.length;
}

/** Exactly what `rendererItem` makes; undefined for anything else. */
function parseEntry(item: Json | undefined): RendererEntry | undefined {
  const value = jsonIn(at(item, ['kustomize', 'patches', '0', 'patch']));
  const [name, namespace] = [at(value, ['metadata', 'name']), at(value, ['metadata', 'namespace'])];
  const inputs = parseInputs(at(value, ['metadata', 'annotations', INPUTS_MARK]));
  const partition = at(value, PARTITION_PATH);
  const [maxUnavailable, replicas] = [at(value, MAX_UNAVAILABLE_PATH), at(value, REPLICAS_PATH)];
  if (typeof name !== 'string' || (namespace !== undefined && typeof namespace !== 'string')) return undefined;
  if (inputs === undefined || !isCount(partition)) return undefined;
  if (maxUnavailable !== undefined && !isBudget(maxUnavailable)) return undefined;
  if (replicas !== undefined && !isCount(replicas)) return undefined;
  const entry = { name, namespace, ...inputs, partition, maxUnavailable, replicas };
  const isWhole = isJsonObject(value) && jsonEqual(value, jsonIn(patchText(entry)));
  return isWhole && jsonEqual(item, rendererItemOf(at(item, ['kustomize', 'patches', '0', 'patch'])))
    ? entry
    : undefined;
}

function rendererItemOf(patch: Json | undefined): JsonObject {
  return { kustomize: { patches: [{ patch: patch ?? '' }] } };
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function jsonIn(text: Json | undefined): Json | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
