/** What a delivery has put aside of routes and of an autoscaler: as their writers ask for it, and as the mark `restore` keeps it. */

import type { Aside } from '../../api/aside.ts';
import { ABSENT, type EditPath, type ItemMatch } from '../../api/field.ts';
import { groupOf } from '../../api/group-of.ts';
import { SCALER_KINDS } from '../../api/scaler.ts';
import type { ObjectRef } from '../edits/edit.ts';
import type { Displaced, RouteDocument } from '../traffic/provider.ts';
import type { RouteInUse } from './delivery.ts';

/** `HTTPRoute.gateway.networking.k8s.io/chat`, as the mark names an object. */
export function asideName({ apiVersion, kind, name }: ObjectRef): string {
  const group = groupOf(apiVersion);
  return `${kind}${group === '' ? '' : `.${group}`}/${name}`;
}

/** For the mark. */
export function asidesOfRoutes(displaced: readonly Displaced[]): readonly Aside[] {
  return displaced.map(({ object, path, was, set }) => ({ object: asideName(object), path, was: was ?? ABSENT, set }));
}

/**
 * For providers, those of one route in the order of its rules: rules without names are distinguished by it, and the mark
 * has them in the order of their names. What is of no route that is named is left out.
 */
export function displacedOf(
  asides: readonly Aside[],
  { routes, scaler }: { readonly routes: readonly InFiles[]; readonly scaler: RouteDocument | undefined },
): readonly Displaced[] {
  const objects = [...objectsOf(routes), ...(scaler === undefined ? [] : [scaler.object])];
  const found = asides.flatMap(({ object, path, was, set }): readonly Displaced[] => {
    const of = objects.find((one) => asideName(one) === object);
    if (of === undefined || typeof set === 'object' || typeof set === 'boolean' || typeof was === 'boolean') return [];
    return [{ object: of, path, was: typeof was === 'object' ? undefined : was, set }];
  });
  return found.toSorted((left, right) => byPlace(left.path, right.path));
}

/**
 * The autoscaler that a delivery holds: of several the one of which it has put a field aside. Another one for the same workload, which anybody
 * may add from any folder, takes it from no rollback. undefined: there is none, or nobody knows which.
 */
export function heldScaler<T extends { readonly object: ObjectRef }>(
  scalers: readonly T[],
  asides: readonly Pick<Aside, 'object'>[],
): T | undefined {
  const isHeld = ({ object }: T): boolean => asides.some((aside) => aside.object === asideName(object));
  const [scaler, ...others] = scalers.length < 2 ? scalers : scalers.filter(isHeld);
  return others.length === 0 ? scaler : undefined;
}

/** Objects that the mark has and no route is, autoscalers apart. */
export function unnamedIn(
  asides: readonly Aside[],
  routes: readonly InFiles[],
): readonly { readonly kind: string; readonly name: string }[] {
  const found = [...new Set(routesLost(asides, routes).map(({ object }) => object))];
  return found.map((object) => ({ kind: object.replace(/[./].*$/, ''), name: object.replace(/^[^/]*\//, '') }));
}

/** Fields of routes that are not among the files: kept, for one may come back as it was. */
export function routesLost(asides: readonly Aside[], routes: readonly InFiles[]): readonly Aside[] {
  const names = objectsOf(routes).map(asideName);
  return asides.filter(({ object }) => !names.includes(object) && !isOfScaler(object));
}

/** Floors of autoscalers that are not among the files: kept, for one may come back as it was. */
export function floorsLost(asides: readonly Aside[], scaler: RouteDocument | undefined): readonly Aside[] {
  const there = scaler === undefined ? undefined : asideName(scaler.object);
  return asides.filter(({ object }) => isOfScaler(object) && object !== there);
}

function isOfScaler(name: string): boolean {
  return SCALER_KINDS.some((kind) => name.startsWith(`${kind}.`));
}

type InFiles = Pick<RouteInUse, 'route' | 'canary'>;

function objectsOf(routes: readonly InFiles[]): readonly ObjectRef[] {
  return routes.flatMap(({ route, canary }) => [route.object, ...(canary === undefined ? [] : [canary.object])]);
}

function byPlace(left: EditPath, right: EditPath): number {
  const depth = left.findIndex((part, place) => textOf(part) !== textOf(right[place]));
  const [one, other] = [left[depth], right[depth]];
  if (depth < 0) return left.length - right.length;
  const [first, second] = [Number(one), Number(other)];
  if (!Number.isNaN(first) && !Number.isNaN(second)) return first - second;
  return textOf(one) < textOf(other) ? -1 : 1;
}

function textOf(part: string | ItemMatch | undefined): string {
  return part === undefined || typeof part === 'string' ? (part ?? '') : JSON.stringify([part.key, part.value]);
}
