/** The rules of a share by matches: whether the cluster has those of Git, and not those of a step before. */

import { firstDifference } from '../../api/content-match.ts';
import type { EditPath, ItemMatch } from '../../api/field.ts';
import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import type { RouteReading } from '../traffic/provider.ts';

/** What a route sends, and the document that says it. */
export type Sent = { readonly reading: RouteReading; readonly value: JsonObject };

/**
 * Whether a rule of ours in the cluster lacks something that Git says of it. What the server has filled in next to it does
 * not count, and no name of a rule: servers that know none drop it.
 */
export function rulesDiffer(git: Sent, live: Sent): boolean {
  const [wanted, there] = [git, live].map(rulesIn);
  return (wanted ?? []).some((rule, place) => firstDifference(rule, undefined, there?.[place] ?? {}) !== undefined);
}

/** The rules in one line, for what must change whenever they do; empty: there are none. */
export function rulesText({ reading, value }: Sent): string {
  return reading.ours.map((path) => JSON.stringify(unnamed(nodeAt(value, path)))).join(' ');
}

/** Each rule under its key, where it has one: the same template under another annotation asks for other requests. */
function rulesIn({ reading, value }: Sent): readonly JsonObject[] {
  return reading.ours.map((path) => {
    const node = nodeAt(value, path);
    const key = path.at(-1);
    return { [typeof node === 'string' && typeof key === 'string' ? key : 'rule']: unnamed(node) };
  });
}

function unnamed(rule: Json | undefined): Json {
  if (!isJsonObject(rule)) return rule ?? '';
  const { name: _, ...rest } = rule;
  return rest;
}

function nodeAt(value: JsonObject, path: EditPath): Json | undefined {
  return path.reduce<Json | undefined>(stepInto, value);
}

function stepInto(node: Json | undefined, segment: string | ItemMatch): Json | undefined {
  if (typeof segment === 'object')
    return Array.isArray(node)
      ? node.find((item: Json) => isJsonObject(item) && item[segment.key] === segment.value)
      : undefined;
  if (Array.isArray(node)) return node[Number(segment)];
  return isJsonObject(node) ? node[segment] : undefined;
}
