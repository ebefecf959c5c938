/** Weights of both sides in the rules of a route: 100 in all, and back to what they were. The same for every kind. */

import type { JsonObject } from '../../api/json.ts';
import type { Edit, EditPath, ItemMatch, ObjectRef } from '../edits/edit.ts';
import { displacedAt } from './displaced.ts';
import type { Displaced, Share } from './provider.ts';

/** A rule that sends to the stable version, and the list of its backends. */
export type WeightedRule = {
  readonly place: number;
  /** Keys to the rule: its name where it has one of its own, else its place. */
  readonly path: EditPath;
  /** Keys to the list of backends. */
  readonly list: EditPath;
  readonly stable: Weighted;
  /** undefined: the rule does not send to the new version. */
  readonly canary: Weighted | undefined;
  /** The backend of the new version where it is not there yet, without its weight. */
  readonly fresh: { readonly segment: Segment; readonly value: JsonObject };
};

type Segment = string | ItemMatch;
type Weighted = { readonly segment: Segment; readonly weight: number | undefined };

type WeightEdits = { readonly edits: readonly Edit[]; readonly displaced: readonly Displaced[] };

/** Edits after which every rule has this share, and what was put aside. Without a weight: as before the first. */
export function weightEdits(
  rules: readonly WeightedRule[],
  to: { readonly object: ObjectRef; readonly share: Share; readonly displaced: readonly Displaced[] },
): WeightEdits {
  const { object, share } = to;
  const aside = displacedAt(to.displaced, rules);
  const made = rules.map((rule): WeightEdits => {
    const path = [...rule.list, rule.stable.segment, 'weight'];
    const before = aside.get(rule.place);
    if (share.kind !== 'weight') return { edits: backEdits(rule, path, before), displaced: [] };
    const set = 100 - share.percent;
    const was = before === undefined ? rule.stable.weight : before.was;
    return { edits: shareEdits(rule, path, share.percent), displaced: [{ object, path, was, set }] };
  });
  return { edits: made.flatMap(({ edits }) => edits), displaced: made.flatMap(({ displaced }) => displaced) };
}

function shareEdits({ list, stable, canary, fresh }: WeightedRule, path: EditPath, percent: number): readonly Edit[] {
  const own: readonly Edit[] = stable.weight === 100 - percent ? [] : [{ kind: 'set', path, value: 100 - percent }];
  if (canary === undefined)
    return [...own, { kind: 'insertItem', path: [...list, fresh.segment], value: { ...fresh.value, weight: percent } }];
  if (canary.weight === percent) return own;
  return [...own, { kind: 'set', path: [...list, canary.segment, 'weight'], value: percent }];
}

function backEdits(
  { list, stable, canary }: WeightedRule,
  path: EditPath,
  aside: Displaced | undefined,
): readonly Edit[] {
  const gone: readonly Edit[] = canary === undefined ? [] : [{ kind: 'removeItem', path: [...list, canary.segment] }];
  // What it was is not known, and alone with a weight of 0 it would get no request.
  if (aside === undefined && canary !== undefined && stable.weight === 0) return [{ kind: 'remove', path }, ...gone];
  if (aside === undefined || stable.weight === aside.was) return gone;
  return [aside.was === undefined ? { kind: 'remove', path } : { kind: 'set', path, value: aside.was }, ...gone];
}
