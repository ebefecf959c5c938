/** Where a field of an object stands, as people write it: a JSON Pointer (RFC 6901) whose steps may pick items of lists. */

import { at, isJsonObject, type Json, jsonEqual } from './json.ts';

/** A key or a place; the one item whose `key` is `value`; `*`: every item. */
type PathStep = string | { readonly key: string; readonly value: string } | { readonly every: true };
export type PathSteps = readonly PathStep[];

/** What `$stable` and `$canary` stand for. */
type PathNames = { readonly stable: string; readonly canary: string };

const PATH_LENGTH_MOST = 512;
const PATH_DEPTH_MOST = 16;
const ITEM = /^\[([^=\]]+)=([^\]]+)\]$/;

/** The steps of a path such as `/spec/backends/[name=$canary]/weight`; undefined: it is none, or too long. */
export function parsePath(text: string): PathSteps | undefined {
  if (!text.startsWith('/') || text.length > PATH_LENGTH_MOST) return undefined;
  const steps = text.slice(1).split('/').map(parseStep);
  const isWhole = steps.every((step) => step !== '') && typeof steps.at(-1) === 'string';
  return isWhole && steps.length <= PATH_DEPTH_MOST ? steps : undefined;
}

function parseStep(text: string): PathStep {
  if (text === '*') return { every: true };
  const item = ITEM.exec(text);
  const plain = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');
  return item === null ? plain(text) : { key: plain(item[1] ?? ''), value: plain(item[2] ?? '') };
}

/** The same with the names of both Services in it. */
export function named(steps: PathSteps, { stable, canary }: PathNames): PathSteps {
  const filled = (text: string): string => text.replaceAll('$stable', stable).replaceAll('$canary', canary);
  return steps.map((step) =>
    typeof step === 'object' && 'key' in step ? { ...step, value: filled(step.value) } : step,
  );
}

/** How far a path leads: to a place (whose last key may be absent), or to the step that finds none, or several. */
export type Resolved =
  | { readonly kind: 'found'; readonly path: readonly string[] }
  | { readonly kind: 'missing' | 'several'; readonly path: readonly string[]; readonly step: PathStep };

/** Where the path leads in this object. A path with `*` leads nowhere: see `everyOf`. */
export function resolve(root: Json, steps: PathSteps): Resolved {
  const path: string[] = [];
  for (const [depth, step] of steps.entries()) {
    const value = at(root, path);
    const places = placesOf(value, step);
    const isLast = depth === steps.length - 1;
    const [place, ...others] = isLast && isJsonObject(value) && typeof step === 'string' ? [step] : places;
    if (place === undefined) return { kind: 'missing', path, step };
    if (others.length > 0) return { kind: 'several', path, step };
    path.push(place);
  }
  return { kind: 'found', path };
}

function placesOf(value: Json | undefined, step: PathStep): readonly string[] {
  if (typeof step === 'string') return at(value, [step]) === undefined ? [] : [step];
  if (!Array.isArray(value) || 'every' in step) return [];
  return value.flatMap((item: Json, place) => (jsonEqual(at(item, [step.key]), step.value) ? [String(place)] : []));
}

/** Each `*` of the path in every way that its lists allow, the first first; without one the path itself. */
export function everyOf(root: Json, steps: PathSteps): readonly (readonly string[])[] {
  const star = steps.findIndex((step) => typeof step === 'object' && 'every' in step);
  if (star < 0) return [[]];
  const head = resolve(root, steps.slice(0, star));
  const list = head.kind === 'found' ? at(root, head.path) : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((_, place) =>
    everyOf(root, withPlaces(steps, [String(place)])).map((rest) => [String(place), ...rest]),
  );
}

/** The path with these places for its first `*`. */
export function withPlaces(steps: PathSteps, places: readonly string[]): PathSteps {
  const left = [...places];
  return steps.map((step) => (typeof step === 'object' && 'every' in step ? (left.shift() ?? step) : step));
}

/** Whether a path leads to this place or below it, step by step. */
export function isBelowPath(root: PathSteps, path: PathSteps): boolean {
  return root.every((step, depth) => jsonEqual(step, path[depth]));
}

/** The path as people write it. */
export function printPath(steps: PathSteps): string {
  const escaped = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');
  return steps
    .map((step) =>
      typeof step === 'string'
        ? escaped(step)
        : 'every' in step
          ? '*'
          : `[${escaped(step.key)}=${escaped(step.value)}]`,
    )
    .map((step) => `/${step}`)
    .join('');
}
