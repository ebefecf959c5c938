/** What tranche may write of `spec.postRenderers` of a HelmRelease: its own entry, as the last, and people's as another version had them. */

import { isLast, RENDERERS_PATH, renderersIn } from '../../api/helm-release.ts';
import { at, type JsonObject, jsonEqual } from '../../api/json.ts';

/**
 * Whether the list may become this one. Ours is the last and says nothing but numbers of one LeaderWorkerSet, the same one as before,
 * or it has gone and nothing else with it. Those of people's may come back with it from an earlier version, and never alone.
 */
export function isOwnRenderer(was: JsonObject, is: JsonObject): boolean {
  if (jsonEqual(at(was, RENDERERS_PATH), at(is, RENDERERS_PATH))) return true;
  const [before, after] = [renderersIn(was), renderersIn(is)];
  if (after.places.length === 0) return before.places.length > 0 && jsonEqual(before.others, after.others);
  return isLast(after) && (before.entry === undefined || before.entry.name === after.entry?.name);
}
