/** HTTPRoute and GRPCRoute: weights of both backends in each rule of the stable one, or rules of ours behind all others. */

import type { FieldFault } from '../../api/field-reader.ts';
import { type BackendRef, mirrorTarget, parseHttpRoute, type RouteRule } from '../../api/http-route.ts';
import { jsonEqual } from '../../api/json.ts';
import { GATEWAY_GROUP } from '../../api/rollout-traffic.ts';
import type { Edit, EditPath } from '../edit.ts';
import { displacedAt } from './displaced.ts';
import { rulesFor } from './http-route-rules.ts';
import { type SidedRule, sidedRules } from './http-route-sides.ts';
import { surveyRules } from './http-route-survey.ts';
import {
  type Displaced,
  ofGroup,
  type RouteFiles,
  type RouteReading,
  type Share,
  type Sides,
  type TrafficProvider,
  type Unwritable,
  type Written,
} from './provider.ts';

export const httpRoute: TrafficProvider = providerOf('HTTPRoute');
export const grpcRoute: TrafficProvider = providerOf('GRPCRoute');

function providerOf(kind: 'HTTPRoute' | 'GRPCRoute'): TrafficProvider {
  return {
    ...ofGroup(GATEWAY_GROUP, kind),
    survey: ({ route }, sides) => surveyRules(parseHttpRoute(route.value), sides),
    read,
    prepare: () => [],
    write: (files, sides, share) => write(files, sides, { share, kind }),
  };
}

function read({ route }: RouteFiles, sides: Sides): RouteReading {
  const rules = sidedRules(parseHttpRoute(route.value).rules, sides);
  const shares = rules.filter(({ isOurs }) => !isOurs).map(shareOf);
  return {
    percent: Math.max(0, ...shares),
    ours: rules.filter(({ isOurs }) => isOurs).map(({ path }) => path),
    mirrors: rules.flatMap((rule) => mirrorsOf(rule, sides)),
  };
}

function shareOf({ backends, canary }: SidedRule): number {
  const sum = (refs: readonly BackendRef[]): number => refs.reduce((total, { weight = 1 }) => total + weight, 0);
  return sum(canary) === 0 ? 0 : (sum(canary) * 100) / sum(backends);
}

/** Filters that send copies to the new version, the last first: so that each can be taken out by its place. */
function mirrorsOf({ path, filters }: SidedRule, { canary }: Sides): readonly EditPath[] {
  const places = filters.flatMap((filter, place) => (mirrorTarget(filter) === canary ? [place] : []));
  return places.toReversed().map((place) => [...path, 'filters', String(place)]);
}

type Asked = { readonly share: Share; readonly kind: 'HTTPRoute' | 'GRPCRoute' };

function write(files: RouteFiles, sides: Sides, { share, kind }: Asked): Written | Unwritable {
  const { route } = files;
  const { rules: parsed, faults } = parseHttpRoute(route.value);
  const rules = sidedRules(parsed, sides);
  const sources = rules.filter(({ stable, isOurs }) => stable.length > 0 && !isOurs);
  const wanted =
    share.kind === 'matches' ? rulesFor({ sources, all: rules, sides, share, kind }) : { rules: [], faults: [] };
  const wrong: readonly FieldFault[] = [...faults, ...sources.flatMap(twice), ...wanted.faults];
  if (wrong.length > 0) return { kind: 'unwritable', faults: wrong };
  const aside = displacedAt(files.displaced, sources);
  const weights = sources.map((rule) => weightsOf(rule, { files, sides, share, aside: aside.get(rule.place) }));
  const ours = rules.filter(({ isOurs }) => isOurs);
  const isKept = ({ json }: RouteRule): boolean => wanted.rules.some((rule) => jsonEqual(json, rule.json));
  const mirrors =
    share.kind === 'home' ? rules.filter(({ isOurs }) => !isOurs).flatMap((rule) => mirrorsOf(rule, sides)) : [];
  const edits: readonly Edit[] = [
    ...weights.flatMap((made) => made.edits),
    ...mirrors.map((path): Edit => ({ kind: 'removeItem', path })),
    // From the last on, because taking one out moves those behind it.
    ...ours
      .filter((rule) => !isKept(rule))
      .toReversed()
      .map(({ path }): Edit => ({ kind: 'removeItem', path })),
    ...wanted.rules
      .filter((rule) => !ours.some(({ json }) => jsonEqual(json, rule.json)))
      .map(
        ({ name, json }): Edit => ({
          kind: 'insertItem',
          path: ['spec', 'rules', { key: 'name', value: name }],
          value: json,
        }),
      ),
  ];
  const displaced = weights.flatMap((made) => made.displaced);
  return {
    kind: 'ok',
    edits: edits.length === 0 ? [] : [{ file: route.file, object: route.object, edits }],
    displaced,
  };
}

type Asking = {
  readonly files: RouteFiles;
  readonly sides: Sides;
  readonly share: Share;
  readonly aside: Displaced | undefined;
};

function weightsOf(
  rule: SidedRule,
  { files, sides, share, aside }: Asking,
): Pick<Written, 'displaced'> & { readonly edits: readonly Edit[] } {
  const ref = (name: string): EditPath => [...rule.path, 'backendRefs', { key: 'name', value: name }];
  const [stable, canary] = [rule.stable[0], rule.canary[0]];
  const path = [...ref(sides.stable), 'weight'];
  if (share.kind !== 'weight') {
    const gone: readonly Edit[] = canary === undefined ? [] : [{ kind: 'removeItem', path: ref(sides.canary) }];
    const isBack = aside === undefined || stable?.weight === aside.was;
    const back: Edit = aside?.was === undefined ? { kind: 'remove', path } : { kind: 'set', path, value: aside.was };
    return { edits: [...(isBack ? [] : [back]), ...gone], displaced: [] };
  }
  const set = 100 - share.percent;
  const weight: readonly Edit[] = stable?.weight === set ? [] : [{ kind: 'set', path, value: set }];
  const displaced = [{ object: files.route.object, path, was: aside === undefined ? stable?.weight : aside.was, set }];
  return {
    edits: [...weight, ...canaryEdits(rule, { path: ref(sides.canary), percent: share.percent, sides })],
    displaced,
  };
}

function canaryEdits(
  { stable: [stable], canary: [canary] }: SidedRule,
  { path, percent, sides }: { readonly path: EditPath; readonly percent: number; readonly sides: Sides },
): readonly Edit[] {
  if (canary !== undefined)
    return canary.weight === percent ? [] : [{ kind: 'set', path: [...path, 'weight'], value: percent }];
  return [{ kind: 'insertItem', path, value: { ...stable?.json, name: sides.canary, weight: percent } }];
}

/** A name that stands twice among the backends of a rule names no one of them. */
function twice({ place, stable, canary, backends }: SidedRule): readonly FieldFault[] {
  const names = [stable[0], canary[0]].filter((ref) => ref !== undefined).map(({ name }) => name);
  const name = names.find((one) => backends.filter((ref) => ref.name === one).length > 1);
  if (name === undefined) return [];
  return [
    {
      at: ['spec', 'rules', String(place), 'backendRefs'],
      reason: 'BackendTwice',
      message: `rule ${place + 1} has ${name} among its backends more than once: which of them a weight is for is not clear`,
      hint: 'Keep one of them in the rule, or write one rule for each.',
    },
  ];
}
