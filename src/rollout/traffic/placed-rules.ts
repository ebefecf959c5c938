/** What kinds of routes share whose backends have no names of their own: rules and backends distinguished by their places. */

import type { FieldFault } from '../../api/field-reader.ts';
import { type JsonObject, jsonEqual } from '../../api/json.ts';
import type { Edit, EditPath } from '../edits/edit.ts';
import type {
  RouteFault,
  RouteFiles,
  RouteReading,
  RouteSurvey,
  Share,
  Sides,
  StableRule,
  Timeout,
  Unwritable,
  Written,
} from './provider.ts';
import { type WeightedRule, weightEdits } from './weights.ts';

type PlacedBackend = {
  readonly place: number;
  readonly name: string;
  readonly side: 'stable' | 'canary' | 'other';
  readonly port: number | string | undefined;
  readonly portAt: readonly string[];
  readonly weight: number | undefined;
  readonly json: JsonObject;
};

export type PlacedRule = {
  readonly place: number;
  readonly path: readonly string[];
  /** Keys to the list of backends. */
  readonly list: readonly string[];
  readonly backends: readonly PlacedBackend[];
  /** How each copy of requests that goes to the new version is taken out, the last first. */
  readonly mirrors: readonly Removal[];
  readonly timeout: Timeout | undefined;
  readonly json: JsonObject;
};

/** A field, or an item of a list, that goes. */
export type Removal = { readonly kind: 'remove' | 'removeItem'; readonly path: EditPath };

/** A kind of route, as far as these differ. */
export type PlacedKind = {
  readonly rules: (files: RouteFiles, sides: Sides) => readonly PlacedRule[];
  /** What a backend without a weight counts, among others that have one. */
  readonly unweighted: number;
  /** The backend of the new version, made of that of the stable one. */
  readonly renamed: (stable: JsonObject, sides: Sides) => JsonObject;
  /** Faults of a rule whatever the share. */
  readonly faultsOf: (rule: PlacedRule, sides: Sides) => readonly RouteFault[];
  /** The rules of ours for a step with matches, each with its place once those that are there have gone. */
  readonly ownRules: (asked: OwnAsked) => OwnRules;
};

export type OwnAsked = {
  /** The rules of the stable version, with their places among those of other people. */
  readonly sources: readonly PlacedRule[];
  readonly others: number;
  readonly sides: Sides;
  readonly share: Extract<Share, { readonly kind: 'matches' }>;
};

/** Inserted in this order, each at its place. */
export type OwnRules = {
  readonly rules: readonly { readonly path: readonly string[]; readonly json: JsonObject }[];
  readonly faults: readonly FieldFault[];
};

function of(rule: PlacedRule, side: PlacedBackend['side']): readonly PlacedBackend[] {
  return rule.backends.filter((backend) => backend.side === side);
}

function isOurs(rule: PlacedRule): boolean {
  return rule.backends.length > 0 && of(rule, 'canary').length === rule.backends.length;
}

function sourcesOf(rules: readonly PlacedRule[]): readonly PlacedRule[] {
  return rules.filter((rule) => of(rule, 'stable').length > 0);
}

/** How the rules of the stable version look before a delivery. */
export function surveyPlaced(kind: PlacedKind, files: RouteFiles, sides: Sides): RouteSurvey {
  const rules = sourcesOf(kind.rules(files, sides));
  const faults = rules.flatMap((rule) => [
    ...otherBackends(rule, sides),
    ...twice(rule),
    ...kind.faultsOf(rule, sides),
  ]);
  const missing: FieldFault = {
    at: ['spec'],
    reason: 'BackendMissing',
    message: `no rule sends to the Service ${sides.stable}, so there is nothing that a share could be taken of`,
    hint: 'Name the route that sends to it, or the Service that this one has.',
  };
  return { rules: rules.flatMap(stableRule), faults: rules.length > 0 ? faults : [missing] };
}

function stableRule(rule: PlacedRule): readonly StableRule[] {
  return of(rule, 'stable')
    .slice(0, 1)
    .map(({ port, portAt }) => ({ port, portAt, portInText: false, portOptional: true, timeout: rule.timeout }));
}

function otherBackends(rule: PlacedRule, { stable }: Sides): readonly FieldFault[] {
  return of(rule, 'other')
    .slice(0, 1)
    .map(({ name, place }) => ({
      at: [...rule.list, String(place)],
      reason: 'OtherBackend',
      message: `rule ${rule.place + 1} sends to ${name} as well as to ${stable}: weights for a delivery would change the share of ${name}`,
      hint: `Give ${name} a rule of its own, or a route without ${stable}.`,
    }));
}

function twice(rule: PlacedRule): readonly FieldFault[] {
  const [name] = (['stable', 'canary'] as const)
    .flatMap((side) => of(rule, side).slice(1))
    .map((backend) => backend.name);
  if (name === undefined) return [];
  return [
    {
      at: rule.list,
      reason: 'BackendTwice',
      message: `rule ${rule.place + 1} has ${name} among its backends more than once: which of them a weight is for is not clear`,
      hint: 'Keep one of them in the rule, or write one rule for each.',
    },
  ];
}

