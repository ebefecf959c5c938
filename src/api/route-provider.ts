/** A RouteProvider: how shares are written into routes of a kind that tranche does not know, in place of a script. */

import { type FieldFault, FieldReader } from './field-reader.ts';
import type { Json } from './json.ts';
import { isBelowPath, type PathSteps, parsePath, printPath } from './json-path.ts';
import { routeResources } from './resources.ts';
import { refusedGroup } from './route-groups.ts';

export const ROUTE_PROVIDER_API_VERSION = 'tranche.dev/v1alpha1';

/** Where both numbers of a share stand. */
export type CustomWeights = {
  /** undefined: the route says the share of the new version alone. */
  readonly stable: PathSteps | undefined;
  readonly canary: PathSteps;
  /** What both make together. */
  readonly scale: number;
  readonly as: 'number' | 'text';
  /** A field whose text is JSON; the paths start there. */
  readonly within: PathSteps | undefined;
};

/** One operation of a JSON Patch (RFC 6902). `cel`: the value is worked out by this expression. */
export type CustomPatch = {
  readonly op: 'add' | 'replace' | 'test';
  readonly path: PathSteps;
  readonly value: Json | undefined;
  readonly cel: string | undefined;
};

/** A kind of route, as its RouteProvider says: plain data, a part of the snapshot. */
export type CustomKind = {
  readonly group: string;
  readonly kind: string;
  /** As in the URL of the API. */
  readonly plural: string;
  readonly weights: readonly CustomWeights[];
  /** What a share by weight needs as well, written with it and taken back with it. */
  readonly patch: readonly CustomPatch[];
  /** What a step with `matches` writes; undefined: routes of this kind know no matches. */
  readonly matches: readonly CustomPatch[] | undefined;
  /** The condition by which its controller says that it has taken up the route; undefined: it says nothing. */
  readonly accepted: { readonly at: PathSteps; readonly type: string } | undefined;
};

export const WEIGHTS_MOST = 8;
export const OPERATIONS_MOST = 16;
/** Characters of an expression. */
export const CEL_LENGTH_MOST = 1024;
export const SCALE_MOST = 1_000_000;
export const GROUP = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
export const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;
export const PLURAL = /^[a-z][a-z0-9]{0,62}$/;

/** Faults of any field, also an empty one, make the whole unusable: a share that is half understood would go astray. */
export function parseRouteProvider(value: unknown): {
  readonly kind: CustomKind | undefined;
  readonly faults: readonly FieldFault[];
  /** What it may not write: no delivery starts with it, and one that has started still goes to stable. */
  readonly beyond: readonly FieldFault[];
} {
  const root = new FieldReader(value, '');
  root.allow(['apiVersion', 'kind', 'metadata', 'spec']);
  const spec = root.object('spec', 'fault');
  spec.allow(['resource', 'weights', 'patch', 'matches', 'accepted']);
  const resource = readResource(spec);
  const weights = spec.objects('weights', WEIGHTS_MOST).map(readWeights);
  if (weights.length === 0 && root.faults.length === 0)
    spec.fault('weights', 'Missing', 'is empty, wanted where the numbers of a share stand', 'Add one place at least.');
  const patch = spec.objects('patch', OPERATIONS_MOST).map(readOperation);
  const matches = spec.has('matches') ? spec.objects('matches', OPERATIONS_MOST).map(readOperation) : undefined;
  if (matches?.length === 0 && root.faults.length === 0)
    spec.fault(
      'matches',
      'Missing',
      'is empty, wanted what a step with matches writes',
      'Leave it out where routes of this kind know no matches.',
    );
  const accepted = spec.has('accepted') ? readAccepted(spec.object('accepted')) : undefined;
  const { faults } = root;
  const kind = faults.length > 0 ? undefined : { ...resource, weights, patch, matches, accepted };
  return { kind, faults, beyond: kind === undefined ? [] : operationsBeyond(kind) };
}

function readResource(spec: FieldReader): Pick<CustomKind, 'group' | 'kind' | 'plural'> {
  const resource = spec.object('resource');
  resource.allow(['group', 'kind', 'plural']);
  const [group, kind] = [resource.text('group'), resource.text('kind')];
  const plural = resource.optionalText('plural', `${kind.toLowerCase()}s`);
  const check = (key: string, text: string, pattern: RegExp, wanted: string): void => {
    if (text !== '' && !pattern.test(text))
      resource.fault(key, 'BadName', `is ${text}, wanted ${wanted}`, 'Correct it.');
  };
  check('group', group, GROUP, 'an API group without version');
  check('kind', kind, KIND, 'a kind');
  check('plural', plural, PLURAL, 'the lower-case plural of the kind, as in the URL of the API');
  const refused = kind === '' ? undefined : refusedGroup(group, kind);
  if (group !== '' && refused !== undefined)
    resource.fault(
      'group',
      'NoRoute',
      `is ${group}, of ${refused}: ${kind} is no route, and nothing of it is written as one`,
      'Describe the kind that shares out requests, or remove this RouteProvider.',
    );
  if (routeResources.some((one) => one.group === group && one.kind === kind))
    resource.fault(
      'kind',
      'BuiltIn',
      `is ${kind} of ${group}, which tranche knows itself`,
      'Remove this RouteProvider.',
    );
  return { group, kind, plural };
}

