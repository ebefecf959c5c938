/** What differs between two versions of a HelmRelease that its objects are rendered from. */

import { INPUTS, inputsOf } from '../../api/helm-release.ts';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';

/** Fields that differ, each as far down as both are maps; a list is one field, without the entry of ours. */
export function changedInputs(before: JsonObject, after: JsonObject): readonly FieldPath[] {
  const [was, is] = [inputsOf(before), inputsOf(after)];
  return INPUTS.flatMap((key) => differing(was[key], is[key], ['spec', key]));
}

function differing(was: Json | undefined, is: Json | undefined, path: FieldPath): readonly FieldPath[] {
  if (isJsonObject(was) && isJsonObject(is)) {
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return keys.flatMap((key) => differing(was[key], is[key], [...path, key]));
  }
  return was === is || (was !== undefined && is !== undefined && jsonEqual(was, is)) ? [] : [path];
}