/** What goes to the new version, no matter who wrote it. */
export function readPlaced(kind: PlacedKind, files: RouteFiles, sides: Sides): RouteReading {
  const rules = kind.rules(files, sides);
  return {
    percent: Math.max(0, ...rules.filter((rule) => !isOurs(rule)).map((rule) => shareOf(rule, kind.unweighted))),
    ours: rules.filter(isOurs).map(({ path }) => path),
    mirrors: rules.flatMap(({ mirrors }) => mirrors.map(({ path }) => path)),
    stable: rules.some((rule) => shareOf(rule, kind.unweighted, 'stable') > 0),
  };
}

function shareOf(rule: PlacedRule, unweighted: number, side: 'stable' | 'canary' = 'canary'): number {
  const sum = (backends: readonly PlacedBackend[]): number =>
    backends.reduce((all, { weight = unweighted }) => all + weight, 0);
  const own = of(rule, side);
  if (own.length === 0) return 0;
  // Without any weight all backends get the same.
  const total = sum(rule.backends);
  return total === 0 ? (own.length * 100) / rule.backends.length : (sum(own) * 100) / total;
}

/** The edits after which the route sends this share. */
export function writePlaced(
  kind: PlacedKind,
  files: RouteFiles,
  { sides, share }: { readonly sides: Sides; readonly share: Share },
): Written | Unwritable {
  const { route } = files;
  const rules = kind.rules(files, sides);
  const ours = rules.filter(isOurs);
  const others = rules.filter((rule) => !isOurs(rule));
  const sources = sourcesOf(rules);
  const replaced = sourcesOf(others.map((rule, place) => ({ ...rule, place })));
  const wanted =
    share.kind === 'matches'
      ? kind.ownRules({ sources: replaced, others: others.length, sides, share })
      : { rules: [], faults: [] };
  const faults = [...sources.flatMap(twice), ...wanted.faults];
  if (faults.length > 0) return { kind: 'unwritable', faults };
  const weights = weightEdits(
    sources.flatMap((rule) => weighted(rule, kind.renamed, sides)),
    { object: route.object, share, displaced: files.displaced },
  );
  const isThere =
    ours.length === wanted.rules.length &&
    wanted.rules.every(({ json }) => ours.some((own) => jsonEqual(own.json, json)));
  const mirrors = share.kind === 'none' ? others.flatMap((rule) => rule.mirrors) : [];
  const edits: readonly Edit[] = [
    ...weights.edits,
    ...mirrors,
    // From the last on, because taking one out moves those behind it.
    ...(isThere ? [] : ours.toReversed().map(({ path }): Edit => ({ kind: 'removeItem', path }))),
    ...(isThere ? [] : wanted.rules.map(({ path, json }): Edit => ({ kind: 'insertItem', path, value: json }))),
  ];
  const come = isThere ? [] : wanted.rules;
  const left = isThere ? rules : others;
  const displaced = weights.displaced.map((aside) => ({
    ...aside,
    path: placeAfter(aside.path, { rules, left, come }),
  }));
  return {
    kind: 'ok',
    edits: edits.length === 0 ? [] : [{ file: route.file, object: route.object, edits }],
    displaced,
  };
}

/**
 * The path of a field of a rule once rules of ours have gone and come before it: the next commit reads it in that route, and history
 * compares what the mark says with what stood there.
 */
function placeAfter(
  path: EditPath,
  to: {
    readonly rules: readonly PlacedRule[];
    readonly left: readonly PlacedRule[];
    readonly come: OwnRules['rules'];
  },
): EditPath {
  const isOf = (rule: PlacedRule): boolean => rule.list.every((key, depth) => path[depth] === key);
  const rule = to.rules.find(isOf);
  const place = to.left.findIndex((one) => one === rule);
  if (rule === undefined || rule.path.at(-1) !== String(rule.place) || place < 0) return path;
  const before = to.come.filter((own) => Number(own.path.at(-1)) <= place).length;
  return [...rule.path.slice(0, -1), String(place + before), ...path.slice(rule.path.length)];
}

function weighted(rule: PlacedRule, renamed: PlacedKind['renamed'], sides: Sides): readonly WeightedRule[] {
  const [stable] = of(rule, 'stable');
  const [canary] = of(rule, 'canary');
  if (stable === undefined) return [];
  const { weight: _, ...json } = stable.json;
  const placed = ({ place, weight }: PlacedBackend) => ({ segment: String(place), weight });
  return [
    {
      place: rule.place,
      path: rule.path,
      list: rule.list,
      stable: placed(stable),
      canary: canary === undefined ? undefined : placed(canary),
      fresh: { segment: String(stable.place + 1), value: renamed(json, sides) },
    },
  ];
}