function readWeights(weights: FieldReader): CustomWeights {
  weights.allow(['stable', 'canary', 'scale', 'as', 'within']);
  const stable = weights.has('stable') ? readPath(weights, 'stable') : undefined;
  const canary = readPath(weights, 'canary');
  const stars = (steps: PathSteps): number =>
    steps.filter((step) => typeof step === 'object' && 'every' in step).length;
  if (stable !== undefined && stars(stable) !== stars(canary))
    weights.fault('canary', 'BadPath', 'has another number of * than stable', 'Let both pick the same items.');
  const within = weights.has('within') ? readPath(weights, 'within') : undefined;
  if (within !== undefined && stars(within) > 0)
    weights.fault('within', 'BadPath', 'has a *, wanted the path to one text', 'Name it.');
  return {
    stable,
    canary,
    scale: weights.integer('scale', { min: 1, max: SCALE_MOST }) ?? 100,
    as: weights.word('as', ['number', 'text']) ?? 'number',
    within,
  };
}

function readPath(of: FieldReader, key: string): PathSteps {
  const text = of.text(key);
  const path = parsePath(text);
  if (path === undefined && text !== '')
    of.fault(
      key,
      'BadPath',
      `is ${text}, wanted a JSON Pointer to a field`,
      'Write it as /spec/backends/[name=$canary]/weight: a / before each key, items by a field of theirs, * for all items.',
    );
  return path ?? [];
}

function readOperation(operation: FieldReader): CustomPatch {
  operation.allow(['op', 'path', 'value', 'cel']);
  const op = operation.word('op', ['add', 'replace', 'test']);
  if (op === undefined && !operation.has('op'))
    operation.fault('op', 'Missing', 'is missing, wanted add, replace or test', 'Add it.');
  const cel = operation.has('cel') ? operation.text('cel') : undefined;
  if (cel !== undefined && cel.length > CEL_LENGTH_MOST)
    operation.fault('cel', 'TooLong', `has ${cel.length} characters, wanted at most ${CEL_LENGTH_MOST}`, 'Shorten it.');
  if (operation.has('value') === operation.has('cel'))
    operation.fault(
      'value',
      'BadValue',
      'and cel: one of them is wanted',
      'Write the value, or the expression for it.',
    );
  const value = operation.asJson()['value'];
  return { op: op ?? 'test', path: readPath(operation, 'path'), value, cel };
}

function readAccepted(accepted: FieldReader): NonNullable<CustomKind['accepted']> {
  accepted.allow(['conditions', 'type']);
  const conditions = accepted.optionalText('conditions', '/status/conditions');
  return { at: parsePath(conditions) ?? readPath(accepted, 'conditions'), type: accepted.text('type') };
}

/** Operations outside of the places that hold the weights, which are all that a share is. */
function operationsBeyond({ weights, patch, matches = [] }: CustomKind): readonly FieldFault[] {
  const roots = weights.map(rootOf);
  const inPlace = (path: PathSteps): boolean => roots.some((root) => isBelowPath(root, path));
  return Object.entries({ patch, matches }).flatMap(([list, operations]) =>
    operations.flatMap(({ op, path }, place) =>
      op === 'test' || inPlace(path)
        ? []
        : [
            {
              at: ['spec', list, String(place), 'path'],
              reason: 'PatchBeyond',
              message: `spec.${list}[${place}].path is ${printPath(path)}, wanted a path below ${roots.map(printPath).join(' or ')}, where the weights stand`,
              hint: 'Keep in the route what stands elsewhere, and take this operation out.',
            },
          ],
    ),
  );
}

/** The place that holds a number: its list, else the map around it, and never all of `spec`. */
function rootOf({ within, canary }: CustomWeights): PathSteps {
  if (within !== undefined) return within;
  const item = canary.findIndex((step) => typeof step === 'object');
  const root = canary.slice(0, item < 0 ? -1 : item);
  return root.length < 2 ? canary.slice(0, item < 0 ? canary.length : item + 1) : root;
}
