/** What a HelmRelease renders its objects from, as its own document says it: the release of a workload that it carries. */

import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';

/** The rest of `spec` says when and how it is applied, and changes no object. */
const INPUTS = [
  'chart',
  'chartRef',
  'releaseName',
  'targetNamespace',
  'values',
  'valuesFrom',
  'postRenderers',
  'commonMetadata',
];

/** Fields that differ, each as far down as both are maps; a list is one field. */
export function changedInputs(before: JsonObject, after: JsonObject): readonly FieldPath[] {
  const [was, is] = [before['spec'], after['spec']].map((spec) => (isJsonObject(spec) ? spec : {}));
  return INPUTS.flatMap((key) => differing(was?.[key], is?.[key], ['spec', key]));
}

function differing(was: Json | undefined, is: Json | undefined, path: FieldPath): readonly FieldPath[] {
  if (isJsonObject(was) && isJsonObject(is)) {
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return keys.flatMap((key) => differing(was[key], is[key], [...path, key]));
  }
  return was === is || (was !== undefined && is !== undefined && jsonEqual(was, is)) ? [] : [path];
}
