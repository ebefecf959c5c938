/** A route of a user's own kind with a share: made of what it is without one, on plain JSON, as its RouteProvider says. */

import { applyPatch } from 'fast-json-patch';
import type { FieldFault } from '../../api/field-reader.ts';
import { at, isJsonObject, type Json, jsonEqual } from '../../api/json.ts';
import { named, type PathSteps, type Resolved, resolve } from '../../api/json-path.ts';
import type { CustomKind, CustomPatch } from '../../api/route-provider.ts';
import { evaluate } from './cel-value.ts';
import { withAt } from './custom-json.ts';
import { innerOf, type Place, placesIn } from './custom-places.ts';
import type { Share, Sides } from './provider.ts';

type Unmade = { readonly kind: 'fault'; readonly fault: FieldFault };
type Made = { readonly kind: 'ok'; readonly value: Json } | Unmade;

/** The object with a share, made of the object without one. */
export function withShare(
  home: Json,
  custom: CustomKind,
  { sides, share }: { readonly sides: Sides; readonly share: Share },
): Made {
  if (share.kind === 'none') return { kind: 'ok', value: home };
  const operations = share.kind === 'matches' ? custom.matches : custom.patch;
  if (operations === undefined)
    return faulty({
      at: ['spec'],
      reason: 'MatchNotSupported',
      message: `the step has matches, and the RouteProvider of ${custom.kind} does not say how to write them`,
      hint: 'Add matches to it, or share by traffic.',
    });
  const patched = withPatch(home, operations, { sides, share });
  if (patched.kind === 'fault' || share.kind === 'matches') return patched;
  let value = patched.value;
  for (const place of placesIn(value, custom, sides)) {
    const made = withWeights(value, place, { sides, percent: share.percent });
    if (made.kind === 'fault') return made;
    ({ value } = made);
  }
  return { kind: 'ok', value };
}

type Weighing = { readonly sides: Sides; readonly percent: number };

function withWeights(root: Json, place: Place, weighing: Weighing): Made {
  const inner = innerOf(root, place);
  if (inner === undefined)
    return faulty({
      at: ['spec'],
      reason: 'BackendMissing',
      message: 'the text that its RouteProvider names is no JSON',
      hint: 'Correct it.',
    });
  const made = withNumbers(inner, place, weighing);
  const path = place.within === undefined ? undefined : resolve(root, place.within).path;
  if (made.kind === 'fault' || path === undefined) return made;
  return { kind: 'ok', value: withAt(root, path, JSON.stringify(made.value)) };
}

function withNumbers(inner: Json, place: Place, { sides, percent }: Weighing): Made {
  const { scale, as, stable, canary } = place;
  const part = (of: number): number => (scale * of) / 100;
  if (scale !== 1 && !Number.isInteger(part(percent)))
    return faulty({
      at: ['spec'],
      reason: 'ShareNotWhole',
      message: `${percent} % of ${scale}, the scale in its RouteProvider, is no whole number`,
      hint: 'Share by steps that its scale can hold.',
    });
  const printed = (of: number): Json => (as === 'text' ? String(part(of)) : part(of));
  const own = stable === undefined ? undefined : resolve(inner, stable);
  if (own !== undefined && own.kind !== 'found') return unresolved(own, sides.stable);
  const first = own === undefined ? inner : withAt(inner, own.path, printed(100 - percent));
  const there = resolve(first, canary);
  if (there.kind === 'found') return { kind: 'ok', value: withAt(first, there.path, printed(percent)) };
  const copy = there.kind === 'missing' ? copied(first, { there, own, place }) : undefined;
  if (copy === undefined) return unresolved(there, sides.canary);
  const made = resolve(copy, canary);
  if (made.kind !== 'found') return unresolved(made, sides.canary);
  return { kind: 'ok', value: withAt(copy, made.path, printed(percent)) };
}

type Copying = { readonly there: Resolved; readonly own: Resolved | undefined; readonly place: Place };

/** The item of the stable version again at the end of its list, under the other name. */
function copied(inner: Json, { there, own, place }: Copying): Json | undefined {
  const depth = there.path.length;
  const [step, other] = [place.canary[depth], place.stable?.[depth]];
  if (typeof step !== 'object' || !('key' in step) || typeof other !== 'object' || own?.kind !== 'found')
    return undefined;
  const [list, item] = [at(inner, there.path), at(inner, own.path.slice(0, depth + 1))];
  if (!Array.isArray(list) || !isJsonObject(item) || !jsonEqual([...there.path], own.path.slice(0, depth)))
    return undefined;
  return withAt(inner, there.path, [...list, { ...item, [step.key]: step.value }]);
}

/** Why a path leads nowhere, in the words of the file. */
export function unresolved({ kind, path, step }: Exclude<Resolved, { readonly kind: 'found' }>, name: string): Unmade {
  const told = typeof step === 'string' ? step : 'key' in step ? `[${step.key}=${step.value}]` : '*';
  const why = kind === 'several' ? `has several ${told}` : `has no ${told}`;
  return faulty({
    at: path.length === 0 ? ['spec'] : path,
    reason: kind === 'several' ? 'BackendTwice' : 'BackendMissing',
    message: `${path.length === 0 ? 'it' : path.join('.')} ${why}, where the share of ${name} is to stand by its RouteProvider`,
    hint: 'Correct the route, or the path in the RouteProvider.',
  });
}

type Patching = { readonly sides: Sides; readonly share: Exclude<Share, { readonly kind: 'none' }> };

function withPatch(home: Json, operations: readonly CustomPatch[], { sides, share }: Patching): Made {
  let value = home;
  for (const [number, { op, path, value: given, cel }] of operations.entries()) {
    const made =
      cel === undefined
        ? ({ kind: 'ok', value: given ?? null } as const)
        : evaluate(cel, contextOf(home, { sides, share }));
    const told = `operation ${number + 1} of its RouteProvider`;
    if (made.kind === 'fault')
      return faulty({
        at: ['spec'],
        reason: 'ExpressionFails',
        message: `${told}: the expression ${made.why}`,
        hint: 'Correct it in the RouteProvider.',
      });
    const place = pointerOf(value, named(path, sides));
    if (typeof place !== 'string') return unresolved(place, sides.canary);
    try {
      const document = JSON.parse(JSON.stringify(value));
      value = applyPatch(document, [{ op, path: place, value: made.value }], true).newDocument;
    } catch (error) {
      const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
      return faulty({
        at: ['spec'],
        reason: 'PatchFails',
        message: `${told} cannot be applied: ${line.slice(0, 200)}`,
        hint: 'Correct the route, or the operation in the RouteProvider.',
      });
    }
  }
  return { kind: 'ok', value };
}

/** What expressions may ask for: `weight` of 100, both Services, the matches of the step, the object without a share. */
function contextOf(home: Json, { sides: { stable, canary }, share }: Patching): Readonly<Record<string, Json>> {
  const weight = share.kind === 'weight' ? share.percent : 0;
  const matches: Json = share.kind === 'matches' ? JSON.parse(JSON.stringify(share.matches)) : [];
  return { weight, stableWeight: 100 - weight, stable, canary, matches, object: home };
}

/** A JSON Pointer whose items are places; the last step may be `-`. */
function pointerOf(root: Json, steps: PathSteps): string | Exclude<Resolved, { readonly kind: 'found' }> {
  const [last] = steps.slice(-1);
  const head = resolve(root, steps.slice(0, -1));
  if (head.kind !== 'found') return head;
  const path = [...head.path, typeof last === 'string' ? last : ''];
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function faulty(fault: FieldFault): Unmade {
  return { kind: 'fault', fault };
}
