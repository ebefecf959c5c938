/** Objects that stand as items of a list, where nobody reads them: neither Kubernetes, in a list at the first level, nor we. */

import type { Issue } from '../api/issue.ts';
import { at, isJsonObject, type Json, type JsonObject } from '../api/json.ts';
import type { ParsedDocument } from './parse-document.ts';
import { inListIssue } from './parse-issues.ts';

/** Groups of the kinds that a delivery is written in. A list of anything else may be values of somebody. */
const GROUPS = ['leaderworkerset.x-k8s.io/', 'rollouts.kruise.io/', 'tranche.dev/'];

/**
 * The issue of a document at whose first level stands a list with an object that would be ours: `kubectl apply` refuses such a
 * document. A patch, references and values have a `kind` as well, but not all that makes an object. undefined: there is none.
 */
export function objectInList(
  file: string,
  { root, value, lineAt }: ParsedDocument & { readonly kind: 'ok' },
  wanted: readonly string[],
): Issue | undefined {
  if (root.kind !== 'list' || !Array.isArray(value)) return undefined;
  for (const [place, item] of value.entries()) {
    const kind = kindOf(item, wanted);
    if (kind !== undefined) return inListIssue(file, lineAt(root.items[place]?.start ?? root.start), kind);
  }
  return undefined;
}

/** The kind of an object that a delivery is written in, with all that an object has. */
function kindOf(item: Json, wanted: readonly string[]): string | undefined {
  const [version, kind] = [at(item, ['apiVersion']), at(item, ['kind'])];
  const isOurs = typeof version === 'string' && GROUPS.some((group) => version.startsWith(group));
  if (!isOurs || typeof kind !== 'string' || !isJsonObject(at(item, ['metadata']))) return undefined;
  return wanted.includes(kind) ? kind : undefined;
}

/** The first wanted kind among the items of a `kind: List`; undefined: there is none. */
export function itemOfList(value: JsonObject, wanted: readonly string[]): string | undefined {
  const items = value['items'];
  if (!Array.isArray(items)) return undefined;
  const kinds = items.map((item) => at(item, ['kind']));
  return wanted.find((kind) => kinds.includes(kind));
}
